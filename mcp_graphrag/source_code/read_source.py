"""The text of a source file to a `SourceFile`."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple, TypeAlias, TypeVar, get_args

from tree_sitter import Node, Parser, QueryCursor, Tree

from mcp_graphrag.source_code.go_syntax import receiver_type
from mcp_graphrag.source_code.java_syntax import is_in_anonymous_class, name_of_anonymous
from mcp_graphrag.source_code.javascript_syntax import (
    BLOCKS,
    DEFAULT,
    ELEMENTS,
    WHOLE,
    default_export,
    exported_names,
    is_of_class,
    is_of_object,
    name_of_object,
)
from mcp_graphrag.source_code.languages import Language, grammar_and_query
from mcp_graphrag.source_code.nodes import (
    MAX_DEPTH,
    Base,
    Named,
    Parents,
    TypedNode,
    callee,
    children,
    decorated,
    members,
    text_of,
    type_name,
)
from mcp_graphrag.source_code.patterns import Matched, blanked, dotted_name, matched
from mcp_graphrag.source_code.rust_syntax import seen_from_file
from mcp_graphrag.source_code.script_values import (
    has_functions,
    is_function,
    named_values,
    object_of,
    value_name,
    wrapped_components,
)
from mcp_graphrag.source_code.source_file import (
    MODULE,
    OBJECT,
    TYPES,
    USES,
    Definition,
    Import,
    Kind,
    Reference,
    Relation,
    SourceFile,
    SqlString,
    Typed,
)
from mcp_graphrag.source_code.strings import sql_string

MAX_NESTED = 50  # definitions around one that is found
MAX_PATH = 1_000  # characters of the path of one
_KEPT_FILES = 20_000  # what a job has read to find chunks, it resolves when all is read
# Nodes around a definition that belong to it.
_AROUND = frozenset({"decorated_definition", "export_statement", "lexical_declaration", "variable_declaration"})
_WORD = re.compile(rb"[\w\x80-\xff]+")
_ENVIRONMENT = re.compile(r"""["'`]?([A-Za-z_]\w{0,99})["'`]?""")
_LINE_END = re.compile(rb"[^\S\n]*+(?:\n|\Z)")
Captures: TypeAlias = Mapping[str, Sequence[Node]]
Scoped: TypeAlias = Callable[[str], Iterator[tuple[Node, int]]]


class _Scope(NamedTuple):
    """A node whose names have `path` in front; `definition` is the index of its own, else of the one around it.

    `type` is the type that a block without a definition of its own belongs to, as written.
    """

    end: int
    path: str
    definition: int
    is_type: bool
    type: str = ""
    depth: int = 0


@lru_cache(maxsize=_KEPT_FILES)
def read_source(text: str, language: Language) -> SourceFile:
    """As `parse_source`, kept until `forget_sources`."""
    return parse_source(text, language)


def parse_source(text: str, language: Language) -> SourceFile:
    """The definitions, references, imports and prose of a source text. What has syntax errors is read around them.

    It takes time and memory in proportion to the text: parts of more than MAX_DEPTH levels of syntax, definitions in
    more than MAX_NESTED others and those with a path of more than MAX_PATH characters are counted, and not among what
    is found.
    """
    grammar, query = grammar_and_query(language.media_type)
    source = text.encode("utf-8", "replace")
    if language.plain is not None and language.plain.blank:
        source = blanked(source, language.plain.blank)
    tree = Parser(grammar).parse(source)
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(MAX_DEPTH)  # from 65,536 levels on it takes quadratic time
    if language.plain is not None:
        found = matched(cursor.matches(tree.root_node), len(source))
        return _PlainReading(source, tree, found, language).read()
    return _Reading(source, tree, cursor.captures(tree.root_node), language).read()


def forget_sources() -> None:
    """Release the files that `read_source` keeps, which take three times the memory of their texts."""
    read_source.cache_clear()


class _Reading:
    """A file while it is read; all offsets are in bytes until the end."""

    def __init__(self, source: bytes, tree: Tree, captures: Captures, language: Language) -> None:
        self._source, self._language = source, language
        self._parents = Parents(tree)
        # The order of captures is that of memory addresses.
        self._captures = {name: _in_order(nodes) for name, nodes in captures.items() if name != "references"}
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

    def read(self) -> SourceFile:
        self._define()
        scopes = self._scopes()
        self._bound_names = self._bindings(scopes)
        self._unclear = self._in_several_blocks() if self._language.family == "script" else frozenset[int]()
        references = [*self._calls(scopes), *self._wrapped(), *self._bases(), *self._decorators(), *self._uses(scopes)]
        references += self._asserted()
        imports = [each for node, scope in scopes("import") for each in self._imports(node, scope)]
        references.sort(key=attrgetter("start"))
        found = SourceFile(
            self._language.name,
            next((_package(node) for node in self._captures.get("package", ())), ""),
            self._definitions,
            references,
            imports,
            self._bound(),
            self._fields(scopes),
            self._exports(),
            self._owners,
            *self._types(scopes),
            self._modifiers(),
            self._unclear,
            self._prose(),
            self._too_deep,
            self._hidden(),
            list(self._strings(scopes)),
        )
        return found if self._source.isascii() else _in_characters(found, self._source)

    def _define(self) -> None:
        """Find the definitions, each with its path and parent."""
        kinds: tuple[Kind | None, ...] = (None, *get_args(Kind))
        nodes = [(node, kind) for kind in kinds for node in self._captures.get(kind or "scope", ())]
        nodes.sort(key=lambda each: (each[0].start_byte, -each[0].end_byte))
        open_scopes: list[_Scope] = []
        for node, captured in nodes:
            while open_scopes and open_scopes[-1].end <= node.start_byte:
                open_scopes.pop()
            around = open_scopes[-1] if open_scopes else _Scope(0, "", MODULE, is_type=False)
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
            path = _joined(_joined(around.path, owner), named)
            index = self._add(node, name or node, path, kind, around.definition)
            if (owner or around.type) and (
                self._language.name in {"go", "rust"} or (self._language.plain and kind == "method")
            ):
                self._owners[index] = owner or around.type
            self._by_node[node.id] = index
            self._note_object(object_of(node) if captured == "object" else None, index, path)
            end = self._definitions[index].end
            open_scopes.append(_Scope(end, path, index, kind in TYPES, depth=around.depth + 1))
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

    def _defines(self, node: Node, captured: Kind, around: _Scope) -> bool:
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

    def _in_several_blocks(self) -> Set[int]:
        """The definitions whose name another block of the same function or file defines or binds too."""
        named = defaultdict[tuple[int, str], list[int]](list)
        for index, each in enumerate(self._definitions):
            if each.kind != "method":
                named[each.parent, each.name].append(index)
        blocks = {
            index: self._parents.nearest(self._nodes[index], BLOCKS)
            for found in named.values()
            for index in (found if len(found) > 1 else ())
        }
        bound = {(scope, name) for name, scope, _ in self._bound_names}
        several = (
            found for key, found in named.items() if key in bound or len({blocks.get(index) for index in found}) > 1
        )
        return {index for found in several for index in found}

    def _modifiers(self) -> Mapping[int, Set[str]]:
        """The words in front of methods of scripts that say how they are used."""
        if self._language.family != "script":
            return {}
        found = {
            index: {child.type for child in node.children if child.type in {"static", "get", "set"}}
            for index, node in enumerate(self._nodes)
            if self._definitions[index].kind == "method"
        }
        return {index: words for index, words in found.items() if words}

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

    def _wrapped(self) -> Iterator[Reference]:
        """The components that wrapped functions are made of, which they show."""
        for node in self._captures.get("function", ()) if self._language.family == "script" else ():
            index = self._by_node.get(node.id)
            for name in wrapped_components(node) if index is not None else ():
                yield _reference("calls", Named("", text_of(name), name), index or 0)

    def _outer_namespaces(self, node: Node, name: Node, around: _Scope) -> tuple[Node, _Scope]:
        """Define the namespaces that `namespace A.B` of TypeScript has around its own; that and its name."""
        parts = [name]
        while (
            len(parts) <= MAX_NESTED
            and parts[0].type in {"nested_identifier", "member_expression"}
            and (split := members(parts[0])) is not None
        ):
            parts[:1] = split
        for part in parts[:-1]:
            path = _joined(around.path, text_of(part))
            index = self._add(node, part, path, "module", around.definition)
            around = _Scope(node.end_byte, path, index, is_type=False, depth=around.depth + 1)
        return parts[-1], around

    def _block(self, node: Node, around: _Scope) -> _Scope:
        """The scope of a block of methods: an implementation of Rust, or the body of an object of Java."""
        if node.type != "impl_item":
            if around.depth >= MAX_NESTED:
                return around._replace(end=node.end_byte)
            path = _joined(around.path, name_of_anonymous(node, self._parents))
            return _Scope(node.end_byte, path, around.definition, is_type=False, depth=around.depth + 1)
        named = type_name(node.child_by_field_name("type"))
        path = _joined(around.path, named.name) if named else around.path
        self._impls.append((node, path, named))
        is_known = named is not None and named.receiver != OBJECT and named.name not in _type_parameters(node)
        type_ = _joined(named.receiver, named.name) if named is not None and is_known else ""
        return _Scope(node.end_byte, path, around.definition, is_type=True, type=type_, depth=around.depth + 1)

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

    def _calls(self, scopes: Scoped) -> Iterator[Reference]:
        fields = self._language.callee_field
        for node, scope in scopes("call"):
            kind = node.type
            target = node.child_by_field_name(fields[kind])
            if kind == _OWN_CALL:
                named = callee(node) if node.child_by_field_name("object") is not None else callee(target)
            else:
                named = type_name(target) if kind == "object_creation_expression" else callee(target)
            if named is not None and named.name not in {"require", "import"}:
                receiver, name, place = self._with_chain(target, named)
                if kind in ELEMENTS and not receiver and name[0].islower():
                    continue
                is_of_this = receiver == "this" or receiver.startswith("this.") or (kind == _OWN_CALL and not receiver)
                is_of_outer = kind == _OWN_CALL and any(child.type == "super" for child in node.children[1:])
                if is_of_outer or (is_of_this and not self._is_this_of_class(node)):
                    receiver = OBJECT
                yield Reference("calls", name, receiver, place.start_byte, place.end_byte, scope)

    def _with_chain(self, node: Node | None, named: Named) -> Named:
        """A name with the value that its member is of, where that is an expression whose type may be followed."""
        if named.receiver != OBJECT or self._language.chain is None or node is None:
            return named
        parts = members(node)
        return named._replace(receiver=self._language.chain(parts[0]) or OBJECT) if parts is not None else named

    def _uses(self, scopes: Scoped) -> Iterator[Reference]:
        """Exceptions raised and caught, and names used without a call that may be of definitions."""
        known = {each.name for each in self._definitions} | {"self", "cls"} | self._imported
        words = {name.encode() for name in known}
        is_go = self._language.name == "go"  # of which another file of the package may define what begins in upper case
        self._captures["references"] = _in_order(
            node for node in self._used if (word := self._first_word(node)) in words or (is_go and word[:1].isupper())
        )
        for relation in USES:
            for node, scope in scopes(relation):
                named = callee(node.child_by_field_name(self._language.callee_field.get(node.type, "")) or node)
                if named is not None and named.receiver != OBJECT:
                    yield _reference(relation, named, scope)

    def _first_word(self, node: Node) -> bytes:
        found = _WORD.match(self._source, node.start_byte)
        return found[0] if found else b""

    def _is_this_of_class(self, node: Node) -> bool:
        if self._language.name == "java":
            return not is_in_anonymous_class(node, self._parents)
        return is_of_class(node, self._parents, self._objects.values())

    def _imports(self, node: Node, scope: int) -> Iterator[Import]:
        for name in self._language.imports(node):
            module = self._module(name.module, scope)
            yield Import(module, name.member, name.local, node.start_byte, node.end_byte, scope)

    def _hidden(self) -> Set[int]:
        return frozenset()

    def _module(self, module: str, scope: int) -> str:
        """The module that an import in a scope names, as seen from the file."""
        depth = 0
        while scope != MODULE:
            depth += self._definitions[scope].kind == "module"
            scope = self._definitions[scope].parent
        return seen_from_file(module, depth) if self._language.name == "rust" else module

    def _exports(self) -> dict[str, str]:
        if self._language.family != "script":
            return {}
        found = [exported_names(node) for node in self._captures.get("import", ())]
        found += [{DEFAULT: text_of(node)} for node in self._captures.get("default", ())]
        found += [{WHOLE: text_of(node)} for node in self._captures.get("whole", ())]
        return {alias: name for each in found for alias, name in each.items()} | self._values

    def _bases(self) -> Iterator[Reference]:
        """What types extend and implement; of a type of another file, what a block at the top of this file says."""
        for kind in TYPES:
            for node in self._captures.get(kind, ()):
                index = self._by_node.get(node.id)
                if index is not None:
                    yield from _supertypes(self._language.bases(node, self._parents), index)
        by_path = {each.path: index for index, each in enumerate(self._definitions) if each.kind in TYPES}
        for node, path, named in self._impls:
            receiver, name, _ = named or (OBJECT, "", node)
            if receiver == OBJECT or name in _type_parameters(node):
                continue
            if path in by_path and not receiver:
                yield from _supertypes(self._language.bases(node, self._parents), by_path[path])
            elif (outer := self._parents.of(node)) is not None and self._parents.of(outer) is None:
                for trait in _supertypes(self._language.bases(node, self._parents), MODULE):
                    yield trait._replace(subject=f"{receiver}.{name}" if receiver else name)

    def _asserted(self) -> Iterator[Reference]:
        """The interfaces that a file of Go says its types implement."""
        for node, of in zip(*(self._captures.get(each, ()) for each in ("implementer", "interface_of")), strict=True):
            if (base := type_name(of)) is not None:
                yield _reference("implements", base, MODULE)._replace(subject=text_of(node))

    def _decorators(self) -> Iterator[Reference]:
        for node, definition in decorated(self._captures.get("decorator", ()), self._parents):
            index = self._by_node.get(definition)
            if index is None:
                continue
            named_node = node.child_by_field_name("name") or next(iter(node.named_children), None)
            if named_node is not None and named_node.type in {"call", "call_expression"}:
                named_node = named_node.child_by_field_name("function")
            named = callee(named_node)
            if named is not None:
                yield _reference("decorated_by", named, index)

    def _bound(self) -> Mapping[int, Set[str]]:
        bound: dict[int, set[str]] = defaultdict(set)
        for name, scope, _ in self._bound_names:
            bound[scope].add(name)
        for each in (self._definitions[index] for index in self._unclear):
            bound[each.parent].add(each.name)
        return bound

    def _bindings(self, scopes: Scoped) -> list[tuple[str, int, Node]]:
        """The names that parameters and assignments bind, with the definition that they stand in."""
        names = {each.name_start for each in self._definitions}
        names |= {node.start_byte for node in self._captures.get("receiver", ())}
        return [(self._text(node), scope, node) for node, scope in scopes("binding") if node.start_byte not in names]

    def _text(self, node: Node) -> str:
        """As `text_of`, in half the time."""
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def _types(self, scopes: Scoped) -> tuple[Mapping[tuple[int, str], Sequence[Typed]], Mapping[int, Sequence[Typed]]]:
        """What is said of the types of names and fields, and of what functions return.

        A declared type decides; else a name that is also bound to what says nothing is of an unknown type.
        """
        names, returns = defaultdict[tuple[int, str], list[_Said]](list), defaultdict[int, list[_Said]](list)
        seen: set[int] = set()
        read_types = self._language.types
        for node, scope in scopes("typed"):
            for each in read_types(node) if read_types is not None else ():
                named = self._typed_name(each.node, scope, is_field=each.is_field)
                if each.node is None:
                    if self._language.family != "script" or self._by_node.get(node.id, MODULE) == scope:
                        (names[scope, each.key] if each.key else returns[scope]).append((each, scope))
                elif named is not None:
                    names[named].append((each, scope))
                    seen.add(each.node.start_byte)
        times = Counter[tuple[int, str]]()
        for name, scope, node in self._bound_names:
            key = scope, name
            times[key] += 1
            if node.start_byte not in seen and key in names:
                names[key].append((TypedNode(node), scope))
        if self._language.family == "script":  # in which parameters of functions in functions may share a scope here
            for key in (key for key in names if times[key] > 1):
                names[key] = [(each._replace(declared=False), scope) for each, scope in names[key]]
        return _decided(names), _decided(returns)

    def _typed_name(self, node: Node | None, scope: int, *, is_field: bool) -> tuple[int, str] | None:
        """The definition that a node binds a name in, and the name; None for what is neither a name nor a field."""
        if node is None or (node.type in _BOUND and not is_field):
            return scope, self._text(node) if node is not None else ""
        parts = members(node)
        if node.type not in _FIELD and not is_field and (parts is None or text_of(parts[0]) not in {"self", "this"}):
            return None
        while scope != MODULE and self._definitions[scope].kind not in TYPES:
            scope = self._definitions[scope].parent
        return (scope, text_of(parts[1] if parts is not None else node)) if scope != MODULE else None

    def _fields(self, scopes: Scoped) -> Mapping[int, Set[str]]:
        fields: dict[int, set[str]] = defaultdict(set)
        for node, scope in scopes("field"):
            if scope != MODULE and self._definitions[scope].kind in TYPES:
                fields[scope].add(text_of(node))
        return fields

    def _strings(self, scopes: Scoped) -> Iterator[SqlString]:
        said = {node.start_byte for node in self._captures.get("docstring", ())}
        for node, scope in scopes("string"):
            found = sql_string(node, self._parents, self._source, scope) if node.start_byte not in said else None
            if found is not None:
                yield found
        written = {node.start_byte for node in self._captures.get("written", ())}
        for node, scope in scopes("environment"):
            name = _ENVIRONMENT.fullmatch(self._text(node))
            if name is not None and node.start_byte not in written:
                yield SqlString("environment", name[1], node.start_byte, node.end_byte, scope)

    def _prose(self) -> list[tuple[int, int]]:
        """Documentation strings, and comments that begin a line, those of adjoining lines as one."""
        spans = [(node.start_byte, node.end_byte) for node in self._captures.get("docstring", ())]
        last_line = -2
        for node in filter(self._begins_line, self._captures.get("comment", ())):
            if node.start_point[0] == last_line + 1:
                spans[-1] = spans[-1][0], node.end_byte
            else:
                spans.append((node.start_byte, node.end_byte))
            last_line = node.end_point[0] - (node.end_point[1] == 0)
        return sorted(spans)


_Said: TypeAlias = tuple[TypedNode, int]  # with the definition that it is said in
_Key = TypeVar("_Key")


def _decided(said: Mapping[_Key, Sequence[_Said]]) -> dict[_Key, Sequence[Typed]]:
    """What decides the type of each key, nothing for one whose type is not known."""
    found: dict[_Key, Sequence[Typed]] = {}
    for key, given in said.items():
        known = [each for each in given if each[0].declared] or [each for each in given if each[0].value is not None]
        if known:  # None alone leaves it to a base class
            is_known = all(each.type or each.value for each, _ in known)
            typed = (Typed(scope, each.type, each.value or "") for each, scope in known)
            found[key] = tuple(dict.fromkeys(typed)) if is_known else ()
    return found


class _PlainReading(_Reading):
    """A file of a plain language: what a definition is called, imports and calls is what the patterns say."""

    def __init__(self, source: bytes, tree: Tree, found: Matched, language: Language) -> None:
        modules = [each for capture in ("module", "namespace", "nested") for each in found.captures.get(capture, ())]
        super().__init__(source, tree, {**found.captures, "module": modules}, language)
        self._matched = found

    def _name_node(self, node: Node) -> Node | None:
        return self._matched.names.get(node.id)

    def _owner_and_name(self, named: str) -> tuple[str, str]:
        owner, _, name = dotted_name(named).rpartition(".")
        return owner, name

    def _add(self, node: Node, name: Node, path: str, kind: Kind, parent: int) -> int:
        index = super()._add(node, name, path, kind, parent)
        own = text_of(name).rstrip("`").rpartition(path.rpartition(".")[2])
        self._definitions[index] = self._definitions[index]._replace(
            end=self._matched.ends.get(node.id, node.end_byte),
            name_start=name.start_byte + len(own[0].encode()),
            line=name.start_point[0] + 1,
        )
        return index

    def _block(self, node: Node, around: _Scope) -> _Scope:
        """The scope of a block of methods of a type that is defined elsewhere, such as an extension."""
        named = self._name_node(node)
        type_ = dotted_name(text_of(named))
        if named is None or around.depth >= MAX_NESTED or len(around.path) + len(type_) > MAX_PATH:
            return around._replace(end=node.end_byte)
        path = _joined(around.path, type_)
        return _Scope(node.end_byte, path, around.definition, is_type=True, type=type_, depth=around.depth + 1)

    def _calls(self, scopes: Scoped) -> Iterator[Reference]:
        places = {node.id: scope for node, scope in scopes("callee")}
        return (_reference("calls", named, places[named.node.id]) for named in self._matched.calls)

    def _imports(self, node: Node, scope: int) -> Iterator[Import]:
        for (module, member, local), is_path in self._matched.imports[node.id]:
            yield Import(module, member, local, node.start_byte, node.end_byte, scope, is_path)

    def _bases(self) -> Iterator[Reference]:
        for id_, found in self._matched.bases.items():
            if id_ in self._by_node:
                yield from (_reference(relation, named, self._by_node[id_]) for relation, named in found)

    def _hidden(self) -> Set[int]:
        """The definitions that are hidden, or in a part that is."""
        nodes = self._captures.get("hidden", ())
        starts, ends = [node.start_byte for node in nodes], list(accumulate((node.end_byte for node in nodes), max))
        places = [(index, each.body, bisect_right(starts, each.body)) for index, each in enumerate(self._definitions)]
        return {index for index, start, before in places if before and start < ends[before - 1]}


def _in_order(nodes: Iterable[Node]) -> list[Node]:
    """The nodes by their start, those around others first."""
    return sorted(sorted(nodes, key=attrgetter("end_byte"), reverse=True), key=attrgetter("start_byte"))


def _type_parameters(node: Node) -> set[str]:
    parameters = node.child_by_field_name("type_parameters")
    return set(re.findall(r"\w+", text_of(parameters))) if parameters is not None else set()


_OWN_CALL = "method_invocation"  # of Java, which may be of the object that the call is in
_BOUND = frozenset({"identifier", "type_identifier", "shorthand_property_identifier_pattern"})
_FIELD = frozenset({"property_identifier", "private_property_identifier"})
_SIGNATURES = frozenset({"method_signature", "abstract_method_signature"})


def _package(node: Node) -> str:
    return next(
        (text_of(child) for child in children(node, "scoped_identifier", "identifier", "package_identifier")), ""
    )


def _reference(relation: Relation, named: Named, scope: int) -> Reference:
    receiver, name, node = named
    return Reference(relation, name, receiver, node.start_byte, node.end_byte, scope)


def _supertypes(found: Iterable[Base], index: int) -> Iterator[Reference]:
    for base in found:
        named = type_name(base.node)
        if named is not None and named[0] != OBJECT:
            yield _reference(base.relation, named, index)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path and name else path or name


def _in_characters(found: SourceFile, source: bytes) -> SourceFile:
    """What was found, with offsets in characters instead of bytes."""
    # The bytes that begin no character.
    continued = [found.start() for found in re.finditer(rb"[\x80-\xbf]", source)]

    def chars(offset: int) -> int:
        return offset - bisect_left(continued, offset)

    return replace(
        found,
        definitions=[
            each._replace(
                start=chars(each.start), body=chars(each.body), end=chars(each.end), name_start=chars(each.name_start)
            )
            for each in found.definitions
        ],
        references=[each._replace(start=chars(each.start), end=chars(each.end)) for each in found.references],
        imports=[each._replace(start=chars(each.start), end=chars(each.end)) for each in found.imports],
        prose=[(chars(start), chars(end)) for start, end in found.prose],
        strings=[each._replace(start=chars(each.start), end=chars(each.end)) for each in found.strings],
    )
