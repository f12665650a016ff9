"""What the names in an expression mean, what the graph has, and the parameters of a query."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from mcp_graphrag.query.asked import Refused
from mcp_graphrag.query.cypher_values import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NOTHING,
    NULL,
    SCALARS,
    SQL_TYPES,
    STR,
    Type,
    Value,
    expanded,
    fresh,
    json_path,
    list_of,
    map_of,
    struct,
    unified,
)
from mcp_graphrag.query.graph_tables import GraphTables
from mcp_graphrag.query.variable_uses import Uses


@dataclass(frozen=True)
class Query:
    """What all expressions of a query share: the tables, and the parameters as SQL and as `given`."""

    tables: GraphTables
    uses: Uses
    parameters: Mapping[str, Value]
    given: Mapping[str, Any]


@dataclass
class Scope:
    """What names mean in an expression.

    `known` are expressions that were computed before, by what they are. `sum_up` is true where aggregates may stand;
    then what is neither in one nor known is refused. `patterns` compiles patterns, where they may stand.
    """

    names: Mapping[str, Value]
    query: Query
    patterns: Callable[[Any, "Scope"], Value] | None = None
    known: Sequence[tuple[Any, Value]] = ()
    sum_up: bool = False
    in_aggregate: bool = False
    order: str = ""  # the column by which rows are in order, for collect()
    in_lambda: bool = False
    items: str = "1"  # SQL of how many times an expression is computed for a row
    local: frozenset[str] = frozenset()
    may_match: bool = True  # whether a pattern may stand for its having a match

    def inside(self, items: str, **names: Value) -> "Scope":
        """With more names, those of the items of a list, of which there are `items`."""
        items = f"{self.items} * {items}" if self.in_lambda else items
        more = {**self.names, **names}
        return replace(self, names=more, in_lambda=True, local=self.local | names.keys(), items=items)

    def matched(self, names: Mapping[str, Value], *, with_patterns: bool = True) -> "Scope":
        """With the names of a pattern, for what is in it or about it."""
        patterns = self.patterns if with_patterns else None
        return Scope({**self.names, **names}, self.query, patterns, in_lambda=self.in_lambda, items=self.items)


def parameter_value(name: str, given: Any) -> Value:
    """A parameter with the type of the value that was given for it."""
    type_ = type_of(given)
    bind = f"${name}"
    if type_.kind in SCALARS:
        return Value(f"CAST({bind} AS {SQL_TYPES[type_.kind]})", type_)
    return _from_json(f"CAST({bind} AS JSON)", type_)


def _from_json(sql: str, type_: Type) -> Value:
    """A value of a known type out of JSON."""
    if type_ == ANY:
        return Value(f"nullif({sql}, CAST('null' AS JSON))", ANY)
    if type_.kind in SCALARS:
        return Value(expanded(f"as_{type_.kind}", Value(sql, ANY)), type_)
    if type_.kind == "list":
        name = fresh()
        return Value(f"list_transform(CAST({sql} AS JSON[]), lambda {name}: {_from_json(name, type_.of).sql})", type_)
    if type_.kind == "map":
        parts = [(each, _from_json(f"json_extract({sql}, {json_path(each)})", of).sql) for each, of in type_.fields]
        return Value(struct(parts), type_ if parts else ANY)
    return NOTHING


def type_of(given: Any) -> Type:
    """The type of a value of Python. Raises Refused for others than those of JSON."""
    if given is None:
        return NULL
    if isinstance(given, bool):
        return BOOL
    if isinstance(given, int):
        if not -(2**63) <= given < 2**63:
            raise Refused("A number is out of range.")
        return INT
    if isinstance(given, float):
        return FLOAT
    if isinstance(given, str):
        return STR
    if isinstance(given, list | tuple):
        return list_of(unified(map(type_of, cast("Sequence[Any]", given))))
    if isinstance(given, dict):
        return map_of((str(name), type_of(each)) for name, each in cast("Mapping[Any, Any]", given).items())
    raise Refused(f"A parameter is a {type(given).__name__}.", "Give JSON values.")
