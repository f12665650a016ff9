"""What a query uses of each variable, so that only that is read, and which kinds of nodes it may be."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from cypherast import ast

from mcp_graphrag.query.parse_query import elements_of, name_of

ENTITY = ""
Kinds = frozenset[str]  # of nodes: entities, and those with the labels Chunk and Document
ALL_KINDS = frozenset({ENTITY, "Chunk", "Document"})
_NEEDED = dict[str, set[str]](id=set(), count=set(), labels={"type"}, type={"type"})  # by functions, beside the id


@dataclass
class Uses:
    """The properties of each variable, and those variables that are used as values: returned, listed, passed on.

    `named` are the properties that the query names of whatever it is, `all` says that it asks for all of them. `kinds`
    are those of the labels that it says of a variable, of a variable that comes from an expression all.
    """

    of: dict[str, set[str]] = field(default_factory=lambda: defaultdict[str, set[str]](set))
    whole: set[str] = field(default_factory=set[str])
    named: set[str] = field(default_factory=set[str])
    all: bool = False
    kinds: dict[str, Kinds] = field(default_factory=lambda: defaultdict[str, Kinds](frozenset))

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


def kinds_of(labels: Sequence[str]) -> Kinds:
    """The kinds of nodes that have all the labels, none for no label."""
    return frozenset(each if each in ALL_KINDS else ENTITY for each in labels)


def labels_of(pattern: Any) -> Sequence[str]:
    """The labels of a node."""
    return pattern.labels.labels if pattern.labels is not None else []


def _visit(node: Any, uses: Uses) -> None:
    if isinstance(node, list | tuple):
        for each in cast("Sequence[Any]", node):
            _visit(each, uses)
    elif isinstance(node, ast.Identifier):
        uses.whole.add(node.this)
    elif isinstance(node, ast.AstNode):
        uses.all |= isinstance(node, ast.Star) or _function(node) in {"properties", "keys"}
        if isinstance(node, ast.PathPattern | ast.PatternComprehension) and node.variable is not None:
            path = node if isinstance(node, ast.PathPattern) else node.pattern
            uses.whole |= {*map(name_of, elements_of(path)[1])} - {""}
        if isinstance(node, ast.Alias | ast.Unwind):
            uses.kinds[cast("Any", node).alias.this] = ALL_KINDS
        base, names, rest = _used(node)
        uses.named |= names
        if isinstance(base, ast.Identifier):
            uses.of[base.this] |= names
            if isinstance(node, ast.LabelPredicate):
                uses.kinds[base.this] |= {ENTITY, *kinds_of(labels_of(node))}
            elif isinstance(node, ast.NodePattern):
                uses.kinds[base.this] |= kinds_of(labels_of(node))
        else:
            _visit(base, uses)
        _visit(rest, uses)


def _function(node: Any) -> str:
    return str(node.name).lower() if isinstance(node, ast.FunctionCall) else ""


def _used(node: Any) -> tuple[Any, set[str], Sequence[Any]]:
    """Of what an expression or pattern uses properties, which, and what else it has."""
    if isinstance(node, ast.NodePattern | ast.RelationshipPattern):  # its variable is used by its id
        names = {"type"} if isinstance(node, ast.NodePattern) and node.labels is not None else set[str]()
        entries = node.properties.entries if isinstance(node.properties, ast.Map) else []
        return node.variable, names | {name for name, _ in entries}, [node.properties]
    if isinstance(node, ast.Property):
        return node.this, {node.name}, ()
    if isinstance(node, ast.LabelPredicate):
        return node.this, {"type"}, ()
    if _function(node) in _NEEDED and len(node.expressions) == 1:
        is_star = isinstance(node.expressions[0], ast.Star)  # count(*)
        return None if is_star else node.expressions[0], _NEEDED[_function(node)], ()
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
