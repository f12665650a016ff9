"""What the names in source code mean: definitions of known files, or names of what is outside of them.

The order is that of scope: names around the place, the own class, imported names, the own package. A name that none of
these explains means nothing here: a method that many classes have is no guess.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from itertools import takewhile

from mcp_graphrag.extract.code.file_names import External, FileNames, Symbol, Target
from mcp_graphrag.extract.code.find_modules import external_name, find_module, is_local, same_package, submodule
from mcp_graphrag.extract.code.plain_names import PlainNames
from mcp_graphrag.extract.code.repository import Repository
from mcp_graphrag.extract.code.script_modules import ScriptModules
from mcp_graphrag.source_code import Definition, Import, Reference
from mcp_graphrag.source_code.javascript_syntax import WHOLE
from mcp_graphrag.source_code.source_file import ANY, MODULE, TYPES

MAX_EXPORTS = 8  # files that a name is followed through, from one that re-exports it to the next
SUPER = "super"
_KEPT_NAMES = 10_000  # what these mean, by the place that they stand at
MAX_BASES = 20  # classes above a class that are looked at
_OWN_OBJECT = {
    "python": frozenset({"self", "cls"}),
    "script": frozenset({"this"}),
    "java": frozenset({"this"}),
    "rust": frozenset({"self", "Self"}),
    "go": frozenset[str](),
}
_CONSTRUCTORS = {"python": "__init__", "script": "constructor"}
_NAMES = re.compile(r"[^?()\[\]]+")
_GO_RECEIVER = re.compile(r"func\s*\(\s*(\w+)")


class Resolver:
    """Resolves the references and imports of the files of a repository."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self._scripts = ScriptModules(repository)
        self.names = cache(self._names)
        self.bare = lru_cache(_KEPT_NAMES)(self._bare)
        self.plain = PlainNames(repository, self.names)
        self._find_module = cache(partial(find_module, repository, self._scripts))  # by path and module
        self._exported = cache(self._found_in)
        self._elsewhere: dict[Symbol, dict[str, Symbol]] = {}
        self._above: dict[Symbol, tuple[Sequence[Symbol], bool]] = {}

    def _names(self, path: str) -> FileNames:
        """What a file defines and imports."""
        return FileNames(self.repository.source(path))

    def definition(self, symbol: Symbol) -> Definition | None:
        """The definition of a symbol, None for a file."""
        return self.names(symbol.path).source.definitions[symbol.at] if symbol.at != MODULE else None

    def is_type(self, symbol: Symbol) -> bool:
        """Whether a symbol is a class or interface."""
        definition = self.definition(symbol)
        return definition is not None and definition.kind in TYPES

    def module(self, path: str, imported: Import) -> Symbol | None:
        """The file of the module that an import names, None for one that is not known, or for a class."""
        if self.plain.language(path) is not None:
            return self.plain.module(path, imported)
        files = () if self._is_java(path) else self._find_module(path, imported.module)
        return Symbol(files[0], MODULE) if files else None

    def owner(self, symbol: Symbol) -> Symbol:
        """What contains a definition: the definition around it, the type of a method, or the file."""
        parent = self.names(symbol.path).source.definitions[symbol.at].parent
        return self.type_of_method(symbol) or Symbol(symbol.path, parent)

    def containers(self, symbol: Symbol) -> list[Symbol]:
        """What a definition is in: for most one thing, a file and a namespace for what both have."""
        plain = self.plain.language(symbol.path) is not None
        return self.plain.containers(symbol) if plain else [self.owner(symbol)]

    def constructor(self, target: Target) -> Target | None:
        """The method that makes an object of a class, None for what is no class or has no own method for it."""
        definition = self.definition(target) if isinstance(target, Symbol) else None
        if definition is None or not isinstance(target, Symbol) or definition.kind != "class":
            return None
        family = self.repository.language(target.path).family
        name = _CONSTRUCTORS.get(family, definition.name if family == "java" else "")
        return self.own_member(target, name) if name else None

    def resolve(self, path: str, reference: Reference) -> Target | None:
        """What a reference means, None where that is not certain."""
        if self.plain.language(path) is not None:
            return self.plain.resolve(path, reference)
        target = self.meant(path, reference)
        if isinstance(target, Symbol) and target.at == MODULE:  # a module that is called is what it exports as a whole
            return self._exported(target.path, WHOLE, MAX_EXPORTS)
        return target

    def meant(self, path: str, reference: Reference) -> Target | None:
        """As `resolve`, of which a module that is called is the module."""
        scope = self.seen_from(path, reference)
        if not reference.receiver:
            if reference.name == SUPER:
                return self._constructor_above(path, scope)
            return self.bare(path, reference.name, scope, is_call=reference.relation == "calls")
        if not _NAMES.fullmatch(reference.receiver):
            return None  # an expression
        head, *rest = reference.receiver.split(".")
        owner = self.own_class(path, head, scope)
        if owner is not None:
            # Of an attribute of the object the class is not known.
            is_static = self.is_static(path, scope)
            return self._member_of_class(owner, reference.name, is_static=is_static) if not rest else None
        family = self.repository.language(path).family
        if head == SUPER and family != "rust":
            return self._member_of_bases(self._class_around(path, scope), reference.name) if not rest else None
        target = self.bare(path, head, scope)
        if target is None and family == "rust":
            target, rest = self._rust_module(path, [head, *rest], scope)
        return self._walk(path, target, head, [*rest, reference.name])

    def entry_point(self, path: str, named: str) -> Symbol | None:
        """What "package.module:function" means in a project file of Python."""
        module, _, inside = named.partition(":")
        found: Target | None = next(
            (Symbol(at, MODULE) for at in find_module(self.repository, self._scripts, path, module, "python")), None
        )
        for part in inside.split("."):
            found = self.member(found, part, "python") if found is not None else None
        return found if isinstance(found, Symbol) and found.at != MODULE else None

    def seen_from(self, path: str, reference: Reference) -> int:
        """The definition whose names a reference sees."""
        definitions = self.names(path).source.definitions
        return definitions[reference.scope].parent if reference.is_of_head else reference.scope

    def _walk(self, path: str, target: Target | None, head: str, parts: list[str]) -> Target | None:
        """The member of a target that the parts lead to."""
        dotted = self.names(path).dotted.get(head, ())
        if dotted and len(parts) > 1:
            # `import a.b` binds "a", of which only what was imported is a module.
            for size in range(len(parts) - 1, 0, -1):
                module = ".".join([head, *parts[:size]])
                if module in dotted:
                    found = self._find_module(path, module)
                    target = Symbol(found[0], MODULE) if found else External(module)
                    parts = parts[size:]
                    break
        family = self.repository.language(path).family
        for part in parts:
            if target is None:
                return None
            target = self.member(target, part, family)
        return target

    def member(self, target: Target, name: str, family: str) -> Target | None:
        """The member of a module, class or library by its name."""
        if isinstance(target, External):
            return External(external_name(family, target.name, name))
        definition = self.definition(target)
        if definition is None:
            return self._exported(target.path, name, MAX_EXPORTS)
        if definition.kind == "module":
            index = self.names(target.path).by_path.get(f"{definition.path}.{name}")
            return Symbol(target.path, index) if index is not None else None
        if definition.kind == "function":
            index = self.names(target.path).by_path.get(f"{definition.path}.{name}") if family == "script" else None
            is_own = index is not None and self.names(target.path).source.definitions[index].kind == "method"
            return Symbol(target.path, index) if index is not None and is_own else None
        found = self._member_of_class(target, name, is_static=True) if definition.kind in TYPES else None
        return self._value_of(target, definition, name) if definition.kind == "object" and found is None else found

    def _value_of(self, target: Symbol, object_: Definition, name: str) -> Target | None:
        """What a value of an object means that is a name itself: `{ get: http.get }`."""
        value = self.names(target.path).source.exports.get(f"{object_.path}.{name}", "")
        head, *rest = value.split(".")
        found = self.bare(target.path, head, object_.parent) if head else None
        return self._walk(target.path, found, head, rest) if found != target else None

    def _bare(self, path: str, name: str, scope: int, *, is_call: bool = False) -> Target | None:
        """What a name without a receiver means in a scope: the nearest binding of it."""
        names, is_java, first = self.names(path), self._is_java(path), scope
        is_script = self.repository.language(path).family == "script"
        is_method = is_call and is_java  # of which the names are apart from those of variables
        while True:
            inside = names.source.definitions[scope] if scope != MODULE else None
            is_type = inside is not None and inside.kind in TYPES
            if is_type and is_method:
                found = self._member_of_class(Symbol(path, scope), name)
                if found is not None and not self._is_constructor(found):
                    return found
                # What a class inherits from one that is not known comes before the methods around it.
                is_method = not self._has_unknown_base(Symbol(path, scope))
            # Methods do not see the names in the body of their class.
            if not is_type or (scope == first and not is_script) or is_java:
                found = self._bound_in(names, path, name, scope)
                if found is not None:
                    return found
                if name in names.source.bound.get(scope, ()) and not (is_call and is_java):
                    return None
            if inside is None:
                break
            scope = inside.parent
        return self._of_package(path, name) or self._starred(path, name, MAX_EXPORTS)

    def _bound_in(self, names: FileNames, path: str, name: str, scope: int) -> Target | None:
        key = scope, name
        index = names.definitions.get(key)
        if index is not None and (names.source.language != "java" or names.source.definitions[index].kind != "method"):
            return Symbol(path, index)
        imported = names.imports.get(key)
        if imported is None:
            return None
        if name in names.dotted:
            imported = imported._replace(module=name)  # `import a.b` binds "a"
        return self.imported(path, imported, MAX_EXPORTS)

    def _of_package(self, path: str, name: str) -> Target | None:
        """The definition of that name in another file of the package."""
        for other in same_package(self.repository, path):
            index = self.names(other).definitions.get((MODULE, name))
            if index is not None:
                return Symbol(other, index)
        return None

    def _starred(self, path: str, name: str, depth: int) -> Target | None:
        """The definition that an import of all names brings in, if only one does."""
        found: set[Target | None] = set()
        for imported in self.names(path).star_imports:
            files = self._find_module(path, imported.module)
            if any(name in self.names(file).source.bound.get(MODULE, ()) for file in files):
                return None  # which may be any value
            if not files and self.repository.language(path).family == "rust":  # a module in this file
                inner = f"{imported.module.removeprefix('self::').replace('::', '.')}.{name}"
                found |= {Symbol(path, at) for at in [self.names(path).by_path.get(inner)] if at is not None}
            if self._is_java(path):
                found.add(self._java_member(files, imported._replace(member=name)))
            else:
                found |= {self._exported(file, name, depth - 1) for file in files}
        found.discard(None)
        return found.pop() if len(found) == 1 else None

    def imported(self, path: str, imported: Import, depth: int = MAX_EXPORTS) -> Target | None:
        """What an import means: a file, a definition in it, or something external; None where it cannot be found."""
        if self.plain.language(path) is not None:
            return self.plain.imported(path, imported)
        family = self.repository.language(path).family
        files = self._find_module(path, imported.module)
        if not files:
            inner = self._module_inside(path, imported) if family == "python" else None
            inner = self._rust_item(path, imported, depth) if family == "rust" else inner
            if inner is not None or is_local(self.repository, self._scripts, path, imported.module):
                return inner
            member = "" if imported.member in {ANY, "default"} else imported.member
            return External(external_name(family, imported.module, member))
        if family == "java":
            module, _, name = imported.module.rpartition(".")
            if imported.member == ANY:  # of a package or of a class
                imported = imported._replace(module=module, member=name)
                return self._java_member(files, imported) or Symbol(files[0], MODULE)
            return self._java_member(files, imported)
        if not imported.member or imported.member == ANY:
            return Symbol(files[0], MODULE)
        return self._exported(files[0], imported.member, depth)

    def _module_inside(self, path: str, imported: Import) -> Target | None:
        """A module of a package of Python whose own file is empty, and so is not known."""
        name = f"{imported.module}{'' if imported.module.endswith('.') else '.'}{imported.member}"
        return next((Symbol(file, MODULE) for file in self._find_module(path, name)), None) if imported.member else None

    def _rust_item(self, path: str, imported: Import, depth: int) -> Target | None:
        """A member of an item that is no file: a function of a type, an item of an inline module."""
        module, _, item = imported.module.rpartition("::")
        files = self._find_module(path, module or "self")
        found = self._exported(files[0], item, depth) if files else None
        if imported.member == ANY:
            return found if isinstance(found, Symbol) else None
        return self.member(found, imported.member, "rust") if isinstance(found, Symbol) and imported.member else None

    def _java_member(self, files: Iterable[str], imported: Import) -> Target | None:
        """A class of a package, or a static member of a class."""
        for file in files:
            names = self.names(file)
            package = names.source.package
            if package == imported.module:
                index = names.by_path.get(imported.member)
            else:
                inside = imported.module.removeprefix(f"{package}.")
                index = names.by_path.get(f"{inside}.{imported.member}")
            if index is not None:
                return Symbol(file, index)
        return None

    def _found_in(self, path: str, name: str, depth: int) -> Target | None:
        """What a module calls `name`: its own definition, what it imports by that name, or a module inside it."""
        names, family = self.names(path), self.repository.language(path).family
        name = names.source.exports.get(name, name)
        if depth <= 0 or not name:
            return None
        index = names.definitions.get((MODULE, name))
        if index is not None:
            return Symbol(path, index)
        imported = names.imports.get((MODULE, name))
        if imported is not None:
            return None if name in names.dotted else self.imported(path, imported, depth - 1)
        if name in names.source.bound.get(MODULE, ()):
            return None
        whole = names.by_path.get("module.exports") if family == "script" else None
        if whole is not None and (found := self.member(Symbol(path, whole), name, family)) is not None:
            return found
        return (
            (self._of_package(path, name) if family == "go" else None)
            or self._inner_module(path, name)
            or self._starred(path, name, depth)
        )

    def _rust_module(self, path: str, parts: list[str], scope: int) -> tuple[Target | None, list[str]]:
        """The module or crate that a path begins with, and the parts behind it."""
        around = self.names(path).modules_around(scope)
        ups = next((at for at, part in enumerate(parts) if part != SUPER), len(parts))
        if ups and ups < len(around):
            return Symbol(path, around[ups]), parts[ups:]
        if parts[0] == "self":
            return Symbol(path, around[0]), parts[1:]
        if not ups and self.names(path).is_bound(parts[0], scope):
            return None, parts[1:]
        module = "::".join([SUPER] * (ups - len(around) + 1)) if ups else parts[0]
        files = self._find_module(path, module)
        return (Symbol(files[0], MODULE) if files else None), parts[ups or 1 :]

    def _inner_module(self, path: str, name: str) -> Symbol | None:
        """The module of that name in a Python package or below a Rust module."""
        family = self.repository.language(path).family
        module = submodule(self.repository, path, name) if family == "python" else ""
        if family == "rust":
            module = next(iter(self._find_module(path, f"self::{name}")), "")
        return Symbol(module, MODULE) if module else None

    def _is_java(self, path: str) -> bool:
        return self.repository.language(path).family == "java"

    def _is_constructor(self, target: Target) -> bool:
        definition = self.definition(target) if isinstance(target, Symbol) else None
        return definition is not None and definition.path.split(".")[-2:] == [definition.name] * 2

    def _has_unknown_base(self, owner: Symbol) -> bool:
        return any(
            reference.relation == "extends" and not isinstance(self.resolve(each.path, reference), Symbol)
            for each in self.with_bases(owner)
            for reference in self.names(each.path).bases.get(each.at, ())
        )

    def own_class(self, path: str, word: str, scope: int) -> Symbol | None:
        """The class of the object that a method calls by `word`: self, this, or its name in Go."""
        family = self.repository.language(path).family
        if word not in _OWN_OBJECT[family] and family != "go":
            return None
        around = self._class_around(path, scope)
        if around is None or family != "go":
            return around
        if self.names(path).is_bound(word, scope):
            return None
        method = self.names(path).source.definitions[scope]
        while method.kind != "method" and method.parent != MODULE:
            method = self.names(path).source.definitions[method.parent]
        declared = _GO_RECEIVER.match(self.repository.text(path), method.body)
        return around if declared is not None and declared[1] == word else None

    def _class_around(self, path: str, scope: int) -> Symbol | None:
        """The class of the nearest method around a scope."""
        names = self.names(path)
        while scope != MODULE:
            inside = names.source.definitions[scope]
            if inside.kind in TYPES:
                return Symbol(path, scope)
            if scope in names.source.owners:
                return self.type_of_method(Symbol(path, scope))
            scope = inside.parent
        return None

    def type_of_method(self, method: Symbol) -> Symbol | None:
        """The type of a method that stands in another file than it, None for any other definition."""
        if self.plain.language(method.path) is not None:
            return self.plain.type_of_method(method)
        receiver, _, name = self.names(method.path).source.owners.get(method.at, "").rpartition(".")
        if not name:
            return None
        target = self.meant(method.path, Reference("extends", name, receiver, 0, 0, method.at))
        return target if isinstance(target, Symbol) and self.is_type(target) else None

    def is_static(self, path: str, scope: int) -> bool:
        """Whether `this` is the class itself in a scope of JavaScript: in a static method."""
        definitions, modifiers = self.names(path).source.definitions, self.names(path).source.modifiers
        while modifiers and scope != MODULE and definitions[scope].kind != "method":
            scope = definitions[scope].parent
        return "static" in modifiers.get(scope, ())

    def _member_of_class(self, owner: Symbol | None, name: str, *, is_static: bool = False) -> Target | None:
        """The method of a class, or of the nearest class above it that has one of that name."""
        for each in self.with_bases(owner):
            found = self.own_member(each, name, is_static=is_static)
            if found is not None or name in self.names(each.path).source.fields.get(each.at, ()):
                return found
        return None

    def _constructor_above(self, path: str, scope: int) -> Target | None:
        """What `super()` calls in a constructor of JavaScript or Java; in Python it only gives an object."""
        family, around = self.repository.language(path).family, self._class_around(path, scope)
        if family == "java":
            return next(map(self.constructor, list(self.with_bases(around))[1:]), None)
        return self._member_of_bases(around, _CONSTRUCTORS["script"]) if family == "script" else None

    def _member_of_bases(self, owner: Symbol | None, name: str) -> Target | None:
        for each in list(self.with_bases(owner))[1:]:
            found = self.own_member(each, name)
            if found is not None:
                return found
        return None

    def own_member(self, owner: Symbol, name: str, *, is_static: bool = False) -> Symbol | None:
        """What a class itself defines by a name, wherever its methods stand, static ones first if asked for."""
        names, index = self.names(owner.path), None
        if is_static:
            index = names.statics.get((owner.at, name))
        if index is None:
            index = names.definitions.get((owner.at, name))
        if index is not None:
            return Symbol(owner.path, index)
        return self._methods_elsewhere(owner).get(name)

    def _methods_elsewhere(self, owner: Symbol) -> Mapping[str, Symbol]:
        """The methods of a type that stand in other files of its package in Go, or of its crate in Rust, by name."""
        found = self._elsewhere.get(owner)
        if found is None:
            # While its methods are looked for, it has none: their types may be named by way of it.
            found = self._elsewhere[owner] = {}
            for path in self._files_with_methods(owner):
                source = self.repository.source(path)
                for at in source.owners:
                    method = Symbol(path, at)
                    if self.type_of_method(method) == owner:
                        found.setdefault(source.definitions[at].name, method)
        return found

    def _files_with_methods(self, owner: Symbol) -> Sequence[str]:
        """The other files in which methods of a type may stand."""
        repository, path = self.repository, owner.path
        family, type_ = repository.language(path).family, self.names(path).source.definitions[owner.at].name
        if family == "go":
            return same_package(repository, path)
        files = repository.below(repository.crate_root(path), family) if family == "rust" else []
        return [at for at in files if at != path and type_ in repository.text(at)]

    def with_bases(self, owner: Symbol | None) -> Iterator[Symbol]:
        """A class and the known classes above it, the nearest first.

        Behind a base that is not known there is none: what that one defines would come first.
        """
        pending = [owner] if owner is not None else []
        seen: set[Symbol] = set()
        while pending and len(seen) < MAX_BASES:
            each = pending.pop(0)
            if each in seen:
                continue
            seen.add(each)
            yield each
            above, is_known = self._bases(each)
            pending = pending if is_known else []
            is_go = self.repository.language(each.path).family == "go"  # in which the least depth counts
            pending = [*pending, *above] if is_go else [*above, *pending]

    def _bases(self, class_: Symbol) -> tuple[Sequence[Symbol], bool]:
        """The classes right above a class, up to the first that is not known, and whether all are."""
        if class_ not in self._above:
            self._above[class_] = [], False  # while they are looked for, which may be by way of the class itself
            references = self.names(class_.path).bases.get(class_.at, ())
            found = [self.resolve(class_.path, reference) for reference in references]
            known = [each for each in takewhile(_is_definition, found) if isinstance(each, Symbol)]
            self._above[class_] = known, len(known) == len(found)
        return self._above[class_]


def _is_definition(target: Target | None) -> bool:
    return isinstance(target, Symbol) and target.at != MODULE
