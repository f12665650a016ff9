"""The aggregates of Cypher."""

from collections.abc import Sequence

from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.comparison import sort_key
from mcp_graphrag.query.cypher_values import (
    ANY,
    FLOAT,
    INT,
    NOTHING,
    NULL,
    NUMBERS,
    SCALARS,
    Value,
    fails,
    integer,
    is_int,
    kind_of,
    list_of,
)
from mcp_graphrag.query.functions import number_of
from mcp_graphrag.query.scope import Scope


def collected(value: Value, scope: Scope, *, distinct: bool) -> Value:
    """collect(): the values that are not null, in the order of the rows where that is known."""
    if value.type == NULL:
        return Value("[]", list_of(NULL))
    by = f" ORDER BY {scope.order}" if scope.order else ""
    if distinct:
        if value.type == ANY:
            of = f"FILTER ({value.sql} IS NOT NULL)"
            mixed = f"bool_or({is_int(value.sql)}) AND bool_or({kind_of(value.sql)} = 'DOUBLE')"
            wrong = fails("collect(DISTINCT …) of whole numbers and others is not supported.")
            return Value(
                f"(CASE WHEN {mixed} THEN {wrong} ELSE coalesce(list(DISTINCT {value.sql}) {of}, []) END)", list_of(ANY)
            )
        if value.type.kind not in SCALARS:
            raise Refused(
                "collect(DISTINCT …) of what is no string, number or truth value is not supported.",
                "Use WITH DISTINCT before.",
            )
        return Value(
            f"coalesce(list_distinct(list({value.sql}{by}) FILTER ({value.sql} IS NOT NULL)), [])", list_of(value.type)
        )
    return Value(f"coalesce(list({value.sql}{by}) FILTER ({value.sql} IS NOT NULL), [])", list_of(value.type))


def extreme(name: str, value: Value) -> Value:
    """min() and max()."""
    if value.type == NULL:
        return NOTHING
    if value.type == ANY or value.type.kind == "list":
        return Value(f"arg_{name}({value.sql}, {sort_key(value)}) FILTER ({value.sql} IS NOT NULL)", value.type)
    if value.type.holds_graph or value.type.kind == "map":
        raise Refused(f"{name}() of a {value.type.kind} is not supported.")
    return Value(f"{name}({value.sql})", value.type)


def statistic(name: str, values: Sequence[Value], *, distinct: bool, share: float | None) -> Value:
    """sum(), avg(), standard deviations and percentiles, of which `share` is between 0 and 1."""
    value = values[0]
    if value.type == NULL:
        return Value("CAST(0 AS BIGINT)", INT) if name == "sum" else NOTHING
    if value.type.kind not in {*NUMBERS, "any"}:
        raise Refused(f"{name}() of a {value.type.kind} is not possible.")
    if name.startswith("percentile"):
        if distinct:
            raise Refused("percentile of DISTINCT values is not supported.")
        if share is None:
            raise Refused("The share of a percentile is a number or parameter.")
        if not 0 <= share <= 1:
            raise Refused("The share of a percentile is between 0 and 1.")
        of = value if value.type != ANY else Value(number_of(value), FLOAT)
        kind = "quantile_cont" if name.endswith("cont") else "quantile_disc"
        return Value(f"{kind}({of.sql}, CAST({share!r} AS DOUBLE))", FLOAT if kind == "quantile_cont" else of.type)
    word = "DISTINCT " if distinct else ""
    if name == "sum":
        if value.type == ANY:
            if distinct:
                raise Refused("sum(DISTINCT …) of values of unknown types is not supported.")
            whole = f"coalesce(bool_and({is_int(value.sql)}), TRUE)"
            return Value(
                f"(CASE WHEN {whole} THEN to_json(coalesce(CAST(sum({integer(value.sql)}) AS BIGINT), 0))"
                f" ELSE to_json(sum({number_of(value)})) END)",
                ANY,
            )
        cast = "BIGINT" if value.type == INT else "DOUBLE"
        return Value(f"coalesce(CAST(sum({word}{value.sql}) AS {cast}), 0)", value.type)
    of = number_of(value) if value.type == ANY else value.sql
    function = {"avg": "avg", "stdev": "stddev_samp", "stdevp": "stddev_pop"}[name]
    made = f"{function}({word}CAST({of} AS DOUBLE))"
    return Value(made if name == "avg" else f"coalesce({made}, 0.0)", FLOAT)
