"""What the values in source code are: the class of an object, followed through names, fields and returned values.

What a file says of types is in its `SourceFile`; here it is followed from file to file. A value of which two types are
given, or one that is not known, is unknown.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mcp_graphrag.extract.code.file_names import External, Symbol, Target
from mcp_graphrag.extract.code.repository import Repository
from mcp_graphrag.extract.code.resolver import Resolver
from mcp_graphrag.source_code import Definition, Import, Reference
from mcp_graphrag.source_code.source_file import MODULE, TYPES, Typed, TypeName

MAX_FOLLOWED = 200  # names whose types are looked up for one value
MAX_DEPTH = 25  # of these, one for the type of the other
_STEP = re.compile(r"[^.()\[\]{}]+|\(\)|\[(?:\*|\d+)?\]|\{\d+,\d+\}")
_CLASS_WORDS = frozenset({"cls", "Self"})
_CONTEXTS = frozenset({"contextmanager", "asynccontextmanager"})
# Decorators that leave what a function returns as it is.
_NEUTRAL = frozenset(
    {"property", "cached_property", "staticmethod", "classmethod", "abstractmethod", "override", "final", "overload"}
    | {"cache", "lru_cache"}
)
_CONTEXT, _ITERABLE, _TUPLE = External("contextlib.AbstractContextManager"), External("Iterable"), External("tuple")
# Types of libraries whose items are of their arguments: by key, and by iteration.
_MAPPINGS = frozenset({"dict", "defaultdict", "ordereddict", "mapping", "mutablemapping", "map", "weakvaluedictionary"})
_ITERABLES = frozenset(
    {"list", "set", "frozenset", "deque", "sequence", "mutablesequence", "iterable", "iterator", "collection", "array"}
    | {"generator", "asyncgenerator", "asynciterator", "asynciterable", "mutableset", "abstractset", "valuesview"}
)
_GIVES_ITEM = frozenset({"get", "pop", "popleft", "setdefault", "shift", "at", "find", "findLast"})
_GIVES_SAME = frozenset({"copy", "filter", "slice", "concat", "reverse", "sort"})
_ITERATED = (("__iter__", "__next__"), ("__aiter__", "__anext__"))


class Value(NamedTuple):
    """What an expression gives: a definition itself, or an object of a class.

    `arguments` are the types of its items, `of` is what a method is taken from.
    """

    target: Target
    is_object: bool = False
    arguments: tuple["Value | None", ...] = ()
    of: "Value | None" = None


class TypedResolver(Resolver):
    """A resolver that follows the types of values too, in the languages of which they are read."""

    def __init__(self, repository: Repository) -> None:
        super().__init__(repository)
        self._types = ValueTypes(self)

    def meant(self, path: str, reference: Reference) -> Target | None:
        """What a reference means by the names around it, else by the types of what stands in front of it.

        What is raised and caught is a class. Of a member that is no definition, its class is what is referred to.
        """
        has_types, scope = self.repository.language(path).types is not None, self.seen_from(path, reference)
        value = f"{reference.receiver}.{reference.name}" if reference.receiver else reference.name
        if has_types and reference.relation in {"raises", "catches"}:
            return self._types.class_of(path, value, scope)
        target = super().meant(path, reference)
        if target is None and reference.receiver and has_types:
            target = self._types.meant(path, value, scope, libraries=reference.relation == "decorated_by")
        if target is None and reference.receiver and reference.relation == "references":
            receiver, _, name = reference.receiver.rpartition(".")
            found = self.meant(path, reference._replace(receiver=receiver, name=name))
            target = found if isinstance(found, Symbol) and self.is_type(found) else None
        return target


class ValueTypes:
    """Follows the types of values through the files of a resolver."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._known: dict[tuple[str, int, str], Value | None] = {}
        self._open: set[tuple[str, int, str]] = set()
        self._looked_up = 0
        self._is_cut = False

    def meant(self, path: str, value: str, scope: int, *, libraries: bool = False) -> Target | None:
        """The definition that a value is, None for an object and what is not certain.

        With `libraries` also the methods of an object of a class that is not known.
        """
        found = self._asked(path, value, scope)
        if found is None or found.is_object or not (libraries or found.of is None or _is_known(found.of)):
            return None
        return found.target

    def class_of(self, path: str, value: str, scope: int) -> Target | None:
        """The class that a value is, or is an object of, or that a function gives one of."""
        found = self._asked(path, value, scope)
        definition = self._definition(found) if found is not None else None
        if definition is not None and definition.kind in {"function", "method"} and found is not None:
            found = self._called(found)
        if found is None or (isinstance(found.target, Symbol) and not self._resolver.is_type(found.target)):
            return None
        return found.target if found.of is None or _is_known(found) else None

    def _asked(self, path: str, value: str, scope: int) -> Value | None:
        self._looked_up = 0
        return self._value(path, value, scope)

    def _value(self, path: str, value: str, scope: int) -> Value | None:
        head, *steps = _STEP.findall(value) or [""]
        own = self._resolver.own_class(path, head, scope)
        is_object = head not in _CLASS_WORDS and not self._resolver.is_static(path, scope)
        found = Value(own, is_object) if own is not None else self._named(path, head, scope)
        for step in steps:
            if found is None:
                return None
            if step == "()":
                found = self._called(found)
            elif step[0] == "{":
                found = self._given_to(found, step)
            elif step[0] == "[":
                found = self._item(found, step)
            else:
                found = self._member(found, step)
        return found

    def _named(self, path: str, name: str, scope: int) -> Value | None:
        """What a name is in a scope."""
        target = self._resolver.bare(path, name, scope)
        if target is not None:
            return self._as_value(target)
        names = self._resolver.names(path)
        at = names.binding_scope(name, scope)
        imported = names.imports.get((at, name)) if at is not None else None
        if imported is not None:
            return self._imported(path, imported)
        return self._bound(path, at, name) if at is not None else None

    def _as_value(self, target: Target) -> Value | None:
        """What a definition is as a value: that of a variable is of the type of this."""
        definition = self._resolver.definition(target) if isinstance(target, Symbol) else None
        if definition is None or definition.kind != "value" or not isinstance(target, Symbol):
            return Value(target)
        return self._bound(target.path, target.at, definition.name) or Value(target)

    def _imported(self, path: str, imported: Import) -> Value | None:
        """The value that an import of a name that a module binds brings in."""
        module = self._resolver.module(path, imported)
        return self._member(Value(module), imported.member) if module is not None and imported.member else None

    def _bound(self, path: str, scope: int, name: str) -> Value | None:
        """What a name, or a field of a class, is where it is bound."""
        names = self._resolver.names(path).source
        return self._followed((path, scope, name), names.types.get((scope, name), ()))

    def _followed(self, key: tuple[str, int, str], typed: Sequence[Typed]) -> Value | None:
        """The one value that all that is said of a name leads to."""
        if key in self._known:
            return self._known[key]
        if key in self._open or self._looked_up >= MAX_FOLLOWED or len(self._open) >= MAX_DEPTH:
            self._is_cut = True
            return None
        self._looked_up += 1
        self._open.add(key)
        found = _one(self._written(key[0], each) for each in typed)
        self._open.discard(key)
        # What is found inside of a circle depends on where it was entered.
        if not self._is_cut or not self._open:
            self._known[key] = found
        self._is_cut = self._is_cut and bool(self._open)
        return found

    def _written(self, path: str, typed: Typed) -> Value | None:
        return (
            self._of_type(path, typed.type, typed.scope) if typed.type else self._value(path, typed.value, typed.scope)
        )

    def _of_type(self, path: str, type_: TypeName, scope: int) -> Value | None:
        """An object of a type."""
        last = type_.name.rpartition(".")[2]
        arguments = tuple(self._of_type(path, each, scope) if each is not None else None for each in type_.arguments)
        if last in {"type", "Type"}:
            return arguments[0]._replace(is_object=False) if arguments and arguments[0] is not None else None
        found = self._value(path, type_.name, scope)
        if found is None and last.lower() in _MAPPINGS | _ITERABLES | {"tuple"}:
            found = Value(External(last))
        if found is None or found.is_object:
            return None
        if isinstance(found.target, Symbol) and not self._resolver.is_type(found.target):
            return None
        return Value(found.target, is_object=True, arguments=arguments)

    def _definition(self, value: Value) -> Definition | None:
        return self._resolver.definition(value.target) if isinstance(value.target, Symbol) else None

    def _called(self, value: Value) -> Value | None:
        """What a call of a value gives."""
        definition = self._definition(value)
        if isinstance(value.target, External):
            return None if value.is_object else _given_by(value)
        if definition is None:
            return None
        if value.is_object:
            return self._given(value, "__call__")
        return Value(value.target, is_object=True) if definition.kind in TYPES else self._returned(value.target, value)

    def _given_to(self, value: Value, place: str) -> Value | None:
        """What a function gives to a function that it takes, by the places of both: "{0,1}"."""
        definition = self._definition(value)
        is_class = definition is not None and definition.kind == "class" and not value.is_object
        target = self._resolver.constructor(value.target) if is_class else value.target
        return self._bound(target.path, target.at, place) if isinstance(target, Symbol) else None

    def _returned(self, function: Symbol, value: Value) -> Value | None:
        """What a function returns, which may be the object that it is a method of."""
        names = self._resolver.names(function.path)
        decorators = names.decorators.get(function.at, frozenset())
        typed = names.source.returns.get(function.at, ())
        if decorators - _NEUTRAL - _CONTEXTS:
            return None
        if any(each.type is not None and each.type.name.rpartition(".")[2] == "Self" for each in typed):
            found = Value(value.of.target, is_object=True, arguments=value.of.arguments) if value.of else None
            return found if len(typed) == 1 else None
        found = self._followed((function.path, function.at, "()"), typed)
        if decorators & _CONTEXTS:
            return Value(_CONTEXT, is_object=True, arguments=found.arguments[:1]) if found is not None else None
        return found

    def _item(self, value: Value, step: str) -> Value | None:
        """An item of a value: by iteration, by key, or by its place."""
        if isinstance(value.target, Symbol):
            if not value.is_object:
                return value  # a generic class with its arguments
            return self._iterated(value) if step == "[*]" else self._given(value, "__getitem__")
        kind = _last(value.target).lower()
        if not value.is_object or not value.arguments:
            return None
        if kind == "tuple":
            at = int(step[1:-1]) if step[1:-1].isdigit() else -1
            return value.arguments[at] if 0 <= at < len(value.arguments) else _one(value.arguments)
        if kind in _MAPPINGS:
            return value.arguments[0 if step == "[*]" else -1]
        return value.arguments[0] if kind in _ITERABLES else None

    def _iterated(self, value: Value) -> Value | None:
        """An item of an object of a known class."""
        for start, following in _ITERATED:
            items = self._given(value, start)
            if items is not None:
                return self._given(items, following) if _is_known(items) else self._item(items, "[*]")
        return None

    def _given(self, value: Value, name: str) -> Value | None:
        """What a method of a value gives."""
        method = self._member(value, name)
        return self._called(method) if method is not None and not method.is_object else None

    def _member(self, value: Value, name: str) -> Value | None:
        """The member of a value."""
        if isinstance(value.target, External):
            return Value(External(f"{value.target.name}.{name}"), of=value if value.is_object else None)
        definition = self._definition(value)
        if definition is not None and definition.kind in TYPES:
            return self._of_class(value, value.target, name)
        if definition is not None and definition.kind != "module":
            return None
        target = self._resolver.member(value.target, name, self._resolver.repository.language(value.target.path).family)
        if target is not None or definition is not None:
            return self._as_value(target) if target is not None else None
        return self._exported(value.target.path, name)

    def _exported(self, path: str, name: str) -> Value | None:
        """The value of a name that a module binds, or imports from one that does."""
        names = self._resolver.names(path)
        name = names.source.exports.get(name, name)
        imported = names.imports.get((MODULE, name))
        if imported is None and (name in names.source.bound.get(MODULE, ()) or not names.star_imports):
            return self._bound(path, MODULE, name)
        key = path, MODULE, f"import {name}"  # which may be a circle
        if key in self._open or self._looked_up >= MAX_FOLLOWED or len(self._open) >= MAX_DEPTH:
            return None
        self._looked_up += 1
        self._open.add(key)
        given = [imported] if imported is not None else [each._replace(member=name) for each in names.star_imports]
        found = _one(value for each in given if (value := self._imported(path, each)) is not None)
        self._open.discard(key)
        return found

    def _of_class(self, value: Value, class_: Symbol, name: str) -> Value | None:
        """The member of a class or of an object of it, from the nearest class that has one."""
        for owner in self._resolver.with_bases(class_):
            names = self._resolver.names(owner.path)
            property_ = names.properties.get((owner.at, name))
            if property_ is not None:
                return self._called(Value(Symbol(owner.path, property_), of=value)) if value.is_object else None
            method = self._resolver.own_member(owner, name, is_static=not value.is_object)
            if method is not None:
                return Value(method, of=value)
            typed = names.source.types.get((owner.at, name))
            if typed is not None:
                # What a class above calls by a parameter of its own is of the type that this class gives for it.
                parameters = names.source.bound.get(owner.at, ()) if owner != class_ else ()
                is_open = any(each.type is not None and each.type.name in parameters for each in typed)
                return self._bound(owner.path, owner.at, name) if not is_open else None
            if name in names.source.fields.get(owner.at, ()) or name in names.source.bound.get(owner.at, ()):
                return None
        return None


def _is_known(value: Value) -> bool:
    return isinstance(value.target, Symbol)


def _given_by(value: Value) -> Value | None:
    """What something of a library gives when it is called: a class an object, some methods what they are asked for."""
    if value.of is None:
        return Value(value.target, is_object=True)
    arguments, name = value.of.arguments, _last(value.target)
    if not arguments:
        return None
    if name in {"__enter__", "__aenter__"}:
        return arguments[0] if value.of.target == _CONTEXT else None
    if name == "values":
        return Value(_ITERABLE, is_object=True, arguments=arguments[-1:])
    if name == "items":
        return Value(_ITERABLE, is_object=True, arguments=(Value(_TUPLE, is_object=True, arguments=arguments),))
    return value.of if name in _GIVES_SAME else arguments[-1] if name in _GIVES_ITEM else None


def _last(target: Target) -> str:
    return target.name.rpartition(".")[2] if isinstance(target, External) else ""


def _one(values: Iterable[Value | None]) -> Value | None:
    """The value if all are the same."""
    found = set(values)
    return found.pop() if len(found) == 1 else None
