"""A query on a snapshot: compiled, run within bounds, and its rows as values of JSON."""

import json
from collections.abc import Mapping
from typing import Any

from mcp_graphrag.query.asked import GraphQuery, GraphRows
from mcp_graphrag.query.compile_query import Compiled, compile_query
from mcp_graphrag.query.cypher_values import Type
from mcp_graphrag.query.graph_tables import GraphTables, names_in
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.triple_rows import predicates

MAX_BYTES = 2_000_000  # of the values of an answer, roughly


def query_graph(snapshot: Snapshot, query: GraphQuery) -> GraphRows:
    """The rows of a query. Raises Refused for one that is wrong, not supported, or takes too long."""
    made = compiled_for(snapshot, query)
    rows, is_cut = snapshot.tx.bounded_rows(made.sql, made.parameters, seconds=query.seconds, limit=query.limit)
    shown: list[list[Any]] = []
    size = 0
    for row in rows:
        values = [_value(each, type_) for each, (_, type_) in zip(row, made.columns, strict=True)]
        size += len(str(values))
        if size > MAX_BYTES and shown:
            is_cut = True
            break
        shown.append(values)
    return GraphRows([name for name, _ in made.columns], shown, is_cut, made.sql)


def compiled_for(snapshot: Snapshot, query: GraphQuery) -> Compiled:
    """A query as SQL over the tables of a snapshot."""
    for whole in (False, True):
        tables = GraphTables(
            snapshot.ontology,
            predicates(snapshot.tx),
            names_in(query.cypher),
            whole,
            snapshot.when.as_of,
            snapshot.min_confidence,
        )
        made = compile_query(query.cypher, tables, query.parameters)
        if not any(type_.holds_graph for _, type_ in made.columns):
            break
    return made


def _value(value: Any, type_: Type) -> Any:
    """A value of a row as one of JSON: nodes and relationships with the properties that they have."""
    if value is None:
        return None
    if type_.kind in {"node", "rel"}:
        return _plain(value)
    if type_.kind == "path":
        return {
            "nodes": [_plain(each) for each in value["nodes"]],
            "relationships": [_plain(each) for each in value["rels"]],
        }
    if type_.kind == "list":
        return [_value(each, type_.of) for each in value]
    if type_.kind == "map":
        return (
            {name: _value(value[name], of) for name, of in type_.fields}
            if isinstance(value, dict)
            else json.loads(value)
        )
    if type_.kind in {"any", "null"} and isinstance(value, str):
        return json.loads(value)
    return value


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    found = {
        name: value
        for name, value in row.items()
        if name not in {"props", "id", "src", "dst"} and value not in (None, "", []) and not name.startswith("x:")
    }
    own: dict[str, Any] = json.loads(row["props"]) if row.get("props") else {}
    return {**{name: value for name, value in own.items() if name not in found}, **found}
