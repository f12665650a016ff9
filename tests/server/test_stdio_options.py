import subprocess
from pathlib import Path

import pytest
from served import environment, serve_words, served

from mcp_graphrag.server.tools import TOOLS

FACT = {"subject": "Ann", "predicate": "knows", "object": "Bob"}


def test_a_read_only_server_lists_no_writing_tool_and_refuses_to_write(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with served(db) as ask:
        assert ask.tools() == [tool.name for tool in TOOLS if tool.toolset == "default"]
        ask("add_triples", triples=[FACT])
    content = db.read_bytes()
    with served(db, "--read-only") as ask:
        assert ask.tools() == [tool.name for tool in TOOLS if tool.reads and tool.toolset == "default"]
        assert not {"ingest", "add_triples"} & set(ask.tools())
        assert ask("query_triples")["triples"][0]["object"] == "Bob"
        assert ask.refused("add_triples", triples=[FACT]) == "Unknown tool: add_triples"
    assert db.read_bytes() == content


def test_a_read_only_server_without_a_file_says_what_to_do(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with served(db, "--read-only") as ask:
        hint = "Ingest something first, or start without --read-only."
        assert ask.refused("brief") == f"There is no file {db}. {hint}"
    assert not db.exists()


def test_toolsets_offer_just_the_named_tools(tmp_path: Path) -> None:
    with served(tmp_path / "graph.duckdb", MCP_GRAPHRAG_TOOLSETS="search, get_source") as ask:
        assert ask.tools() == ["search", "get_source"]


@pytest.mark.slow
def test_an_unknown_toolset_is_an_error_with_exit_code_2(tmp_path: Path) -> None:
    words = serve_words(tmp_path / "graph.duckdb", "--toolsets", "default,serach")
    ended = subprocess.run(words, input=b"", capture_output=True, env=environment(), check=False)
    said = ended.stderr.decode().splitlines()
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert said[0] == "error: No toolset or tool named 'serach'."
    assert "Choose one of add_edges, add_entities, add_triples, admin, all, backup, brief, check_claim, " in said[1]
