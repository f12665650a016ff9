"""What names mean in the languages that a query file describes: one thing by the rules of scope, or nothing.

A name is looked for around its place, in its file, in what the file imports or includes, in its namespace, and, where
the language has no modules, in the repository: there it must be one definition.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from mcp_graphrag.extract.code.file_names import External, FileNames, Symbol, Target
from mcp_graphrag.extract.code.repository import Repository, joined, parent_of
from mcp_graphrag.source_code import Definition, Import, Reference
from mcp_graphrag.source_code.plain_languages import CALLED, PlainLanguage
from mcp_graphrag.source_code.source_file import ANY, MODULE, OBJECT, TYPES

MAX_BASES = 20  # classes above a class that are looked at


class PlainNames:
    """Resolves the references and imports of the files of plain languages in a repository."""

    def __init__(self, repository: Repository, names: Callable[[str], FileNames]) -> None:
        self._repository, self._names = repository, names
        self._indexes: dict[tuple[str, str], Mapping[str, Sequence[Symbol]]] = {}
        self._owners: dict[Symbol, Symbol | None] = {}
        self._imported: dict[str, tuple[Set[str], Sequence[str]]] = {}
        self._above: dict[Symbol, Sequence[Target | None]] = {}

    def language(self, path: str) -> PlainLanguage | None:
        """The plain language of a file, None for any other."""
        return self._repository.language(path).plain

    def is_open(self, symbol: Symbol) -> bool:
        """Whether a definition is named by its path alone: it is one that several files add to, or in such a one."""
        plain = self.language(symbol.path)
        if plain is None or symbol.at == MODULE or symbol.at in self._names(symbol.path).source.hidden:
            return False
        *_, outermost = _around(self._names(symbol.path), symbol.at)
        return self._definition(Symbol(symbol.path, outermost)).kind in plain.open_kinds

    def containers(self, symbol: Symbol) -> list[Symbol]:
        """What contains a definition: the one around it, and the file for what is in namespaces only."""
        each, file = self._definition(symbol), Symbol(symbol.path, MODULE)
        owner = self.type_of_method(symbol) or Symbol(symbol.path, each.parent)
        if each.kind == "module" and self.is_open(symbol):
            return [owner] if owner != file else []
        return [owner, file] if owner != file and self._kind(owner) == "module" else [owner]

    def resolve(self, path: str, reference: Reference) -> Target | None:
        """What a reference means, None where that is not certain."""
        plain, scope, receiver, name = self.language(path), reference.scope, reference.receiver, reference.name
        if plain is None or receiver == OBJECT:
            return None
        is_call = reference.relation == "calls"
        if not is_call and scope != MODULE:
            scope = self._names(path).source.definitions[scope].parent
        if is_call and receiver in plain.own | plain.above:
            owner = self._class_around(path, scope)
            return self._one(self._of_class(owner, name, above=receiver in plain.above)) if owner is not None else None
        if not receiver:
            found = self._bare(path, name, scope, is_call=is_call)
        elif receiver.startswith("."):  # as `::f` and `\a\f`, from the top
            found = self._one(self._seen(path, f"{receiver}.{name}".strip(".")))
        else:
            owner = self._bare(path, receiver, scope, is_call=False)
            if not isinstance(owner, Symbol):
                return External(f"{owner.name}.{name}") if owner is not None else None
            found = self._one(self._of_class(owner, name) if is_call else self._inside(owner, name))
            if name == plain.maker and self._kind(owner) == "class":
                return found or owner
        kind = self._kind(found) if isinstance(found, Symbol) else ""
        wrong = {"module", *(TYPES if plain.maker != CALLED else ())} if is_call else {"function", "method"}
        return None if kind in wrong else found

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
        is_known = found or (member and self._seen(path, imported.module))
        return self._one(found) if is_known else External(full)

    def module(self, path: str, imported: Import) -> Symbol | None:
        """The file of what an import means, None for what is not known or is in several files."""
        found = self.imported(path, imported)
        if not isinstance(found, Symbol) or self._kind(found) == "module":
            return None
        several = found.at != MODULE and len(self._seen(path, self._definition(found).path)) > 1
        return None if several else Symbol(found.path, MODULE)

    def type_of_method(self, method: Symbol) -> Symbol | None:
        """The type of a method that stands outside of it, None for any other definition."""
        written = self._names(method.path).source.owners.get(method.at, "")
        if written and method not in self._owners:
            self._owners[method] = None  # while it is looked for
            found = self._bare(method.path, written, self._definition(method).parent, is_call=False)
            if isinstance(found, Symbol) and self._kind(found) in TYPES:
                self._owners[method] = found
        return self._owners.get(method)

    def _definition(self, symbol: Symbol) -> Definition:
        return self._names(symbol.path).source.definitions[symbol.at]

    def _kind(self, symbol: Symbol) -> str:
        return self._definition(symbol).kind if symbol.at != MODULE else ""

    def _index(self, path: str) -> Mapping[str, Sequence[Symbol]]:
        """By their path, all definitions of the repository of a file in its family of languages."""
        repository = self._repository
        key = repository.root(path), repository.language(path).family
        if key not in self._indexes:
            found = self._indexes[key] = defaultdict[str, list[Symbol]](list)
            for file in repository.below("", key[1]):
                if repository.root(file) == key[0]:
                    for at, each in enumerate(repository.source(file).definitions):
                        found[each.path].append(Symbol(file, at))
        return self._indexes[key]

    def _seen(self, path: str, name: str) -> list[Symbol]:
        """The definitions with a path that a file may see, without those that only other files see."""
        found = self._index(path).get(name, ())
        return [each for each in found if each.path == path or each.at not in self._names(each.path).source.hidden]

    def _one(self, found: Iterable[Symbol]) -> Symbol | None:
        """The first of some definitions if all are of one thing: of one path, in a file unless that is open."""
        found = list(found)
        things = {
            (self._definition(each).path, "" if self.is_open(each) else self.type_of_method(each) or each.path)
            for each in found
        }
        return found[0] if len(things) == 1 else None

    def _bare(self, path: str, name: str, scope: int, *, is_call: bool) -> Target | None:
        """What a name, or a path of names, means in a scope."""
        plain, names = self.language(path), self._names(path)
        if plain is None or names.is_bound(name.partition(".")[0], scope):
            return None
        for at in _around(names, scope):
            each = names.source.definitions[at]
            owner = self.type_of_method(Symbol(path, at)) or Symbol(path, at)
            if is_call and plain.implicit and self._kind(owner) in TYPES:
                found = self._of_class(owner, name)
                if found or self._has_unknown_base(owner):
                    return self._one(found)
            elif plain.implicit or self._kind(owner) not in TYPES:
                found = self._inside(owner, name)
                outer = each.path if each.kind == "module" and plain.reach != "namespace" else ""
                while not found and (outer := outer.rpartition(".")[0]):
                    found = [one for one in self._seen(path, f"{outer}.{name}") if self.is_open(one)]
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
            found = self.imported(path, imported) if imported is not None else None
            if isinstance(found, External) and rest:
                return External(f"{found.name}.{rest}")
            if imported is not None:
                return self._one(self._inside(found, rest)) if rest and isinstance(found, Symbol) else found
        files, namespaces = self._brought(path)
        brought = [each for each in self._index(path).get(name, ()) if each.path in files]
        brought += [each for namespace in namespaces for each in self._seen(path, f"{namespace}.{name}")]
        if brought or plain.reach != "namespace" or all(each.kind != "module" for each in names.source.definitions):
            return self._one(brought or self._seen(path, name))
        return None

    def _brought(self, path: str) -> tuple[Set[str], Sequence[str]]:
        """The files and namespaces of which a file imports all names."""
        if path not in self._imported:
            every = self._names(path).star_imports
            files = {file for each in every if each.is_path for file in self._files(path, each.module)}
            self._imported[path] = files, [each.module for each in every if not each.is_path]
        return self._imported[path]

    def _inside(self, owner: Symbol, name: str) -> list[Symbol]:
        """The definitions with a path in another one."""
        found = self._seen(owner.path, f"{self._definition(owner).path}.{name}") if owner.at != MODULE else []
        return [
            one for one in found if one.path == owner.path or self.is_open(one) or self.type_of_method(one) == owner
        ]

    def _of_class(self, owner: Symbol, name: str, *, above: bool = False) -> list[Symbol]:
        """What a class, or the nearest known class above it, has by a name; the members of a namespace."""
        found = (self._inside(each, name) for each in list(self._with_bases(owner))[above:])
        return next(filter(None, found), list[Symbol]())

    def _class_around(self, path: str, scope: int) -> Symbol | None:
        """The class of the nearest method around a scope."""
        found = (self.type_of_method(Symbol(path, at)) or Symbol(path, at) for at in _around(self._names(path), scope))
        return next((each for each in found if self._kind(each) in TYPES), None)

    def _bases(self, owner: Symbol) -> Sequence[Target | None]:
        """What a class extends and implements, in all of its parts."""
        if owner not in self._above:
            parts = self._seen(owner.path, self._definition(owner).path) if self.is_open(owner) else [owner]
            bases = [(part.path, base) for part in parts for base in self._names(part.path).bases.get(part.at, ())]
            self._above[owner] = [self.resolve(path, base) for path, base in bases]
        return self._above[owner]

    def _has_unknown_base(self, owner: Symbol) -> bool:
        return any(not isinstance(base, Symbol) for each in self._with_bases(owner) for base in self._bases(each))

    def _with_bases(self, owner: Symbol) -> Iterator[Symbol]:
        """A class and the known classes above it, the nearest first; none behind one that is not known."""
        pending, seen = [owner], set[Symbol]()
        while pending and len(seen) < MAX_BASES:
            each = pending.pop(0)
            if each not in seen and each.at != MODULE:
                seen.add(each)
                yield each
                above = self._bases(each)
                known = [base for base in above if isinstance(base, Symbol)]
                pending = [*known, *pending] if len(known) == len(above) else []

    def _files(self, path: str, module: str) -> Sequence[str]:
        """The files that a path in a file may mean: beside it, else wherever a path ends like that."""
        plain, repository = self.language(path), self._repository
        module += plain.path_suffix if plain is not None and not module.endswith(plain.path_suffix) else ""
        beside = joined(parent_of(path), module)
        if module.startswith(".") or repository.has(beside):
            return [beside] if repository.has(beside) else []
        root = repository.root(path)
        return [each for each in repository.ending_with(module.lstrip("/")) if repository.root(each) == root]


def _around(names: FileNames, scope: int) -> Iterator[int]:
    """The definitions around a scope, the nearest first."""
    while scope != MODULE:
        yield scope
        scope = names.source.definitions[scope].parent
