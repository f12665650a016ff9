"""What the names in an expression mean, and what the graph has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcp_graphrag.query.cypher_values import Value
from mcp_graphrag.query.graph_tables import GraphTables


@dataclass
class Scope:
    """What names mean in an expression. `patterns` compiles patterns, where they may stand."""

    names: Mapping[str, Value]
    tables: GraphTables
    patterns: Callable[[Any, "Scope"], Value] | None = None
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
        return Scope({**self.names, **names}, self.tables, patterns, in_lambda=self.in_lambda, items=self.items)
