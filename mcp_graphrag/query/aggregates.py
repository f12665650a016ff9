"""The aggregates of Cypher."""

from typing import Any

from cypherast import ast

from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.comparison import key, sort_key
from mcp_graphrag.query.cypher_types import ANY, FLOAT, INT, NULL, NUMBERS, SCALARS
from mcp_graphrag.query.cypher_values import NOTHING, Value, call, expanded
from mcp_graphrag.query.parse_query import nodes_in

_STATISTICS = {
    "avg": "avg({0})",
    "stdev": "coalesce(stddev_samp({0}), 0.0)",
    "stdevp": "coalesce(stddev_pop({0}), 0.0)",
}
AGGREGATES = frozenset({"count", "sum", "min", "max", "collect", *_STATISTICS})


def aggregates_in(node: Any) -> list[Any]:
    """The calls of aggregates in an expression."""
    calls = (each for each in nodes_in(node) if isinstance(each, ast.FunctionCall))
    return [each for each in calls if str(each.name).lower() in AGGREGATES]


def aggregate(name: str, value: Value, order: str, *, distinct: bool) -> Value:
    """An aggregate; lists are in the order of the column `order`."""
    if value.type == NULL:
        empty = {"count": Value("CAST(count(NULL) AS BIGINT)", INT), "sum": Value("CAST(0 AS BIGINT)", INT)}
        return empty.get(name, Value("[]", NULL.listed) if name == "collect" else NOTHING)
    if name == "count":
        return Value(f"count(DISTINCT {key(value)})" if distinct else f"count({value.sql})", INT)
    if name == "collect":
        return _collected(value, order, distinct=distinct)
    if name in {"min", "max"}:
        if value.type.kind in SCALARS:
            return Value(f"{name}({value.sql})", value.type)
        return Value(f"arg_{name}({value.sql}, {sort_key(value)}) FILTER ({value.sql} IS NOT NULL)", value.type)
    kept = "DISTINCT " if distinct else ""
    if name != "sum":
        return Value(_STATISTICS[name].format(f"{kept}{value.expected('float').sql}"), FLOAT)
    if value.type == ANY and not distinct:
        return Value(expanded("json_sum", value), ANY)
    if value.type.kind not in NUMBERS:
        raise Refused(f"sum() of a {value.type.kind} is not possible.", "Use toInteger() or toFloat().")
    cast = "BIGINT" if value.type == INT else "DOUBLE"
    return Value(f"coalesce(CAST(sum({kept}{value.sql}) AS {cast}), 0)", value.type)


def _collected(value: Value, order: str, *, distinct: bool) -> Value:
    """The values that are not null, in the order of the rows where that is known."""
    kept, kind = f"FILTER ({value.sql} IS NOT NULL)", value.type.kind
    if distinct and kind not in {*SCALARS, "any", "node", "rel"}:
        raise Refused("collect(DISTINCT …) of lists, maps and paths is not supported.", "Use WITH DISTINCT before.")
    is_sorted = kind in {*SCALARS, "any"}
    in_order = distinct and is_sorted and bool(order)  # else DISTINCT of SQL sorts by the values
    by = order if in_order or not distinct else value.sql if is_sorted else ""
    each = f"{'DISTINCT ' if distinct and not in_order else ''}{value.sql}{f' ORDER BY {by}' if by else ''}"
    found = Value(f"coalesce(list({each}) {kept}, [])", value.type.listed)
    found = Value(call("distinct_in_order", found), found.type) if in_order else found
    return Value(expanded("of_one_kind", value, found), found.type) if distinct and kind == "any" else found
