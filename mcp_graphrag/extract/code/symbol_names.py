"""The names of entities of code: qualified, so that they are unique in a repository, and short ones as aliases."""

from collections.abc import Iterator, Mapping

from mcp_graphrag.extract.code.file_names import External, Symbol, Target
from mcp_graphrag.extract.code.repository import KnownFiles, Repository, name_of, path_of, relative_to
from mcp_graphrag.extract.code.resolver import Resolver
from mcp_graphrag.source_code.source_file import MODULE, Kind

_TYPES: dict[Kind, str] = {
    "module": "Module",
    "class": "Class",
    "interface": "Class",
    "object": "Module",
    "function": "Function",
    "method": "Method",
    "value": "Variable",
}

_MODULES_OF_FOLDERS = frozenset({"go", "java"})  # languages in which files share a module


class SymbolNames:
    """Names and types of what a resolver finds."""

    def __init__(self, resolver: Resolver) -> None:
        self._repository, self._resolver = resolver.repository, resolver
        self._names: dict[Symbol, str] = {}

    def name(self, target: Target) -> str:
        """The qualified name: `package.module.Class.method`, with "::" in Rust and the import path in Go."""
        if isinstance(target, External):
            return target.name
        found = self._names.get(target)
        if found is None:
            found = self._names[target] = self._qualified(target)
        return found

    def _qualified(self, target: Symbol) -> str:
        module = self._repository.module(target.path)
        definition = self._resolver.definition(target)
        if definition is None:
            is_own = self._repository.language(target.path).family not in _MODULES_OF_FOLDERS and self._defines(
                target, module
            )
            return relative_to(target.path, self._repository.root(target.path)) if is_own else module
        language = self._repository.language(target.path)
        mark = "::" if language.family == "rust" else language.plain.mark if language.plain is not None else "."
        if self._resolver.plain.is_open(target):
            return definition.path.replace(".", mark)
        first = mark if language.family == "rust" else "."  # behind a file
        owner = self._resolver.type_of_method(target)
        if owner is not None:
            return f"{self.name(owner)}{mark}{definition.name}"
        return f"{module}{first}{definition.path.replace('.', mark)}"

    def _defines(self, file: Symbol, name: str) -> bool:
        """Whether a file defines something of a name; entities of names that differ in case only are one."""
        definitions = self._resolver.names(file.path).source.definitions
        return any(each.name.casefold() == name.casefold() for each in definitions)

    def type(self, target: Target) -> str | None:
        """Its type in the ontology of code, None for what is not known."""
        if isinstance(target, External):
            return None
        definition = self._resolver.definition(target)
        return _TYPES[definition.kind] if definition is not None else "Module"

    def module_of(self, path: str) -> Symbol:
        """What imports the imports of a file: the file, or in Java its first class, as a package has many files."""
        if self._repository.language(path).family == "java":
            for index, each in enumerate(self._resolver.names(path).source.definitions):
                if each.parent == MODULE:
                    return Symbol(path, index)
        return Symbol(path, MODULE)

    def aliases(self, symbol: Symbol) -> Iterator[str]:
        """Other names of a symbol: "get" and "Session.get", and for a file its path and last name."""
        definition = self._resolver.definition(symbol)
        if definition is not None:
            if definition.name.casefold() != self.name(Symbol(symbol.path, MODULE)).casefold():
                yield definition.name
            owner = self._resolver.type_of_method(symbol)
            of_owner = self._resolver.definition(owner) if owner is not None else None
            if of_owner is not None:
                yield f"{of_owner.path}.{definition.name}"
            elif "." in definition.path:
                if self._repository.language(symbol.path).plain is not None:  # "DB.get" of "leveldb.DB.get"
                    yield ".".join(definition.path.split(".")[-2:])
                yield definition.path
        elif self._repository.language(symbol.path).family not in _MODULES_OF_FOLDERS:
            yield name_of(symbol.path)
            module = self._repository.module(symbol.path)
            last = module.rpartition(".")[2].rpartition("/")[2].rpartition(":")[2]
            if not self._defines(symbol, last):  # in retry.py, Retry is the class
                yield last
            yield relative_to(symbol.path, self._repository.root(symbol.path))


class CodeNames:
    """The entities of the files of a repository and of their definitions, as the extractor of code names them."""

    def __init__(self, known: KnownFiles) -> None:
        self._resolver = Resolver(Repository(known))
        self._names = SymbolNames(self._resolver)

    def of_file(self, uri: str, otherwise: str) -> tuple[tuple[str, str], Mapping[str, tuple[str, str]]]:
        """(name, type) of a file, and of its definitions by their path in it.

        Its name is `otherwise`, with the type "File", where no entity of code is that file: a package of Go has many.
        """
        path = path_of(uri)
        if not self._resolver.repository.has(path):
            return (otherwise, "File"), {}
        definitions = self._resolver.names(path).by_path
        module = self._names.module_of(path)
        is_shared = module.at == MODULE and self._resolver.repository.language(path).family in _MODULES_OF_FOLDERS
        own = (otherwise, "File") if is_shared else self._entity(module)
        return own, {name: self._entity(Symbol(path, at)) for name, at in definitions.items()}

    def _entity(self, symbol: Symbol) -> tuple[str, str]:
        return self._names.name(symbol), self._names.type(symbol) or ""
