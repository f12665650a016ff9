"""The definitions of a source file, each with its path and parent, and which one a place is in."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple, TypeAlias, get_args

from tree_sitter import Node, Tree

from mcp_graphrag.source_code.go_syntax import receiver_type
from mcp_graphrag.source_code.java_syntax import name_of_anonymous
from mcp_graphrag.source_code.javascript_syntax import (
    default_export,
    is_of_object,
    name_of_object,
)
from mcp_graphrag.source_code.languages import Language
from mcp_graphrag.source_code.nodes import (
    Named,
    Parents,
    members,
    text_of,
    type_name,
)
from mcp_graphrag.source_code.script_values import (
    has_functions,
    is_function,
    named_values,
    object_of,
    value_name,
)
from mcp_graphrag.source_code.source_file import (
    MODULE,
    OBJECT,
    TYPES,
    Definition,
    Kind,
)

MAX_NESTED = 50  # definitions around one that is found
MAX_PATH = 1_000  # characters of the path of one
# Nodes around a definition that belong to it.
_AROUND = frozenset({"decorated_definition", "export_statement", "lexical_declaration", "variable_declaration"})
_LINE_END = re.compile(rb"[^\S\n]*+(?:\n|\Z)")
_SIGNATURES = frozenset({"method_signature", "abstract_method_signature"})
Captures: TypeAlias = Mapping[str, Sequence[Node]]
Scoped: TypeAlias = Callable[[str], Iterator[tuple[Node, int]]]


class Scope(NamedTuple):
    """A node whose names have `path` in front; `definition` is the index of its own, else of the one around it.

    `type` is the type that a block without a definition of its own belongs to, as written.
    """

    end: int
    path: str
    definition: int
    is_type: bool
    type: str = ""
    depth: int = 0


class FoundDefinitions:
    """A file while its definitions are found; all offsets are in bytes."""

    def __init__(self, source: bytes, tree: Tree, captures: Captures, language: Language) -> None:
        self._source, self._language = source, language
        self._parents = Parents(tree)
        # The order of captures is that of memory addresses.
        self._captures = {name: in_order(nodes) for name, nodes in captures.items() if name != "references"}
        self._used: Sequence[Node] = captures.get("references", ())
        self._definitions: list[Definition] = []
        self._nodes: list[Node] = []
        self._leading = self._leading_lines()
        self._by_node: dict[int, int] = {}
        self._impls: list[tuple[Node, str, Named | None]] = []
        self._owners: dict[int, str] = {}
        self._objects: dict[int, int] = {}
        self._values: dict[str, str] = {}
        self._too_deep = self._parents.too_deep

    def _define(self) -> None:
        """Find the definitions, each with its path and parent."""
        kinds: tuple[Kind | None, ...] = (None, *get_args(Kind))
        nodes = [(node, kind) for kind in kinds for node in self._captures.get(kind or "scope", ())]
        nodes.sort(key=lambda each: (each[0].start_byte, -each[0].end_byte))
        open_scopes: list[Scope] = []
        for node, captured in nodes:
            while open_scopes and open_scopes[-1].end <= node.start_byte:
                open_scopes.pop()
            around = open_scopes[-1] if open_scopes else Scope(0, "", MODULE, is_type=False)
            if captured is None:
                open_scopes.append(self._block(node, around))
                continue
            name = self._name_node(node)
            if name is not None and name.type == "nested_identifier":  # namespace A.B
                name, around = self._outer_namespaces(node, name, around)
            named = text_of(name) or default_export(node, self._parents)
            if not named or not self._defines(node, captured, around):
                continue
            if around.depth >= MAX_NESTED or len(around.path) + len(named) > MAX_PATH:
                self._too_deep += 1
                continue
            owner = receiver_type(node) if node.type == "method_declaration" and self._language.name == "go" else ""
            owner, named = self._owner_and_name(named) if not owner else (owner, named)
            kind = "method" if captured == "function" and (around.is_type or owner) else captured
            is_named = captured == "method" and around.definition not in self._objects
            if is_named and self._language.family == "script" and is_of_object(node, self._parents):
                owner = name_of_object(node, self._parents)
            path = joined(joined(around.path, owner), named)
            index = self._add(node, name or node, path, kind, around.definition)
            if (owner or around.type) and (
                self._language.name in {"go", "rust"} or (self._language.plain and kind == "method")
            ):
                self._owners[index] = owner or around.type
            self._by_node[node.id] = index
            self._note_object(object_of(node) if captured == "object" else None, index, path)
            end = self._definitions[index].end
            open_scopes.append(Scope(end, path, index, kind in TYPES, depth=around.depth + 1))
        self._join_types()

    def _name_node(self, node: Node) -> Node | None:
        return node.child_by_field_name("name") or value_name(node)

    def _owner_and_name(self, named: str) -> tuple[str, str]:
        """The type that a name says it belongs to, "" if none, and the name without it."""
        return "", named

    def _add(self, node: Node, name: Node, path: str, kind: Kind, parent: int) -> int:
        """The index of a definition that is added."""
        start, line = self._first_line(node), node.start_point[0] + 1
        self._nodes.append(node)
        self._definitions.append(
            Definition(path, kind, start, node.start_byte, node.end_byte, name.start_byte, line, parent)
        )
        return len(self._definitions) - 1

    def _defines(self, node: Node, captured: Kind, around: Scope) -> bool:
        """Whether a captured node defines something: not each signature, and in scripts not each object and call."""
        if node.type in _SIGNATURES and not around.is_type:
            return False
        if self._language.family != "script":
            return True
        literal, holder = self._objects.get(around.definition), self._parents.of(node)
        is_inside = literal is not None and holder is not None and holder.id == literal
        at_top = around.definition == MODULE
        if captured == "object":
            value = object_of(node)
            is_there = is_inside if node.type == "pair" else at_top
            return is_there and value is not None and has_functions(value, self._is_callable)
        if captured == "method":  # of an object in an object that is no definition, nothing is known
            return is_inside if node.type == "pair" or literal is not None else True
        return is_function(node, at_top=at_top)

    def _note_object(self, literal: Node | None, index: int, path: str) -> None:
        if literal is not None:
            self._objects[index] = literal.id
            self._values |= {f"{path}.{key}": value for key, value in named_values(literal)}

    def _is_callable(self, name: str) -> bool:
        """Whether the file defines a function of a name, or imports it."""
        return name in self._callables

    @cached_property
    def _callables(self) -> Set[str]:
        functions = (node.child_by_field_name("name") for node in self._captures.get("function", ()))
        return {*map(text_of, functions), *self._imported} - {""}

    @cached_property
    def _imported(self) -> Set[str]:
        """The names that imports bind, with "" where one binds none."""
        return {name.local for node in self._captures.get("import", ()) for name in self._language.imports(node)}

    def _outer_namespaces(self, node: Node, name: Node, around: Scope) -> tuple[Node, Scope]:
        """Define the namespaces that `namespace A.B` of TypeScript has around its own; that and its name."""
        parts = [name]
        while (
            len(parts) <= MAX_NESTED
            and parts[0].type in {"nested_identifier", "member_expression"}
            and (split := members(parts[0])) is not None
        ):
            parts[:1] = split
        for part in parts[:-1]:
            path = joined(around.path, text_of(part))
            index = self._add(node, part, path, "module", around.definition)
            around = Scope(node.end_byte, path, index, is_type=False, depth=around.depth + 1)
        return parts[-1], around

    def _block(self, node: Node, around: Scope) -> Scope:
        """The scope of a block of methods: an implementation of Rust, or the body of an object of Java."""
        if node.type != "impl_item":
            if around.depth >= MAX_NESTED:
                return around._replace(end=node.end_byte)
            path = joined(around.path, name_of_anonymous(node, self._parents))
            return Scope(node.end_byte, path, around.definition, is_type=False, depth=around.depth + 1)
        named = type_name(node.child_by_field_name("type"))
        path = joined(around.path, named.name) if named else around.path
        self._impls.append((node, path, named))
        is_known = named is not None and named.receiver != OBJECT and named.name not in type_parameters(node)
        type_ = joined(named.receiver, named.name) if named is not None and is_known else ""
        return Scope(node.end_byte, path, around.definition, is_type=True, type=type_, depth=around.depth + 1)

    def _join_types(self) -> None:
        """Give methods that stand outside of their type, as in Go and Rust, that type as parent."""
        types = {each.path: index for index, each in enumerate(self._definitions) if each.kind in TYPES}
        for index, type_ in list(self._owners.items()):
            each = self._definitions[index]
            owner = types.get(each.path.rpartition(".")[0]) if "." not in type_ else None
            if owner is not None:
                self._definitions[index] = each._replace(parent=owner)
                del self._owners[index]

    def _leading_lines(self) -> dict[int, tuple[int, int]]:
        """By their last line, the comments, attributes and decorators that begin a line: (first line, offset)."""
        lines: dict[int, tuple[int, int]] = {}
        for kind in ("comment", "decorator", "attribute"):
            for node in self._captures.get(kind, ()):
                if self._begins_line(node) and self._ends_line(node):
                    end_line, column = node.end_point
                    lines[end_line - (column == 0)] = (node.start_point[0], node.start_byte)
        return lines

    def _begins_line(self, node: Node) -> bool:
        start = node.start_byte
        return not self._source[start - node.start_point[1] : start].strip()

    def _ends_line(self, node: Node) -> bool:
        return node.end_point[1] == 0 or _LINE_END.match(self._source, node.end_byte) is not None

    def _first_line(self, node: Node) -> int:
        """Where a definition begins with its decorators; the first of a line also with the comment right above it."""
        outer = node
        while (parent := self._parents.of(outer)) is not None and (
            parent.type in _AROUND or (parent.type == "type_declaration" and parent.named_child_count == 1)
        ):
            outer = parent
        line, start = outer.start_point[0], outer.start_byte
        while (above := self._leading.pop(line - 1, None)) is not None:
            line, start = above
        return start

    def _scopes(self) -> Scoped:
        """A function from the name of a capture to its nodes in order, each with the definition that it stands in."""
        spans = [(each.body, each.end) for each in self._definitions]

        def scoped(capture: str) -> Iterator[tuple[Node, int]]:
            open_indexes: list[int] = []
            at = 0
            for node in self._captures.get(capture, ()):
                position = node.start_byte
                while at < len(spans) and spans[at][0] <= position:
                    open_indexes.append(at)
                    at += 1
                while open_indexes and spans[open_indexes[-1]][1] <= position:
                    open_indexes.pop()
                yield node, open_indexes[-1] if open_indexes else MODULE

        return scoped


def in_order(nodes: Iterable[Node]) -> list[Node]:
    """The nodes by their start, those around others first."""
    return sorted(sorted(nodes, key=attrgetter("end_byte"), reverse=True), key=attrgetter("start_byte"))


def type_parameters(node: Node) -> set[str]:
    """The words of the type parameters of a node."""
    parameters = node.child_by_field_name("type_parameters")
    return set(re.findall(r"\w+", text_of(parameters))) if parameters is not None else set()


def joined(path: str, name: str) -> str:
    """A path with one more name, either of which may be empty."""
    return f"{path}.{name}" if path and name else path or name
