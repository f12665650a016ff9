"""Parts of syntax trees that several languages share."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from typing import NamedTuple

from tree_sitter import Node, Tree

from mcp_graphrag.source_code.source_file import OBJECT, Relation, TypeName

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
# The same for the nodes that are met most, None for one that names no member.
_MEMBERS_OF = {
    "attribute": _MEMBERS[0],
    "member_expression": _MEMBERS[1],
    "selector_expression": _MEMBERS[2],
    **dict.fromkeys(("call", "call_expression", "string", "subscript", "parenthesized_expression", "list", "integer")),
    **dict.fromkeys(("identifier", "subscript_expression", "binary_operator", "binary_expression", "none", "await")),
}
_CALLED_THROUGH = frozenset(
    {"generic_function", "generic_type", "await_expression", "non_null_expression", "type_instantiation_expression"}
)
_TYPED_THROUGH = frozenset({*_CALLED_THROUGH, "subscript", "pointer_type", "as_expression", "annotated_type"})
_CALLS = frozenset({"call", "call_expression", "method_invocation"})
_SCOPED = frozenset({"scoped_type_identifier", "nested_type_identifier"})  # in Java without fields
MAX_CHAIN = 12  # members of each other that are read
MAX_DEPTH = 5_000  # levels of a syntax tree that are read


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


class TypedNode(NamedTuple):
    """What a node says of the type of the name at `node`, or of what the function around it returns, if that is None.

    `declared` is true of an annotation, which decides. The value "" is one of an unknown type; None says nothing, as
    that of `x = None`. `is_field` is true of a field of the class around that has the name of a parameter.
    `key` is the name of what has no node: "default" of a module, "{0,1}" for the second parameter of the function that
    is the first argument.
    """

    node: Node | None
    type: TypeName | None = None
    value: str | None = ""
    declared: bool = False
    is_field: bool = False
    key: str = ""


class Parents:
    """The parents of the nodes of a tree that have children, and how many of these are deeper than MAX_DEPTH.

    `Node.parent` looks for them from the root at every call, which takes as long as the tree is deep and wide. Here
    the way down from the root to the node asked for last is kept, which nodes in order share for the most part.
    """

    def __init__(self, tree: Tree) -> None:
        self._parents: dict[int, Node] = {}
        self._nearest: dict[Set[str], dict[int, Node | None]] = defaultdict(dict)
        self.too_deep = 0
        self._root, self._cursor = tree.root_node, tree.walk()
        self._way = [self._root]  # to where the cursor is; empty once all parents are known
        if self._may_be_deep():
            self._find_all()

    def of(self, node: Node) -> Node | None:
        """The parent of a node, None for the root and for a node without children."""
        found = self._parents.get(node.id)
        if found is None and self._way and node.child_count and node.id != self._root.id:
            return self._find(node)
        return found

    def _find(self, node: Node) -> Node | None:
        start, end = node.start_byte, node.end_byte
        while len(self._way) > 1 and not (self._way[-1].start_byte <= start and end <= self._way[-1].end_byte):
            self._way.pop()
            self._cursor.goto_parent()
        while self._cursor.goto_first_child_for_byte(start) is not None and (child := self._cursor.node) is not None:
            self._parents[child.id] = around = self._way[-1]
            self._way.append(child)
            if child.id == node.id:
                return around
        self._find_all()  # it is empty
        return self._parents.get(node.id)

    def _may_be_deep(self) -> bool:
        """Whether a node may be deeper than MAX_DEPTH: between two nodes in order are no more levels than nodes."""
        step, cursor = MAX_DEPTH // 2, self._root.walk()
        for at in range(0, self._root.descendant_count, step):
            cursor.goto_descendant(at)
            if cursor.depth > MAX_DEPTH - step:
                return True
        return False

    def _find_all(self) -> None:
        self._way, around = [], list[Node]()
        cursor = self._root.walk()
        while True:
            node = cursor.node
            if cursor.goto_first_child() and node is not None:
                if len(around) > MAX_DEPTH:
                    self.too_deep += 1
                elif around:
                    self._parents[node.id] = around[-1]
                around.append(node)
                continue
            while not cursor.goto_next_sibling():
                if not cursor.goto_parent():
                    return
                around.pop()

    def nearest(self, node: Node, kinds: Set[str]) -> Node | None:
        """The nearest node of these kinds around a node with children. To ask for all nodes takes one pass."""
        known, passed = self._nearest[kinds], list[int]()
        found: Node | None = node
        while found is not None:
            if found.id in known:
                found = known[found.id]
                break
            passed.append(found.id)
            found = self.of(found)
            if found is not None and found.type in kinds:
                break
        known.update(dict.fromkeys(passed, found))
        return found


def text_of(node: Node | None) -> str:
    """The source text of a node, "" for none."""
    text = None if node is None else node.text
    return "" if text is None else text.decode("utf-8", "replace")


def dotted(node: Node | None, depth: int = 0) -> str:
    """A name or chain of members with dots between its parts, "" for any other expression."""
    if node is None or depth > MAX_CHAIN:
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
    kind = node.type
    known = _MEMBERS_OF.get(kind)
    if known is None and kind in _MEMBERS_OF:
        return None
    for whole, part in (known,) if known is not None else _MEMBERS:
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
    for _ in range(MAX_CHAIN):
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


def imported_module(node: Node | None) -> str:
    """The module of `import("y")`, `await import("y")` or `require("y")` of JavaScript, "" for any other expression."""
    while node is not None and node.type in {"await_expression", "parenthesized_expression"}:
        node = next(iter(node.named_children), None)
    function = node.child_by_field_name("function") if node is not None and node.type == "call_expression" else None
    if node is None or function is None or not (function.type == "import" or text_of(function) == "require"):
        return ""
    arguments = node.child_by_field_name("arguments")
    first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
    return text_of(first).strip("'\"") if first is not None and first.type == "string" else ""


def imported_name(node: Node) -> str:
    """The name that stands for what `import("y")` or `require("y")` gives where it is used at once."""
    return f"import@{node.end_byte}"


def _receiver(node: Node) -> str:
    if imported_module(node):
        while node.type in {"await_expression", "parenthesized_expression"}:
            node = node.named_children[0]
        return imported_name(node)
    if node.type in _CALLS:
        return "super" if dotted(node.child_by_field_name("function")) == "super" else OBJECT
    return dotted(node) or OBJECT


def children(node: Node, *types: str) -> Iterator[Node]:
    """The children of a node that have one of the types."""
    return (child for child in node.named_children if child.type in types)


def bases(relation: Relation, nodes: Iterable[Node]) -> Iterator[Base]:
    """The types that the nodes name, as bases."""
    return (Base(relation, node) for node in nodes)


def decorated(nodes: Iterable[Node], parents: Parents) -> Iterator[tuple[Node, int]]:
    """The decorators and annotations, each with the id of the node that it belongs to."""
    followed: dict[int, int] = {}
    for node in nodes:
        parent = parents.of(node)
        if parent is None:
            continue
        if parent.type == "modifiers":
            parent = parents.of(parent) or parent
        elif parent.type == "class_body":
            if node.id not in followed:
                followed |= _followed(parent)
            yield node, followed[node.id]
            continue
        else:
            parent = parent.child_by_field_name("definition") or parent.child_by_field_name("declaration") or parent
        yield node, parent.id


def _followed(body: Node) -> Iterator[tuple[int, int]]:
    """The ids of the decorators in the body of a class of TypeScript, each with that of the member behind it."""
    following = 0
    for node in reversed(body.named_children):
        if node.type == "decorator":
            yield node.id, following
        elif node.type != "comment":
            following = node.id
