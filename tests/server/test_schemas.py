"""What a client sees of each tool is committed under schemas/tools, and its rows in docs/.

`UPDATE_SCHEMAS=1 pytest tests/server/test_schemas.py` writes both anew.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from docs_tables import tables, tables_of_docs, write_docs
from mcp.types import Tool
from served import connected, served_here

from mcp_graphrag.graph import Graph
from mcp_graphrag.server.app import INSTRUCTIONS, create_server
from mcp_graphrag.server.other_graphs import others_of
from mcp_graphrag.server.schema import compact, portable
from mcp_graphrag.server.tools import TOOLS, make_app
from mcp_graphrag.settings import load_settings

FOLDER = Path(__file__).parents[2] / "schemas" / "tools"
REJECTED = {"anyOf", "oneOf", "allOf", "$ref", "$defs", "const", "title"}
MAX_DEFAULT_TOKENS = 5_400  # of tools/list, characters / 4
MAX_TOKENS = 11_000


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tool]:
    """Every tool, as a client of the legacy era lists it."""
    db = tmp_path_factory.mktemp("schemas") / "graph.duckdb"
    with served_here(db, toolsets="all", structured=False) as ask:
        return {tool.name: tool for tool in ask.portal.call(ask.client.list_tools).tools}


def on_the_wire(tool: Tool) -> dict[str, Any]:
    return tool.model_dump(mode="json", by_alias=True, exclude_none=True)


def written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def canonical(tool: Tool) -> str:
    return json.dumps(on_the_wire(tool), ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema inside a schema, itself first; names of properties are no keywords."""
    if isinstance(schema, list):
        for each in cast("list[Any]", schema):
            yield from nodes(each)
    elif isinstance(schema, dict):
        node = cast("dict[str, Any]", schema)
        yield node
        for key, value in node.items():
            yield from nodes(list(value.values()) if key == "properties" else value)


def test_what_a_client_sees_is_what_is_committed(listed: dict[str, Tool]) -> None:
    if os.environ.get("UPDATE_SCHEMAS"):
        FOLDER.mkdir(parents=True, exist_ok=True)
        for old in FOLDER.glob("*.json"):
            old.unlink()
        for name, tool in listed.items():
            (FOLDER / f"{name}.json").write_text(canonical(tool), encoding="utf-8", newline="\n")
    committed = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.json")}
    assert committed == {name: canonical(tool) for name, tool in listed.items()}


def test_the_pages_have_the_tables_that_the_declarations_make() -> None:
    if os.environ.get("UPDATE_SCHEMAS"):
        write_docs()
    assert tables_of_docs() == tables()


def test_every_tool_is_listed_in_order(listed: dict[str, Tool]) -> None:
    assert list(listed) == [tool.name for tool in TOOLS]


@pytest.mark.parametrize("name", [tool.name for tool in TOOLS])
def test_an_input_schema_has_only_what_every_host_takes_and_describes_each_argument(
    listed: dict[str, Tool], name: str
) -> None:
    schema = listed[name].input_schema
    for node in nodes(schema):
        assert not REJECTED & set(node)
        assert isinstance(node.get("type", ""), str)
        if node.get("properties"):
            assert node["additionalProperties"] is False
    assert (schema["type"], schema["additionalProperties"]) == ("object", False)
    for argument, each in schema.get("properties", {}).items():
        assert each.get("type"), argument
        assert each.get("description"), argument


@pytest.mark.parametrize("tool", TOOLS, ids=lambda each: each.name)
def test_the_annotations_that_mean_something_are_set_and_say_what_is_so(listed: dict[str, Tool], tool: Any) -> None:
    found = listed[tool.name]
    assert found.title
    assert found.annotations is not None
    writes = {"destructive_hint": tool.destroys, "idempotent_hint": tool.repeats}
    said = {"read_only_hint": tool.reads, "open_world_hint": False, **({} if tool.reads else writes)}
    assert found.annotations.model_dump(exclude_none=True) == said
    assert found.output_schema is None


def test_the_default_tools_cost_little_of_a_context(listed: dict[str, Tool]) -> None:
    assert sum(tool.toolset == "default" for tool in TOOLS) == 18
    assert max(len((tool.description or "").encode()) for tool in listed.values()) < 1024
    assert len(INSTRUCTIONS.encode()) < 2048


def test_the_list_of_tools_stays_within_its_budgets(listed: dict[str, Tool]) -> None:
    sizes = {name: len(written(on_the_wire(tool))) / 4 for name, tool in listed.items()}
    assert sum(sizes[tool.name] for tool in TOOLS if tool.toolset == "default") < MAX_DEFAULT_TOKENS
    assert sum(sizes.values()) < MAX_TOKENS


def test_the_arguments_that_choose_a_graph_cost_little(listed: dict[str, Tool]) -> None:
    settings = load_settings({"project": "none", "embedder": "wordllama"}, {})
    with connected(create_server(make_app(Graph(settings)), others=others_of(settings)), "legacy") as ask:
        found = ask.portal.call(ask.client.list_tools).tools
    added = {
        each.name: each.input_schema["properties"].keys() - listed[each.name].input_schema.get("properties", {}).keys()
        for each in found
    }
    spans = {tool.name for tool in TOOLS if tool.spans}
    assert added == {name: {"project", "scope"} if name in spans else {"project"} for name in added}
    assert not any(REJECTED & set(node) for each in found for node in nodes(each.input_schema))
    more = sum(len(written(on_the_wire(each))) - len(written(on_the_wire(listed[each.name]))) for each in found)
    assert more / 4 < 31 * len(found)


def test_an_output_schema_shares_its_records_and_describes_no_part_by_its_name() -> None:
    text = {"text": {"type": "string", "title": "Text", "default": ""}}
    record = {"type": "object", "title": "Hit", "description": "A hit.", "required": ["text"], "properties": text}
    score = {"anyOf": [{"type": "number"}, {"type": "null"}], "default": None}
    hits = {"type": "array", "items": {"$ref": "#/$defs/Hit"}}
    given: dict[str, Any] = {
        "$defs": {"Hit": record},
        "type": "object",
        "required": ["hits"],
        "properties": {"hits": hits, "s": score},
    }
    assert compact(given) == {
        "$defs": {"Hit": {"type": "object", "properties": {"text": {"type": "string"}}}},
        "type": "object",
        "required": ["hits"],
        "properties": {"hits": hits, "s": {"type": "number"}},
    }


def test_references_nulls_and_titles_are_worked_into_a_plain_schema() -> None:
    definitions = {"Kind": {"title": "Kind", "type": "object", "properties": {"title": {"const": "a", "title": "T"}}}}
    properties = {
        "kind": {"$ref": "#/$defs/Kind", "description": "Which."},
        "name": {"anyOf": [{"type": "string", "minLength": 1}, {"type": "null"}], "default": None, "title": "Name"},
    }
    assert portable({"$defs": definitions, "title": "X", "type": "object", "properties": properties}) == {
        "type": "object",
        "properties": {
            "kind": {"type": "object", "properties": {"title": {"enum": ["a"]}}, "description": "Which."},
            "name": {"type": "string", "minLength": 1},
        },
    }
