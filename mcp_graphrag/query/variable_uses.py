"""What a query uses of each variable, so that only that is read."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from cypherast import ast

from mcp_graphrag.query.parse_query import elements_of, name_of

_NEEDED = dict[str, set[str]](id=set(), count=set(), labels={"type"}, type={"type"})  # by functions, beside the id


@dataclass
class Uses:
    """The properties of each variable, and those variables that are used as values: returned, listed, passed on.

    `named` are the properties that the query names of whatever it is, `all` says that it asks for all of them.
    """

    of: dict[str, set[str]] = field(default_factory=lambda: defaultdict[str, set[str]](set))
    whole: set[str] = field(default_factory=set[str])
    named: set[str] = field(default_factory=set[str])
    all: bool = False

    def is_whole(self, variable: str) -> bool:
        """Whether a variable is used as a value."""
        return self.all or variable in self.whole


def find_uses(statement: Any) -> Uses:
    """The uses in a query or expression."""
    uses = Uses()
    _visit(statement, uses)
    for names in uses.of.values():
        uses.named |= names
    return uses


def _visit(node: Any, uses: Uses) -> None:
    if isinstance(node, list | tuple):
        for each in cast("Sequence[Any]", node):
            _visit(each, uses)
    elif isinstance(node, ast.Identifier):
        uses.whole.add(node.this)
    elif isinstance(node, ast.NodePattern | ast.RelationshipPattern):
        _visit_pattern(node, uses)
    elif isinstance(node, ast.AstNode):
        uses.all |= isinstance(node, ast.Star) or _name(node) in {"properties", "keys"}
        if isinstance(node, ast.PathPattern | ast.PatternComprehension) and node.variable is not None:
            path = node if isinstance(node, ast.PathPattern) else node.pattern
            uses.whole |= {*map(name_of, elements_of(path)[1])} - {""}
        base, names, rest = _used(node)
        uses.named |= names
        if isinstance(base, ast.Identifier):
            uses.of[base.this] |= names
        else:
            _visit(base, uses)
        _visit(rest, uses)


def _name(node: Any) -> str:
    return str(node.name).lower() if isinstance(node, ast.FunctionCall) else ""


def _used(node: Any) -> tuple[Any, set[str], Sequence[Any]]:
    """Of what an expression uses properties, which, and what else it has."""
    if isinstance(node, ast.Property):
        return node.this, {node.name}, ()
    if isinstance(node, ast.LabelPredicate):
        return node.this, {"type"}, ()
    if _name(node) in _NEEDED and len(node.expressions) == 1 and isinstance(node.expressions[0], ast.Star):
        return None, set(), ()  # count(*)
    if _name(node) in _NEEDED and len(node.expressions) == 1:
        return node.expressions[0], _NEEDED[_name(node)], ()
    if isinstance(node, ast.ListSubscript) and isinstance(node.index, ast.String):
        return node.this, {node.index.this}, ()
    if isinstance(node, ast.MapProjection):
        names = {each.name for each in node.entries if isinstance(each, ast.PropertySelector)}
        others = [ast.Identifier(this=each) if isinstance(each, str) else each for each in node.entries]
        return node.this, names, [each for each in others if not isinstance(each, ast.PropertySelector)]
    parts: list[Any] = [part for name, part in node.args.items() if name not in {"alias", "variable"}]
    if isinstance(node, ast.EQ | ast.NEQ | ast.IsNull):  # nodes and relationships compare by their ids
        parts = [part for part in parts if not isinstance(part, ast.Identifier)]
    return None, set(), parts


def _visit_pattern(node: Any, uses: Uses) -> None:
    """A node or relationship of a pattern: its variable is used by its id, and by its labels and properties."""
    names = {"type"} if isinstance(node, ast.NodePattern) and node.labels is not None else set[str]()
    if isinstance(node.properties, ast.Map):
        names |= {name for name, _ in node.properties.entries}
    uses.named |= names
    if node.variable is not None:
        uses.of[node.variable.this] |= names
    _visit([node.properties, node.where], uses)
