"""The TCK of openCypher: each scenario passes, or is refused with a reason that is listed; none is wrong."""

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from functools import cache
from pathlib import Path
from typing import Any, cast

import duckdb
import pytest
from cypherast import parse_one
from cypherast.errors import ExecuteError
from cypherast.executor import Graph, execute
from numpy.typing import NDArray
from tck_scenarios import FOLDER, Scenario, scenarios

from mcp_graphrag.model import Ids
from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.compile_query import compile_query
from mcp_graphrag.query.cypher_types import ANY, NODE, REL, STR, Type
from mcp_graphrag.query.cypher_values import Value, fresh, json_path, number_names_anew, text
from mcp_graphrag.query.graph_tables import GraphTables
from mcp_graphrag.query.parse_query import parse_query
from mcp_graphrag.query.variable_uses import Kinds

FEATURES = sorted((FOLDER / "features").rglob("*.feature"))
REFUSED = FOLDER / "refused.txt"  # an id and the reason a line


class TckTables(GraphTables):
    """One table of nodes with labels and properties in JSON, one of edges."""

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        self.faults, self._database = [], database
        number_names_anew()

    def columns(self, type_: Type, properties: Collection[str] | None) -> Sequence[str]:
        wanted = ["labels", "props"] if type_ == NODE else ["type", "props"]
        return ["id", *(wanted if properties is None or properties else [])]

    def nodes(self, kinds: Kinds, columns: Sequence[str]) -> str:  # noqa: ARG002
        return "node"

    def edges(self, types: Sequence[str], columns: Sequence[str], way: int = 1) -> str:  # noqa: ARG002
        return f"(SELECT * FROM edge WHERE type IN ({', '.join(map(text, types))}))" if types else "edge"

    def between(
        self,
        types: Sequence[str],
        way: int,  # noqa: ARG002
        ends: tuple[Kinds, Kinds],  # noqa: ARG002
        *,
        is_walk: bool,  # noqa: ARG002
    ) -> tuple[Sequence[str], tuple[Kinds, Kinds]]:
        return types, (frozenset(), frozenset())

    def is_apart(self, types: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
        return all(types and each and not {*types} & {*each} for each in others)

    def property(self, value: Value, name: str) -> Value:
        return Value(f"json_extract({value.column('props')}, {json_path(name)})", ANY)

    def properties(self, value: Value) -> Value:
        return Value(value.column("props"), ANY)

    def use_properties(self, kinds: Kinds, labels: Sequence[str], names: Set[str]) -> None:
        pass

    def walked(self, types: Sequence[str], way: int, starts: Ids, most: int, goals: Ids | None) -> None:  # noqa: ARG002
        return None

    def numbers(self, sql: str) -> Mapping[str, Ids]:
        return cast("Mapping[str, Ids]", self._database.execute(sql).fetchnumpy())  # pyright: ignore[reportUnknownMemberType]

    def table(self, columns: Mapping[str, NDArray[Any]]) -> str:
        self._database.register(name := fresh("walked"), dict(columns))
        return name

    def check_time(self) -> None:
        pass

    def has_label(self, value: Value, label: str) -> str:
        if value.type == NODE:
            return f"list_contains({value.column('labels')}, {text(label)})"
        return f"({value.column('type')} = {text(label)})"

    def labels(self, value: Value) -> Value:
        return Value(value.column("labels"), STR.listed)

    def named(self, name: Any) -> None:  # noqa: ARG002
        return None


@cache
def refused() -> Mapping[str, str]:
    return dict(line.split("\t") for line in REFUSED.read_text("utf-8").splitlines())


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1, "memory_limit": "1GB"}) as connection:
        connection.execute("CREATE TABLE node(id BIGINT, labels VARCHAR[], props JSON)")
        connection.execute("CREATE TABLE edge(id BIGINT, src BIGINT, dst BIGINT, type VARCHAR, props JSON)")
        yield connection


def load(database: duckdb.DuckDBPyConnection, scenario: Scenario) -> None:
    """Make the graph of a scenario, by another engine."""
    graph: Any = Graph()
    statements = [each for step in scenario.setup for each in step.split(";\n")]
    if scenario.graph:
        statements.append(
            next((FOLDER / "graphs" / scenario.graph).glob("*.cypher")).read_text("utf-8").strip().rstrip(";")
        )
    for each in statements:
        if each.strip():
            execute(parse_one(each), graph)
    database.execute("DELETE FROM node; DELETE FROM edge")
    for node in graph.all_nodes():
        database.execute("INSERT INTO node VALUES (?, ?, ?)", [node.id, sorted(node.labels), known(node.props)])
    for rel in {rel.id: rel for node in graph.all_nodes() for rel in graph.out_rels(node.id)}.values():
        start, end = getattr(rel, "start", None), getattr(rel, "end", None)
        ends = [rel.src, rel.dst] if start is None else [start, end]
        database.execute("INSERT INTO edge VALUES (?, ?, ?, ?, ?)", [rel.id, *ends, rel.type, known(rel.props)])


def known(properties: Mapping[str, Any]) -> str:
    return json.dumps({name: value for name, value in properties.items() if value is not None})


def found(value: Any, type_: Type) -> Any:
    """A value of DuckDB in the form of `read_value`."""
    if value is None:
        return None
    if type_.kind == "node":
        return "node", tuple(sorted(value["labels"])), from_json(json.loads(value["props"]))[1]
    if type_.kind == "rel":
        return "rel", value["type"], from_json(json.loads(value["props"]))[1]
    if type_.kind == "path":
        steps: list[Any] = []
        for at, node in enumerate(value["nodes"]):
            steps.append(found(node, NODE))
            steps += [found(rel, REL) for rel in value["rels"][at : at + 1]]
        return "path", tuple(steps)
    if type_.kind == "list":
        return "list", tuple(found(each, type_.of) for each in value)
    if type_.kind == "map" and type_.fields:
        return "map", tuple(sorted((name, found(value[name], of)) for name, of in type_.fields))
    if type_.kind in {"any", "null", "map"}:
        return from_json(json.loads(value) if isinstance(value, str) else value)
    return from_json(value)


def from_json(value: Any) -> Any:
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return "map", tuple(sorted((name, from_json(each)) for name, each in pairs))
    if isinstance(value, list):
        return "list", tuple(map(from_json, cast("list[Any]", value)))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "NaN" if math.isnan(value) else float(round(value, 9))
    return value


def outcome(database: duckdb.DuckDBPyConnection, scenario: Scenario) -> str:
    """What is wrong, or why a query was refused; "" for what is right."""
    try:
        load(database, scenario)
    except ExecuteError as error:
        return f"The other engine makes no graph: {error}"
    try:
        made = compile_query(parse_query(scenario.query, scenario.parameters), TckTables(database))
        rows = database.execute(made.sql).fetchall()
    except Refused as error:
        return "" if scenario.fails else error.fact
    except (duckdb.InvalidInputException, duckdb.OutOfRangeException) as error:
        return "" if scenario.fails else str(error).partition("\n")[0]
    if scenario.fails:
        return "WRONG: not refused"
    names = [name for name, _ in made.columns]
    if sorted(names) != sorted(scenario.columns):
        return f"WRONG: columns {names}"
    order = [names.index(name) for name in scenario.columns]
    ours = [[found(row[at], made.columns[at][1]) for at in order] for row in rows]
    theirs = [list(row) for row in scenario.rows]
    if scenario.lists_in_any_order:
        ours, theirs = (
            [[sorted_list(each) for each in row] for row in ours],
            [[sorted_list(each) for each in row] for row in theirs],
        )
    same = ours == theirs if scenario.in_order else sorted(map(repr, ours)) == sorted(map(repr, theirs))
    return "" if same else f"WRONG: {ours[:5]} instead of {theirs[:5]}"


def sorted_list(value: Any) -> Any:
    kind, *parts = cast("tuple[Any, ...]", value) if isinstance(value, tuple) else ("",)
    return (kind, sorted(map(repr, parts[0]))) if kind == "list" else cast("Any", value)


@pytest.mark.parametrize("feature", FEATURES, ids=lambda path: path.stem)
def test_a_scenario_passes_or_is_refused_as_listed(database: duckdb.DuckDBPyConnection, feature: Path) -> None:
    said = {each.id: outcome(database, each) for each in scenarios(feature)}
    not_passed = {id_: reason for id_, reason in said.items() if reason}
    assert not_passed == {id_: refused()[id_] for id_ in said if id_ in refused()}
