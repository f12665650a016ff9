"""What the names in an expression mean, and what the graph has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcp_graphrag.query.cypher_values import Value, call
from mcp_graphrag.query.graph_tables import GraphTables


@dataclass
class Scope:
    """What names mean in an expression. `patterns` compiles patterns, where they may stand."""

    names: Mapping[str, Value]
    tables: GraphTables
    patterns: Callable[[Any, "Scope"], Value] | None = None
    local: frozenset[str] = frozenset()  # of the items of a list for each of which it is computed
    items: str = "1"  # SQL of how many of these there are for a row

    def inside(self, items: str, **names: Value) -> "Scope":
        """With more names, those of the items of a list, of which there are `items`."""
        names_of_all = {**self.names, **names}
        return replace(self, names=names_of_all, local=self.local | names.keys(), items=f"{self.items} * {items}")

    def matched(self, names: Mapping[str, Value]) -> "Scope":
        """With the names of a pattern, for what is in it or about it."""
        return Scope({**self.names, **names}, self.tables, self.patterns)

    def limited(self, value: Value) -> Value:
        """A value that is not too large to use it for each item of a list."""
        macro = {"list": "limited_list", "str": "limited_text"}.get(value.type.kind)
        return Value(call(macro, value, items=self.items), value.type) if macro and self.local else value
