"""A source file while it is read: what its definitions refer to, import and bind, and what it says of types."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from operator import attrgetter
from typing import TypeAlias, TypeVar

from tree_sitter import Node

from mcp_graphrag.source_code.find_definitions import FoundDefinitions, Scoped, in_order, type_parameters
from mcp_graphrag.source_code.java_syntax import is_in_anonymous_class
from mcp_graphrag.source_code.javascript_syntax import (
    BLOCKS,
    DEFAULT,
    ELEMENTS,
    WHOLE,
    exported_names,
    is_of_class,
)
from mcp_graphrag.source_code.nodes import (
    Base,
    Named,
    TypedNode,
    callee,
    children,
    decorated,
    members,
    text_of,
    type_name,
)
from mcp_graphrag.source_code.rust_syntax import seen_from_file
from mcp_graphrag.source_code.script_values import (
    wrapped_components,
)
from mcp_graphrag.source_code.source_file import (
    MODULE,
    OBJECT,
    TYPES,
    USES,
    Import,
    Reference,
    Relation,
    SourceFile,
    SqlString,
    Typed,
)
from mcp_graphrag.source_code.strings import sql_string

_WORD = re.compile(rb"[\w\x80-\xff]+")
_ENVIRONMENT = re.compile(r"""["'`]?([A-Za-z_]\w{0,99})["'`]?""")
_OWN_CALL = "method_invocation"  # of Java, which may be of the object that the call is in
_BOUND = frozenset({"identifier", "type_identifier", "shorthand_property_identifier_pattern"})
_FIELD = frozenset({"property_identifier", "private_property_identifier"})
_Said: TypeAlias = tuple[TypedNode, int]  # with the definition that it is said in
_Key = TypeVar("_Key")


class FileReading(FoundDefinitions):
    """A file while it is read."""

    def read(self) -> SourceFile:
        """What there is in the file, with offsets in bytes."""
        self._define()
        scopes = self._scopes()
        self._bound_names = self._bindings(scopes)
        self._unclear = self._in_several_blocks() if self._language.family == "script" else frozenset[int]()
        references = [*self._calls(scopes), *self._wrapped(), *self._bases(), *self._decorators(), *self._uses(scopes)]
        references += self._asserted()
        imports = [each for node, scope in scopes("import") for each in self._imports(node, scope)]
        references.sort(key=attrgetter("start"))
        return SourceFile(
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

    def _wrapped(self) -> Iterator[Reference]:
        """The components that wrapped functions are made of, which they show."""
        for node in self._captures.get("function", ()) if self._language.family == "script" else ():
            index = self._by_node.get(node.id)
            for name in wrapped_components(node) if index is not None else ():
                yield reference_to("calls", Named("", text_of(name), name), index or 0)

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
        self._captures["references"] = in_order(
            node for node in self._used if (word := self._first_word(node)) in words or (is_go and word[:1].isupper())
        )
        for relation in USES:
            for node, scope in scopes(relation):
                named = callee(node.child_by_field_name(self._language.callee_field.get(node.type, "")) or node)
                if named is not None and named.receiver != OBJECT:
                    yield reference_to(relation, named, scope)

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
            if receiver == OBJECT or name in type_parameters(node):
                continue
            if path in by_path and not receiver:
                yield from _supertypes(self._language.bases(node, self._parents), by_path[path])
            elif (outer := self._parents.of(node)) is not None and self._parents.of(outer) is None:
                for trait in _supertypes(self._language.bases(node, self._parents), MODULE):
                    yield trait._replace(subject=f"{receiver}.{name}" if receiver else name)

    def _asserted(self) -> Iterator[Reference]:
        """The interfaces that a file of Go says its types implement."""
        interfaces = sorted(self._captures.get("interface_of", ()), key=attrgetter("start_byte"))
        for node in self._captures.get("implementer", ()):
            # The type of a declaration stands in front of its values, of which there may be several.
            at = bisect_left(interfaces, node.start_byte, key=attrgetter("start_byte"))
            if at and (base := type_name(interfaces[at - 1])) is not None:
                yield reference_to("implements", base, MODULE)._replace(subject=text_of(node))

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
                yield reference_to("decorated_by", named, index)

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


def _package(node: Node) -> str:
    return next(
        (text_of(child) for child in children(node, "scoped_identifier", "identifier", "package_identifier")), ""
    )


def reference_to(relation: Relation, named: Named, scope: int) -> Reference:
    """A use of a name in a scope."""
    receiver, name, node = named
    return Reference(relation, name, receiver, node.start_byte, node.end_byte, scope)


def _supertypes(found: Iterable[Base], index: int) -> Iterator[Reference]:
    for base in found:
        named = type_name(base.node)
        if named is not None and named[0] != OBJECT:
            yield reference_to(base.relation, named, index)
