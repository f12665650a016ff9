"""What names mean in the languages that a query file describes: one thing by the rules of scope, or nothing.

A name is looked for around its place, in its file, in what the file imports or includes, in its namespace, and, where
the language has no modules, in the repository: there it must be one definition.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from mcp_graphrag.extract.code.file_names import External, FileNames, Symbol, Target
from mcp_graphrag.extract.code.repository import Repository, joined, parent_of
from mcp_graphrag.source_code import Definition, Import, Reference
from mcp_graphrag.source_code.plain_languages import CALLED, PlainLanguage
from mcp_graphrag.source_code.source_file import ANY, MODULE, OBJECT, TYPES

MAX_BASES = 20  # classes above a class that are looked at
_NOTHING: Sequence[Symbol] = ()


class PlainNames:
    """Resolves the references and imports of the files of plain languages in a repository."""

    def __init__(self, repository: Repository, names: Callable[[str], FileNames]) -> None:
        self._repository, self._names = repository, names
        self._indexes: dict[tuple[str, str], Mapping[str, Sequence[Symbol]]] = {}
        self._owners: dict[Symbol, Symbol | None] = {}
        self._above: dict[Symbol, Sequence[Target | None]] = {}

    def language(self, path: str) -> PlainLanguage | None:
        """The plain language of a file, None for any other."""
        return self._repository.language(path).plain

    def is_open(self, symbol: Symbol) -> bool:
        """Whether a definition is named by its path alone: it is one that several files add to, or in such a one."""
        plain = self.language(symbol.path)
        source = self._names(symbol.path).source
        if plain is None or symbol.at == MODULE or symbol.at in source.hidden:
            return False
        each = source.definitions[symbol.at]
        if each.parent != MODULE:
            return self.is_open(Symbol(symbol.path, each.parent))
        return each.kind in plain.open_kinds

    def containers(self, symbol: Symbol) -> list[Symbol]:
        """What contains a definition: the one around it, and the file for what is in namespaces only."""
        each = self._definition(symbol)
        owner = self.type_of_method(symbol) or Symbol(symbol.path, each.parent)
        if owner.at == MODULE or self._definition(owner).kind != "module":
            return [] if each.kind == "module" and self.is_open(symbol) else [owner]
        return [owner] if each.kind == "module" else [owner, Symbol(symbol.path, MODULE)]

    def resolve(self, path: str, reference: Reference) -> Target | None:
        """What a reference means, None where that is not certain."""
        plain, source = self.language(path), self._names(path).source
        scope, receiver, name = reference.scope, reference.receiver, reference.name
        if plain is None or receiver == OBJECT:
            return None
        is_call = reference.relation == "calls"
        if not is_call and scope != MODULE:
            scope = source.definitions[scope].parent
        if is_call and receiver in plain.own | plain.above:
            owner = self._class_around(path, scope)
            return self._member(owner, name, above=receiver in plain.above) if owner is not None else None
        if not receiver:
            found = self._bare(path, name, scope, is_call=is_call)
        elif receiver.startswith("."):  # as `::f` and `\a\f`, from the top
            found = self._one(self._seen(path, f"{receiver}.{name}".strip(".")))
        else:
            found = self._bare(path, receiver, scope, is_call=False)
            if isinstance(found, External):
                return External(f"{found.name}.{name}")
            is_made = name == plain.maker and isinstance(found, Symbol) and self._definition(found).kind == "class"
            found = (found and self._member(found, name)) or (found if is_made else None)
            if is_made:
                return found
        kind = self._definition(found).kind if isinstance(found, Symbol) and found.at != MODULE else ""
        if is_call:
            return None if kind == "module" or (kind in TYPES and plain.maker != CALLED) else found
        return None if kind in {"function", "method"} else found

    def imported(self, path: str, imported: Import) -> Target | None:
        """What an import means: a file, a definition or something external; None where that is not certain."""
        if imported.is_path:
            files = self._files(path, imported.module)
            if not files:
                return None if imported.module.startswith(".") else External(imported.module)
            return Symbol(files[0], MODULE) if len(files) == 1 else None
        member = "" if imported.member == ANY else imported.member
        full = f"{imported.module}.{member}" if member else imported.module
        found = self._seen(path, full)
        if found:
            return self._one(found)
        return None if member and self._seen(path, imported.module) else External(full)

    def module(self, path: str, imported: Import) -> Symbol | None:
        """The file of what an import means, None for what is not known or is in several files."""
        found = self.imported(path, imported)
        if not isinstance(found, Symbol):
            return None
        if found.at == MODULE:
            return found
        files = {each.path for each in self._seen(path, self._definition(found).path)}
        return Symbol(found.path, MODULE) if len(files) == 1 and self._definition(found).kind != "module" else None

    def type_of_method(self, method: Symbol) -> Symbol | None:
        """The type of a method that stands outside of it, None for any other definition."""
        if method not in self._owners:
            self._owners[method] = None  # while it is looked for
            written = self._names(method.path).source.owners.get(method.at, "")
            found = (
                self._bare(method.path, written, self._definition(method).parent, is_call=False) if written else None
            )
            is_type = isinstance(found, Symbol) and self._definition(found).kind in TYPES
            self._owners[method] = found if isinstance(found, Symbol) and is_type else None
        return self._owners[method]

    def _definition(self, symbol: Symbol) -> Definition:
        return self._names(symbol.path).source.definitions[symbol.at]

    def _index(self, path: str) -> Mapping[str, Sequence[Symbol]]:
        """By their path, all definitions of the repository of a file in its family of languages."""
        repository = self._repository
        key = repository.root(path), repository.language(path).family
        if key not in self._indexes:
            found: dict[str, list[Symbol]] = defaultdict(list)
            for file in repository.below("", key[1]):
                if repository.root(file) == key[0]:
                    for at, each in enumerate(repository.source(file).definitions):
                        found[each.path].append(Symbol(file, at))
            self._indexes[key] = found
        return self._indexes[key]

    def _seen(self, path: str, name: str) -> list[Symbol]:
        """The definitions with a path that a file may see, without those that only other files see."""
        found = self._index(path).get(name, _NOTHING)
        return [each for each in found if each.path == path or each.at not in self._names(each.path).source.hidden]

    def _one(self, found: Iterable[Symbol]) -> Symbol | None:
        """The first of some definitions if all are of one thing."""
        found = list(found)
        things = {self._definition(each).path if self.is_open(each) else self._thing(each) for each in found}
        return found[0] if len(things) == 1 else None

    def _thing(self, symbol: Symbol) -> tuple[object, str]:
        """What a definition of a file is one of: those of a path in the file, or of a name of its type elsewhere."""
        owner = self.type_of_method(symbol)
        name = self._definition(symbol).name
        return (self._thing(owner), name) if owner is not None else (symbol.path, self._definition(symbol).path)

    def _bare(self, path: str, name: str, scope: int, *, is_call: bool) -> Target | None:
        """What a name, or a path of names, means in a scope."""
        plain, names = self.language(path), self._names(path)
        if plain is None or names.is_bound(name.partition(".")[0], scope):
            return None
        for at in _around(names, scope):
            each = names.source.definitions[at]
            owner = self.type_of_method(Symbol(path, at)) or (Symbol(path, at) if each.kind in TYPES else None)
            if owner is not None and is_call and plain.implicit:
                found = self._member(owner, name)
                if found is not None or self._has_unknown_base(owner):
                    return found
            elif owner is not None and plain.implicit:
                found = self._nested(owner, name)
                if found is not None:
                    return found
            if each.kind not in TYPES:
                is_outer = each.kind == "module" and plain.reach != "namespace"
                for prefix in _prefixes(each.path, names, each.parent, is_outer=is_outer):
                    found = [one for one in self._seen(path, f"{prefix}.{name}") if self._is_plainly_in(one, path)]
                    if found:
                        return self._one(found)
        own = [each for each in self._seen(path, name) if each.path == path]
        return self._one(own) if own else self._from_outside(path, name, scope, plain)

    def _from_outside(self, path: str, name: str, scope: int, plain: PlainLanguage) -> Target | None:
        """What a name means by the imports of its file, else in its repository."""
        names = self._names(path)
        head, _, rest = name.partition(".")
        for at in (*_around(names, scope), MODULE):
            imported = names.imports.get((at, head))
            if imported is not None:
                found = self.imported(path, imported)
                if isinstance(found, External):
                    return External(f"{found.name}.{rest}" if rest else found.name)
                return self._nested(found, rest) if rest and found is not None else found
        index, starred, included = self._index(path), list[Symbol](), set[str]()
        for imported in names.star_imports:
            if imported.is_path:
                included.update(self._files(path, imported.module))
            else:
                starred += self._seen(path, f"{imported.module}.{name}")
        found = [each for each in index.get(name, _NOTHING) if each.path in included] + starred
        if found:
            return self._one(found)
        in_namespace = names.source.definitions and names.source.definitions[0].kind == "module"
        if plain.reach == "namespace" and in_namespace:
            return None
        return self._one(self._seen(path, name))

    def _is_plainly_in(self, symbol: Symbol, path: str) -> bool:
        """Whether a definition is in this file or is named by its path alone."""
        return symbol.path == path or self.is_open(symbol)

    def _nested(self, owner: Symbol, name: str) -> Symbol | None:
        """The definition with a path in another one."""
        if owner.at == MODULE:
            return None
        found = self._seen(owner.path, f"{self._definition(owner).path}.{name}")
        return self._one(each for each in found if self._is_plainly_in(each, owner.path))

    def _member(self, owner: Target, name: str, *, above: bool = False) -> Symbol | None:
        """What a class, or the nearest known class above it, has by a name; the member of a namespace."""
        if not isinstance(owner, Symbol) or owner.at == MODULE:
            return None
        if self._definition(owner).kind not in TYPES:
            return self._nested(owner, name)
        for each in list(self._with_bases(owner))[above:]:
            found = [
                one
                for one in self._seen(each.path, f"{self._definition(each).path}.{name}")
                if self._is_plainly_in(one, each.path) or self.type_of_method(one) == each
            ]
            if not found:
                found = [
                    one
                    for one in self._seen(each.path, f"{self._definition(each).name}.{name}")
                    if self.type_of_method(one) == each
                ]
            if found:
                return self._one(found)
        return None

    def _class_around(self, path: str, scope: int) -> Symbol | None:
        """The class of the nearest method around a scope."""
        names = self._names(path)
        for at in _around(names, scope):
            if names.source.definitions[at].kind in TYPES:
                return Symbol(path, at)
            if at in names.source.owners:
                return self.type_of_method(Symbol(path, at))
        return None

    def _bases(self, owner: Symbol) -> Sequence[Target | None]:
        """What a class extends and implements, in all of its parts."""
        if owner not in self._above:
            parts = self._seen(owner.path, self._definition(owner).path) if self.is_open(owner) else [owner]
            self._above[owner] = [
                self.resolve(part.path, reference)
                for part in parts
                for reference in self._names(part.path).bases.get(part.at, ())
            ]
        return self._above[owner]

    def _has_unknown_base(self, owner: Symbol) -> bool:
        return any(not isinstance(base, Symbol) for each in self._with_bases(owner) for base in self._bases(each))

    def _with_bases(self, owner: Symbol) -> Iterator[Symbol]:
        """A class and the known classes above it, the nearest first; none behind one that is not known."""
        pending, seen = [owner], set[Symbol]()
        while pending and len(seen) < MAX_BASES:
            each = pending.pop(0)
            if each in seen:
                continue
            seen.add(each)
            yield each
            above = self._bases(each)
            known = [base for base in above if isinstance(base, Symbol)]
            pending = [*known, *pending] if len(known) == len(above) else []

    def _files(self, path: str, module: str) -> Sequence[str]:
        """The files that a path in a file may mean: beside it, else wherever a path ends like that."""
        plain = self.language(path)
        suffix = plain.path_suffix if plain is not None and not module.endswith(plain.path_suffix) else ""
        beside = joined(parent_of(path), f"{module}{suffix}")
        if beside and self._repository.has(beside):
            return [beside]
        if module.startswith("."):
            return []
        found = self._repository.ending_with(f"{module.lstrip('/')}{suffix}")
        return [each for each in found if self._repository.root(each) == self._repository.root(path)]


def _around(names: FileNames, scope: int) -> Iterator[int]:
    """The definitions around a scope, the nearest first."""
    while scope != MODULE:
        yield scope
        scope = names.source.definitions[scope].parent


def _prefixes(path: str, names: FileNames, parent: int, *, is_outer: bool) -> Iterator[str]:
    """The path of a definition, and, for a namespace of several parts, those of the namespaces around it."""
    yield path
    around = names.source.definitions[parent].path if parent != MODULE else ""
    while is_outer and (path := path.rpartition(".")[0]) and path != around:
        yield path
