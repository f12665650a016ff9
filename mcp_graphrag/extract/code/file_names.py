"""The names in a source file, by the scope that they are in, and what a name leads to."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from mcp_graphrag.source_code import Definition, Import, Reference, SourceFile
from mcp_graphrag.source_code.source_file import ANY, MODULE, TYPES

_PROPERTIES = frozenset({"property", "cached_property"})


class Symbol(NamedTuple):
    """A definition of a known file, by its index `at`, or the file itself (`MODULE`)."""

    path: str
    at: int


class External(NamedTuple):
    """A name outside of the known files, by the import that brings it in."""

    name: str


Target: TypeAlias = Symbol | External


@dataclass(frozen=True)
class FileNames:
    """The definitions and imports of a file by the scope that they are in and by name."""

    source: SourceFile

    @cached_property
    def definitions(self) -> Mapping[tuple[int, str], int]:
        """The index of what is defined; a method is in the scope of its class."""
        found = {
            (each.parent, each.name): index
            for index, each in enumerate(self.source.definitions)
            if not self._is_of_object(each) and index not in self.source.unclear and not self._is_second(index)
        }
        # The blocks of one namespace see what the others define.
        modules = [(index, each.path) for index, each in enumerate(self.source.definitions) if each.kind == "module"]
        if len({path for _, path in modules}) < len(modules):
            for (parent, name), index in list(found.items()):
                path = self.source.definitions[parent].path if parent != MODULE else ""
                found |= {(at, name): index for at, same in modules if same == path and (at, name) not in found}
        return found

    def _is_second(self, index: int) -> bool:
        """Whether an object of the class has something else by the name: a method beside a static one, or a getter."""
        return not {"static", "set"}.isdisjoint(self.source.modifiers.get(index, ()))

    @cached_property
    def statics(self) -> Mapping[tuple[int, str], int]:
        """The static methods of classes of JavaScript, by the class and name."""
        marked = [(at, self.source.definitions[at]) for at, words in self.source.modifiers.items() if "static" in words]
        return {(each.parent, each.name): index for index, each in marked}

    @cached_property
    def by_path(self) -> Mapping[str, int]:
        """The index of a definition by its path in the file."""
        return {each.path: index for index, each in enumerate(self.source.definitions)}

    @cached_property
    def imports(self) -> Mapping[tuple[int, str], Import]:
        """What is imported."""
        return {(each.scope, each.local): each for each in self.source.imports if each.local}

    @cached_property
    def dotted(self) -> Mapping[str, set[str]]:
        """By its first part, the modules that statements such as `import a.b` of Python import."""
        found: dict[str, set[str]] = {}
        for each in self.source.imports:
            if not each.member and each.module.startswith(f"{each.local}."):
                found.setdefault(each.local, set()).add(each.module)
        return found

    @cached_property
    def star_imports(self) -> list[Import]:
        """Imports of all names."""
        return [each for each in self.source.imports if each.member == ANY]

    @cached_property
    def bases(self) -> Mapping[int, list[Reference]]:
        """What a class extends and implements, by the index of the class."""
        found: dict[int, list[Reference]] = {}
        for reference in self.source.references:
            if reference.relation in {"extends", "implements"} and not reference.subject:
                found.setdefault(reference.scope, []).append(reference)
        return found

    @cached_property
    def decorators(self) -> Mapping[int, Set[str]]:
        """The names of the decorators of a definition, by its index."""
        found: dict[int, set[str]] = {}
        for reference in self.source.references:
            if reference.relation == "decorated_by":
                found.setdefault(reference.scope, set()).add(reference.name)
        return found

    @cached_property
    def properties(self) -> Mapping[tuple[int, str], int]:
        """The methods that a class has as properties, by the class and name: those that get a value."""
        marked = [(index, self.source.definitions[index]) for index, by in self.decorators.items() if by & _PROPERTIES]
        marked += [(at, self.source.definitions[at]) for at, words in self.source.modifiers.items() if "get" in words]
        return {(each.parent, each.name): index for index, each in marked}

    def binding_scope(self, name: str, scope: int) -> int | None:
        """The nearest scope around that binds or imports a name, None if there is none."""
        first = scope
        while True:
            inside = self.source.definitions[scope] if scope != MODULE else None
            is_seen = inside is None or inside.kind not in TYPES or scope == first
            if is_seen and (name in self.source.bound.get(scope, ()) or (scope, name) in self.imports):
                return scope
            if inside is None:
                return None
            scope = inside.parent

    def is_bound(self, name: str, scope: int) -> bool:
        """Whether a parameter or an assignment around a scope binds the name."""
        while name not in self.source.bound.get(scope, ()):
            if scope == MODULE:
                return False
            scope = self.source.definitions[scope].parent
        return True

    def modules_around(self, scope: int) -> list[int]:
        """The inline modules of Rust around a scope, the nearest first, and the file."""
        found: list[int] = []
        while scope != MODULE:
            each = self.source.definitions[scope]
            found += [scope] if each.kind == "module" else []
            scope = each.parent
        return [*found, MODULE]

    def _is_of_object(self, method: Definition) -> bool:
        if method.kind != "method" or method.parent == MODULE:
            return method.kind == "method"
        owner = self.source.definitions[method.parent]
        return owner.kind not in TYPES or method.path != f"{owner.path}.{method.name}"
