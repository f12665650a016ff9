"""What a server says names only the tools that it offers, and for any other the command that does the same."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import Asked, connected

from mcp_graphrag.cli import COMMANDS as CLI
from mcp_graphrag.pipeline import make_pipeline
from mcp_graphrag.server.app import create_server
from mcp_graphrag.server.offered import COMMANDS, offered_only
from mcp_graphrag.server.tools import TOOLS, make_app
from mcp_graphrag.settings import load_settings


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Asked]:
    """A client of a server that offers little."""
    given: dict[str, Any] = {"db": str(tmp_path / "graph.duckdb"), "toolsets": "search,ingest,query_triples"}
    with connected(create_server(make_app(make_pipeline(load_settings(given, {})))), "legacy") as ask:
        yield ask


def test_notes_and_errors_name_the_command_for_a_tool_that_is_not_offered(ask: Asked) -> None:
    ask("ingest", text="The gearbox is blue.", uri="memo:get_source", extract="none")

    nothing = ask("search", query="zyxt", mode="keyword")
    assert nothing["notes"][0].endswith("no entity that is stored; `mcp-graphrag entities` looks for one.")
    refused = ask.refused("search", query="gearbox", filters={"predicate": "find_paths"})
    assert refused == "No predicate named 'find_paths'. `mcp-graphrag stats` lists the predicates."
    assert ask("search", query="gearbox")["hits"][0]["document"]["uri"] == "memo:get_source"


def test_only_a_tools_name_as_a_word_of_the_sentence_is_replaced() -> None:
    said = 'Read on with get_source memo:get_source#chunk:0-9, "find_entities" or get_source.md, then get_source.'

    assert offered_only(said, ["get_source"]) == said
    told = 'Read on with `mcp-graphrag source` memo:get_source#chunk:0-9, "find_entities" or get_source.md, then '
    assert offered_only(said, []) == f"{told}`mcp-graphrag source`."


def test_every_name_is_a_tools_and_stands_for_a_command() -> None:
    assert set(COMMANDS) <= {tool.name for tool in TOOLS}
    assert set(COMMANDS.values()) <= {command.name for command in CLI}
