"""Methods that stand in other files than their types, as in Go and Rust."""

from collections.abc import Callable, Mapping

from mcp_graphrag.extract.code.find_modules import same_package
from mcp_graphrag.extract.code.repository import Repository
from mcp_graphrag.extract.code.symbols import Symbol
from mcp_graphrag.source_code import Definition


class MethodsElsewhere:
    """The methods of types that stand in other files of their package or crate, by the type."""

    def __init__(self, repository: Repository, type_of_method: Callable[[Symbol], Symbol | None]) -> None:
        self._repository, self._type_of_method = repository, type_of_method
        self._found: dict[Symbol, dict[str, Symbol]] = {}

    def of(self, owner: Symbol, definition: Definition) -> Mapping[str, Symbol]:
        """The methods of a type by name."""
        found = self._found.get(owner)
        if found is None:
            # While its methods are looked for, it has none: their types may be named by way of it.
            found = self._found[owner] = {}
            for path in self._files(owner.path, definition.name):
                for at in self._repository.source(path).owners:
                    method = Symbol(path, at)
                    if self._type_of_method(method) == owner:
                        found.setdefault(self._repository.source(path).definitions[at].name, method)
        return found

    def _files(self, path: str, type_: str) -> list[str]:
        """The files in which methods of a type may stand."""
        family = self._repository.language(path).family
        if family == "go":
            return list(same_package(self._repository, path))
        if family != "rust":
            return []
        crate = self._repository.crate_root(path)
        return [at for at in self._repository.below(crate, family) if at != path and type_ in self._repository.text(at)]
