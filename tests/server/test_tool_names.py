"""A text names a tool so that its reader can use it: by name, by command, or with how to get it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from served import Asked, served_here

from mcp_graphrag.server.tool_names import ToolNames
from mcp_graphrag.server.tools import TOOLS

ALL = {tool.name: tool for tool in TOOLS}
OFFERED, COMMANDS = ToolNames(ALL, frozenset(ALL)), ToolNames(ALL, frozenset(), as_commands=True)
CONFLICTING = [
    {"subject": "Mill", "predicate": "owned_by", "object": object_, "subject_type": "Service"}
    for object_ in ("Blue", "Red")
]


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Asked]:
    """A client of a server with the default tools."""
    with served_here(tmp_path / "graph.duckdb") as ask:
        yield ask


def test_a_hint_names_an_offered_tool_by_its_name_and_says_how_to_get_another(ask: Asked) -> None:
    assert ask("query_triples")["hint"] == "No triple fits. Leave a part out, or see brief for what there is."
    assert ask("add_triples", triples=CONFLICTING)["hint"] == (
        "Both sides of a conflict stay in force: see review (start the server with --toolsets all)."
    )


def test_descriptions_and_instructions_have_no_unfilled_names(ask: Asked) -> None:
    tools = ask.portal.call(ask.client.list_tools).tools
    texts = [tool.model_dump_json() for tool in tools]
    assert not [text for text in texts if any(f"`{name}`" in text for name in ALL)]


def test_a_name_is_filled_by_what_the_reader_can_do() -> None:
    text = "See `review`, or `ingest` a `file`."
    default = ToolNames(ALL, frozenset({"ingest"}))
    read_only = ToolNames(ALL, frozenset({"review"}), read_only=True)

    assert OFFERED.fill(text) == "See review, or ingest a `file`."
    assert default.fill(text) == "See review (start the server with --toolsets all), or ingest a `file`."
    assert read_only.fill(text) == "See review, or ingest (start the server without --read-only) a `file`."
    assert COMMANDS.fill(text) == "See `mcp-graphrag review`, or `mcp-graphrag ingest` a `file`."


def test_a_call_is_written_as_its_reader_makes_it() -> None:
    assert OFFERED.call("merge", keep="A b", merge="C") == 'merge keep="A b" merge="C"'
    assert COMMANDS.call("merge", keep="A b", merge="C") == "mcp-graphrag merge 'A b' C"
    assert OFFERED.call("resolve", conflict=3, keep="first", reason="…") == 'resolve conflict=3 keep=first reason="…"'
    assert COMMANDS.call("resolve", conflict=3, keep="first") == "mcp-graphrag resolve 3 --keep first"
