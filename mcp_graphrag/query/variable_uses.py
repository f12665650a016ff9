"""What a query uses of each variable, so that only that is read, and which kinds of nodes it may be."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from cypherast import ast

from mcp_graphrag.query.parse_query import elements_of, name_of, nodes_in

ENTITY = ""
Kinds = frozenset[str]  # of nodes: entities, and those with the labels Chunk and Document
ALL_KINDS = frozenset({ENTITY, "Chunk", "Document"})
ALL_STATED = "properties()"  # the column of all that documents state of a node
_WAYS = {ast.Direction.OUTGOING: 1, ast.Direction.BOTH: 0}  # that of any other direction is -1
_NEEDED = dict[str, set[str]](id=set(), count=set(), labels={"type"}, type={"type"})  # by functions, beside the id


@dataclass
class Uses:
    """The properties of each variable, and those variables that are used as values: returned, listed, passed on.

    `named` are the properties that the query names of whatever it is, `all` says that it asks for all of them. `kinds`
    are those of the labels that it says of a variable.
    """

    of: dict[str, set[str]] = field(default_factory=lambda: defaultdict[str, set[str]](set))
    whole: set[str] = field(default_factory=set[str])
    named: set[str] = field(default_factory=set[str])
    all: bool = False
    measured: Set[str] = frozenset()  # variables of which only the length is asked
    kinds: dict[str, Kinds] = field(default_factory=lambda: defaultdict[str, Kinds](frozenset))

    def is_whole(self, variable: str) -> bool:
        """Whether a variable is used as a value."""
        return self.all or variable in self.whole


def find_uses(statement: Any) -> Uses:
    """The uses in a query or expression."""
    uses, not_values, bare = Uses(), set[int](), set[str]()
    for node in nodes_in(statement):
        names, bases = _used(node)
        uses.named |= names
        not_values |= set(map(id, bases))
        for variable in (each.this for each in bases if isinstance(each, ast.Identifier)):
            uses.of[variable] |= names
            if isinstance(node, ast.LabelPredicate | ast.NodePattern) and labels_of(node):
                uses.kinds[variable] |= kinds_of(labels_of(node))
            if isinstance(node, ast.LabelPredicate) or (isinstance(node, ast.NodePattern) and not labels_of(node)):
                bare.add(variable)
        if isinstance(node, ast.PathPattern | ast.PatternComprehension) and node.variable is not None:
            path = node if isinstance(node, ast.PathPattern) else node.pattern
            uses.whole |= {*map(name_of, elements_of(path)[1])} - {""}
    stands = Counter(node.this for node in nodes_in(statement) if isinstance(node, ast.Identifier))
    lengths = Counter(_measured(node) for node in nodes_in(statement) if _measured(node))
    uses.measured = {name for name, times in lengths.items() if stands[name] == times + 1}  # beside its pattern
    for variable in bare & uses.kinds.keys():  # a label that is said of it elsewhere may be denied there
        uses.kinds[variable] |= {ENTITY}
    for node in nodes_in(statement):
        if isinstance(node, ast.Identifier) and id(node) not in not_values:
            uses.whole.add(node.this)
        uses.all |= isinstance(node, ast.Star) and id(node) not in not_values
        if isinstance(node, ast.FunctionCall) and str(node.name).lower() in {"properties", "keys"}:
            uses.all, uses.named = True, uses.named | {ALL_STATED}
    return uses


def _measured(node: Any) -> str:
    """The variable that is the argument of length() or size(), "" for none."""
    is_length = isinstance(node, ast.FunctionCall) and str(node.name).lower() in {"length", "size"}
    of = node.expressions[0] if is_length and node.expressions else None
    return of.this if isinstance(of, ast.Identifier) else ""


def kinds_of(labels: Sequence[str]) -> Kinds:
    """The kinds of nodes that have all the labels, none for no label."""
    return frozenset(each if each in ALL_KINDS else ENTITY for each in labels)


def labels_of(pattern: Any) -> Sequence[str]:
    """The labels of a node."""
    return pattern.labels.labels if pattern.labels is not None else []


def way_of(pattern: Any) -> int:
    """1 for a relationship along its arrow, -1 against it, 0 for both."""
    return _WAYS.get(pattern.direction, -1)


def names_in(conditions: Sequence[Any]) -> Mapping[str, Any]:
    """The names that conditions ask of variables: `a.name = 'X'`."""
    found = dict[str, Any]()
    for each in conditions:
        if isinstance(each, ast.EQ) and isinstance(each.this, ast.Property) and each.this.name == "name":
            found |= {each.this.this.this: each.expression} if isinstance(each.this.this, ast.Identifier) else {}
    return found


def _used(node: Any) -> tuple[Set[str], Sequence[Any]]:
    """Which properties an expression, pattern or clause uses of what; that is no value of its own there."""
    names: Set[str] = frozenset()
    bases: Sequence[Any] = ()
    match node:
        case ast.NodePattern() | ast.RelationshipPattern():
            names = (
                {str(name) for name, _ in node.properties.entries} if isinstance(node.properties, ast.Map) else names
            )
            names = names | {"type"} if isinstance(node, ast.NodePattern) and node.labels is not None else names
            bases = [node.variable]
        case ast.Property():
            names, bases = {node.name}, [node.this]
        case ast.LabelPredicate():
            names, bases = {"type"}, [node.this]
        case ast.FunctionCall() if len(node.expressions) == 1 and str(node.name).lower() in _NEEDED:
            names, bases = _NEEDED[str(node.name).lower()], node.expressions
        case ast.ListSubscript() if isinstance(node.index, ast.String):
            names, bases = {node.index.this}, [node.this]
        case ast.EQ() | ast.NEQ() | ast.IsNull():  # nodes and relationships compare by their ids
            bases = [node.this, node.args.get("expression")]
        case ast.Alias() | ast.Unwind():
            bases = [node.alias]
        case _:
            pass
    return names, bases
