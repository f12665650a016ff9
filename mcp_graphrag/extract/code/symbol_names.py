"""The names of entities of code: qualified, so that they are unique in a repository, and short ones as aliases."""

from collections.abc import Iterator

from mcp_graphrag.extract.code.repository import name_of, relative_to
from mcp_graphrag.extract.code.resolver import External, Resolver, Symbol, Target
from mcp_graphrag.source_code.source_file import MODULE, Kind

_TYPES: dict[Kind, str] = {
    "module": "Module",
    "class": "Class",
    "interface": "Class",
    "function": "Function",
    "method": "Method",
}


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
            return module
        if self._repository.language(target.path).family == "rust":
            return f"{module}::{definition.path.replace('.', '::')}"
        return f"{module}.{definition.path}"

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
            yield definition.name
            if "." in definition.path:
                yield definition.path
        elif self._repository.language(symbol.path).family not in {"go", "java"}:
            yield name_of(symbol.path)
            last = self.name(symbol).rpartition(".")[2].rpartition("/")[2].rpartition(":")[2]
            defined = (each.name.casefold() for each in self._resolver.names(symbol.path).source.definitions)
            if last.casefold() not in defined:  # in retry.py, Retry is the class
                yield last
            yield relative_to(symbol.path, self._repository.root(symbol.path))
