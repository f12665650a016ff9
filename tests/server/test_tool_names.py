"""A text names a tool so that its reader can use it: by name, by command, or with how to get it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import Asked, connected

from mcp_graphrag.graph import Graph
from mcp_graphrag.server.app import create_server
from mcp_graphrag.server.tool_names import ToolNames
from mcp_graphrag.server.tools import TOOLS, make_app
from mcp_graphrag.settings import load_settings

ALL = {tool.name: tool for tool in TOOLS}
CONFLICTING = [
    {"subject": "Mill", "predicate": "owned_by", "object": object_, "subject_type": "Service"}
    for object_ in ("Blue", "Red")
]


@pytest.fixture
def ask(tmp_path: Path) -> Iterator[Asked]:
    """A client of a server with the default tools."""
    given: dict[str, Any] = {"db": str(tmp_path / "graph.duckdb"), "embedder": "wordllama"}
    with connected(create_server(make_app(Graph(load_settings(given, {})))), "legacy") as ask:
        yield ask


def test_a_hint_that_names_a_tool_of_another_toolset_says_how_to_get_it(ask: Asked) -> None:
    assert ask("add_triples", triples=CONFLICTING)["hint"] == (
        "Both sides of a conflict stay in force: see review (start the server with --toolsets all)."
    )


def test_a_hint_names_an_offered_tool_by_its_name(ask: Asked) -> None:
    assert ask("query_triples")["hint"] == "No triple fits. Leave a part out, or see describe_graph for what there is."


def test_descriptions_and_instructions_have_no_unfilled_names(ask: Asked) -> None:
    tools = ask.portal.call(ask.client.list_tools).tools
    texts = [tool.model_dump_json() for tool in tools]
    assert not [text for text in texts if any(f"`{name}`" in text for name in ALL)]


def test_a_name_is_filled_by_what_the_reader_can_do() -> None:
    text = "See `review`, or `ingest` a `file`."
    offered = ToolNames(ALL, frozenset(ALL))
    default = ToolNames(ALL, frozenset({"ingest"}))
    read_only = ToolNames(ALL, frozenset({"review"}), read_only=True)
    commands = ToolNames(ALL, frozenset(), as_commands=True)

    assert offered.fill(text) == "See review, or ingest a `file`."
    assert default.fill(text) == "See review (start the server with --toolsets all), or ingest a `file`."
    assert read_only.fill(text) == "See review, or ingest (start the server without --read-only) a `file`."
    assert commands.fill(text) == "See `mcp-graphrag review`, or `mcp-graphrag ingest` a `file`."


def test_a_call_is_written_as_its_reader_makes_it() -> None:
    offered = ToolNames(ALL, frozenset(ALL))
    commands = ToolNames(ALL, frozenset(), as_commands=True)

    assert offered.call("merge", keep="A b", merge="C") == 'merge keep="A b" merge="C"'
    assert commands.call("merge", keep="A b", merge="C") == "mcp-graphrag merge 'A b' C"
    assert offered.call("resolve", conflict=3, keep="first", reason="…") == 'resolve conflict=3 keep=first reason="…"'
    assert commands.call("resolve", conflict=3, keep="first") == "mcp-graphrag resolve 3 --keep first"
