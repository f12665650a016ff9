"""What the names in an expression mean, what the graph has, and the parameters of a query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, cast

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


class Patterns(Protocol):
    """What compiles patterns inside expressions."""

    def exists(self, pattern: Any, scope: "Scope") -> str:
        """Whether a pattern or query has a match."""
        ...

    def count(self, query: Any, scope: "Scope") -> str:
        """How many matches it has."""
        ...

    def collected(self, comprehension: Any, scope: "Scope") -> Value:
        """The list of a pattern comprehension."""
        ...


class Graph(Protocol):
    """The tables that a query reads, as far as expressions need them."""

    def property(self, value: Value, name: str) -> Value:
        """A property of a node or relationship."""
        ...

    def properties(self, value: Value) -> Value:
        """All properties of a node or relationship, as JSON."""
        ...

    def has_label(self, value: Value, label: str) -> str:
        """Whether a node has a label, or a relationship a type."""
        ...

    def labels(self, value: Value) -> Value:
        """The labels of a node."""
        ...


class Tables(Graph, Protocol):
    """The tables that patterns are matched in. Nodes have the column `id`; edges `id`, `src`, `dst` and `type`."""

    def nodes(self, labels: Sequence[str]) -> str:
        """The relation of nodes that may have all the labels."""
        ...

    def edges(self, types: Sequence[str]) -> str:
        """The relation of the edges with one of the types, of all for none."""
        ...

    def node(self, alias: str) -> str:
        """A row of nodes as one value."""
        ...

    def named(self, value: Value, name: Value) -> str | None:
        """Whether a node has a name or alias, None where that is a property like others."""
        ...

    def edge(self, alias: str) -> str:
        """A row of edges as one value."""
        ...


@dataclass
class Scope:
    """What names mean in an expression.

    `known` are expressions that were computed before, by what they are. `sum_up` is true where aggregates may stand;
    then what is neither in one nor known is refused.
    """

    names: Mapping[str, Value]
    graph: Graph
    patterns: Patterns | None
    parameters: Mapping[str, Value]
    given: Mapping[str, Any]
    known: Sequence[tuple[Any, Value]] = ()
    sum_up: bool = False
    in_aggregate: bool = False
    order: str = ""  # the column by which rows are in order, for collect()
    in_lambda: bool = False
    local: frozenset[str] = frozenset()
    may_match: bool = True  # whether a pattern may stand for its having a match
    used: set[str] = field(default_factory=set[str])

    def inside(self, **names: Value) -> "Scope":
        """With more names, those of a list's items."""
        return replace(self, names={**self.names, **names}, in_lambda=True, local=self.local | names.keys())


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
