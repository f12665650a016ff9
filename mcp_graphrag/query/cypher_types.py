"""The types of values in a query."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from mcp_graphrag.query.asked import Refused


@dataclass(frozen=True)
class Type:
    """A type of Cypher: `kind` is that of a scalar, "any" for JSON whose type only the value tells, "list", "map"…

    A list has an `item`, a map with known keys has `fields`.
    """

    kind: str
    item: "Type | None" = None
    fields: tuple[tuple[str, "Type"], ...] = ()

    @property
    def of(self) -> "Type":
        """The type of the items."""
        return self.item or NULL

    @property
    def listed(self) -> "Type":
        """The type of lists of it."""
        return Type("list", self)

    @property
    def holds_graph(self) -> bool:
        """Whether values of it are or have nodes, relationships or paths."""
        inner = [self.item] if self.item else [each for _, each in self.fields]
        return self.kind in {"node", "rel", "path"} or any(each.holds_graph for each in inner)

    @staticmethod
    def unified(types: "Iterable[Type]") -> "Type":
        """The type that values of all the types can have."""
        return reduce(_both, types, NULL)


INT, FLOAT, STR, BOOL = Type("int"), Type("float"), Type("str"), Type("bool")
NULL, ANY, NODE, REL, PATH = Type("null"), Type("any"), Type("node"), Type("rel"), Type("path")
SCALARS = frozenset({"int", "float", "str", "bool"})
NUMBERS = frozenset({"int", "float"})
SQL_TYPES = {"int": "BIGINT", "float": "DOUBLE", "str": "VARCHAR", "bool": "BOOLEAN", "any": "JSON"}


def _both(one: Type, other: Type) -> Type:
    if other in (one, NULL):
        return one
    if one == NULL:
        return other
    if one.kind == other.kind == "list":
        return _both(one.of, other.of).listed
    if one.holds_graph or other.holds_graph:
        raise Refused(
            "Nodes, relationships or paths mixed with other values are not supported.", "Return them in columns apart."
        )
    return ANY
