"""A query on a snapshot: compiled, run within bounds, and its rows as values of JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_graphrag.errors import BadInput
from mcp_graphrag.query.asked import GraphQuery, GraphRows, Refused
from mcp_graphrag.query.compile_query import Compiled, compile_query
from mcp_graphrag.query.cypher_types import Type
from mcp_graphrag.query.graph_tables import GraphTables
from mcp_graphrag.query.parse_query import Statement, parse_query, without_texts
from mcp_graphrag.query.query_notes import notes_on, notes_on_refused
from mcp_graphrag.query.rewrites import rewrites_of
from mcp_graphrag.query.variable_uses import ALL_STATED
from mcp_graphrag.snapshot import Snapshot

MAX_BYTES = 2_000_000  # of the values of an answer, roughly


def query_graph(snapshot: Snapshot, query: GraphQuery) -> GraphRows:
    """The rows of a query. Raises Refused for one that is wrong, not supported, or takes too long."""
    try:
        statement = parse_query(query.cypher, query.parameters)
    except Refused as fault:
        with GraphTables(snapshot, query, whole=False) as tables:
            raise _with_notes(fault, notes_on_refused(tables, []), query) from fault
    made, rows, is_cut, notes = _run(snapshot, query, statement, whole=False)
    shown, size = list[list[Any]](), 0
    for row in rows:
        values = [_value(each, type_) for each, (_, type_) in zip(row, made.columns, strict=True)]
        size += len(str(values))
        if size > MAX_BYTES and shown:
            is_cut = True
            break
        shown.append(values)
    return GraphRows([name for name, _ in made.columns], shown, is_cut, made.sql, notes)


def _run(
    snapshot: Snapshot, query: GraphQuery, statement: Statement, *, whole: bool
) -> tuple[Compiled, list[Any], bool, list[str]]:
    """What was run, the rows, whether there are more, and notes. What returns nodes is run with all their columns."""
    with GraphTables(snapshot, query, whole=whole) as tables:
        try:
            made = compile_query(statement, tables)
        except Refused as fault:
            raise _with_notes(fault, notes_on_refused(tables, statement.parts), query) from fault
        if whole or not any(type_.holds_graph for _, type_ in made.columns):
            try:
                rows, is_cut = snapshot.tx.bounded_rows(made.sql, {}, seconds=query.seconds, limit=query.limit)
            except BadInput as error:
                # A regular expression is a text, and all that the engine says of one is that it cannot read it.
                said = rewrites_of("(?=") if "(?" in query.cypher else []
                more = [*said, *rewrites_of(without_texts(query.cypher))]
                raise BadInput(error.fact, " ".join([error.hint, *more])) from error
            is_nothing = len(rows) < 2 and not any(value for row in rows for value in row)  # a count of 0 among them
            return made, rows, is_cut, notes_on(tables, statement.parts, is_empty=is_nothing)
    return _run(snapshot, query, statement, whole=True)


def _with_notes(fault: Refused, notes: Sequence[str], query: GraphQuery) -> Refused:
    """A fault with notes on the rest of a query, so that all of it is mended at once."""
    more = [each for each in rewrites_of(without_texts(query.cypher)) if each not in str(fault)]
    return Refused(
        " ".join([fault.fact, *(each for each in notes if each not in fault.fact)]), " ".join([fault.hint, *more])
    )


def _value(value: Any, type_: Type) -> Any:
    """A value of a row as one of JSON: nodes and relationships with the properties that they have."""
    if value is None:
        return None
    if type_.kind in {"node", "rel"}:
        return _plain(value)
    if type_.kind == "path":
        rels = [_plain(each) for each in value["rels"]]
        return {"nodes": [_plain(each) for each in value["nodes"]], "relationships": rels}
    if type_.kind == "list":
        return [_value(each, type_.of) for each in value]
    if type_.kind == "map" and isinstance(value, dict):
        return {name: _value(value[name], of) for name, of in type_.fields}
    return json.loads(value) if type_.kind in {"any", "null", "map"} and isinstance(value, str) else value


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    own: dict[str, Any] = json.loads(row["props"]) if row.get("props") else {}
    hidden = {ALL_STATED, "props", "id"}
    found = {name: value for name, value in row.items() if name not in hidden and not name.startswith("x:")}
    return {**own, **{name: value for name, value in found.items() if value not in (None, "", [])}}
