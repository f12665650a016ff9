"""The aggregates of Cypher."""

from collections.abc import Sequence
from typing import Any, cast

from cypherast import ast

from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.comparison import key, sort_key
from mcp_graphrag.query.cypher_values import (
    ANY,
    FLOAT,
    INT,
    NOTHING,
    NULL,
    NUMBERS,
    SCALARS,
    Value,
    expanded,
    expected,
    list_of,
)

_STATISTICS = {
    "avg": "avg({0})",
    "stdev": "coalesce(stddev_samp({0}), 0.0)",
    "stdevp": "coalesce(stddev_pop({0}), 0.0)",
}
_SHARES = {"percentilecont": "quantile_cont", "percentiledisc": "quantile_disc"}
AGGREGATES = frozenset({"count", "sum", "min", "max", "collect", *_STATISTICS, *_SHARES})


def own_aggregates(node: Any) -> list[Any]:
    """The calls of aggregates in an expression, not those in a query of its own."""
    if isinstance(node, list | tuple):
        return [found for each in cast("Sequence[Any]", node) for found in own_aggregates(each)]
    if not isinstance(node, ast.AstNode) or isinstance(node, ast.PatternPredicate | ast.CountSubquery):
        return []
    is_one = isinstance(node, ast.FunctionCall) and str(node.name).lower() in AGGREGATES
    return [*([node] if is_one else []), *own_aggregates(list(node.args.values()))]


def has_aggregate(node: Any) -> bool:
    """Whether an expression calls an aggregate itself."""
    return bool(own_aggregates(node))


def aggregate(name: str, value: Value, order: str, *, distinct: bool, share: float | None) -> Value:
    """An aggregate; lists are in the order of the column `order`, and `share` is that of a percentile."""
    if name in _SHARES:
        return _percentile(name, value, share, distinct=distinct)
    if name == "count":
        if value.type == NULL:
            return Value("CAST(count(NULL) AS BIGINT)", INT)
        return Value(f"count(DISTINCT {key(value)})" if distinct else f"count({value.sql})", INT)
    if name == "collect":
        return _collected(value, order, distinct=distinct)
    if name in {"min", "max"}:
        return _extreme(name, value)
    return _statistic(name, value, "DISTINCT " if distinct else "")


def _collected(value: Value, order: str, *, distinct: bool) -> Value:
    """The values that are not null, in the order of the rows where that is known."""
    if value.type == NULL:
        return Value("[]", list_of(NULL))
    listed = f"list({value.sql}{f' ORDER BY {order}' if order else ''}) FILTER ({value.sql} IS NOT NULL)"
    if distinct and value.type == ANY:
        return Value(expanded("json_distinct", value), list_of(ANY))
    if distinct and value.type.kind not in SCALARS:
        raise Refused(
            "collect(DISTINCT …) of what is no string, number or truth value is not supported.",
            "Use WITH DISTINCT before.",
        )
    return Value(f"coalesce({f'list_distinct({listed})' if distinct else listed}, [])", list_of(value.type))


def _extreme(name: str, value: Value) -> Value:
    if value.type == NULL:
        return NOTHING
    if value.type == ANY or value.type.kind == "list":
        return Value(f"arg_{name}({value.sql}, {sort_key(value)}) FILTER ({value.sql} IS NOT NULL)", value.type)
    if value.type.kind not in SCALARS:
        raise Refused(f"{name}() of a {value.type.kind} is not supported.")
    return Value(f"{name}({value.sql})", value.type)


def _statistic(name: str, value: Value, distinct: str) -> Value:
    """A sum, average or deviation."""
    if value.type == NULL:
        return Value("CAST(0 AS BIGINT)", INT) if name == "sum" else NOTHING
    if name != "sum":
        return Value(_STATISTICS[name].format(f"{distinct}{expected(value, 'float').sql}"), FLOAT)
    if value.type == ANY and not distinct:
        return Value(expanded("json_sum", value), ANY)
    if value.type.kind not in NUMBERS:
        raise Refused(f"sum() of a {value.type.kind} is not possible.", "Use toInteger() or toFloat().")
    cast = "BIGINT" if value.type == INT else "DOUBLE"
    return Value(f"coalesce(CAST(sum({distinct}{value.sql}) AS {cast}), 0)", value.type)


def _percentile(name: str, value: Value, share: float | None, *, distinct: bool) -> Value:
    if share is None or not 0 <= share <= 1 or distinct:
        raise Refused("A percentile is of all values, its share a number or parameter between 0 and 1.")
    if value.type == NULL:
        return NOTHING
    of = value if value.type == INT and name == "percentiledisc" else expected(value, "float")
    return Value(f"{_SHARES[name]}({of.sql}, CAST({share!r} AS DOUBLE))", of.type)
