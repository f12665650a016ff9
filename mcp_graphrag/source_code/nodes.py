"""Parts of syntax trees that several languages share."""

from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from tree_sitter import Node

from mcp_graphrag.source_code.source_file import OBJECT, Relation

_NAMES = frozenset(
    {"identifier", "property_identifier", "private_property_identifier", "type_identifier", "field_identifier"}
    | {"package_identifier", "this", "self", "super", "crate", "dotted_name"}
)
# The fields of a node that names a member of something: those of what it is a member of, and of the member.
_MEMBERS = (
    ("object", "attribute"),
    ("object", "property"),
    ("operand", "field"),
    ("value", "field"),
    ("path", "name"),
    ("object", "name"),
    ("scope", "name"),
    ("module", "name"),
    ("package", "name"),
)
_CALLED_THROUGH = frozenset(
    {"generic_function", "generic_type", "await_expression", "non_null_expression", "type_instantiation_expression"}
)
_TYPED_THROUGH = frozenset({*_CALLED_THROUGH, "subscript", "pointer_type", "as_expression", "annotated_type"})
_CALLS = frozenset({"call", "call_expression", "method_invocation"})
_SCOPED = frozenset({"scoped_type_identifier", "nested_type_identifier"})  # in Java without fields
MAX_DEPTH = 12  # of a chain of members that is read


class ImportedName(NamedTuple):
    """An import as written: a module, a member of it, and the name that it binds; "" where there is none."""

    module: str
    member: str
    local: str


class Named(NamedTuple):
    """A name with what stands in front of it, `OBJECT` for an expression, and the node of the name."""

    receiver: str
    name: str
    node: Node


class Base(NamedTuple):
    """A type that a class extends or implements, as the node that names it."""

    relation: Relation
    node: Node


def text_of(node: Node | None) -> str:
    """The source text of a node, "" for none."""
    text = None if node is None else node.text
    return "" if text is None else text.decode("utf-8", "replace")


def dotted(node: Node | None, depth: int = 0) -> str:
    """A name or chain of members with dots between its parts, "" for any other expression."""
    if node is None or depth > MAX_DEPTH:
        return ""
    kind = node.type
    if kind in _NAMES:
        return text_of(node)
    if kind in _CALLS:  # of what it gives, nothing is known
        return ""
    if kind == "generic_type":  # Vec::<u8>::new
        node = node.child_by_field_name("type") or node
        if node.type in _NAMES:
            return text_of(node)
    parts = members(node)
    if parts is None:
        return ""
    left, right = dotted(parts[0], depth + 1), text_of(parts[1])
    return f"{left}.{right}" if left and right else ""


def members(node: Node) -> tuple[Node, Node] | None:
    """What a node names a member of, and the member; None if it is no such node."""
    for whole, part in _MEMBERS:
        named = node.child_by_field_name(part)
        if named is not None:
            left = node.child_by_field_name(whole)
            if left is not None:
                return left, named
    return None


def callee(node: Node | None) -> Named | None:
    """What is called, None if it has no name."""
    return _named(node, _CALLED_THROUGH)


def type_name(node: Node | None) -> Named | None:
    """The type that a node names, without its arguments and pointers; None for an expression."""
    return _named(node, _TYPED_THROUGH)


def _named(node: Node | None, wrappers: Set[str]) -> Named | None:
    for _ in range(MAX_DEPTH):
        if node is None:
            return None
        kind = node.type
        if kind in _NAMES:
            return Named("", text_of(node), node)
        parts = members(node)
        if parts is None and kind in _SCOPED and len(node.named_children) > 1:
            parts = node.named_children[0], node.named_children[-1]
        if parts is not None:
            return Named(_receiver(parts[0]), text_of(parts[1]), parts[1])
        inner = node.child_by_field_name("operand") if kind == "index_expression" else None  # first[int](x) of Go
        if kind not in wrappers and inner is None:
            return None
        inner = inner or node.child_by_field_name("function") or node.child_by_field_name("type")
        node = inner or next(iter(node.named_children), None)
    return None


def _receiver(node: Node) -> str:
    if node.type in _CALLS:
        return "super" if dotted(node.child_by_field_name("function")) == "super" else OBJECT
    return dotted(node) or OBJECT


def children(node: Node, *types: str) -> Iterator[Node]:
    """The children of a node that have one of the types."""
    return (child for child in node.named_children if child.type in types)


def bases(relation: Relation, nodes: Iterable[Node]) -> Iterator[Base]:
    """The types that the nodes name, as bases."""
    return (Base(relation, node) for node in nodes)


def decorated(node: Node) -> int:
    """The id of the node that a decorator or annotation belongs to, 0 if it is none that is captured."""
    parent = node.parent
    if parent is None:
        return 0
    if parent.type == "modifiers":
        return parent.parent.id if parent.parent is not None else 0
    if parent.type == "class_body":
        following = node.next_named_sibling
        while following is not None and following.type in {"decorator", "comment"}:
            following = following.next_named_sibling
        return following.id if following is not None else 0
    inner = parent.child_by_field_name("definition") or parent.child_by_field_name("declaration")
    return inner.id if inner is not None else parent.id
