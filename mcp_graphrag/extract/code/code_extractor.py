"""The extractor of source code: definitions as entities, and how they hang together as triples."""

import builtins
from collections.abc import Sequence
from functools import partial

from mcp_graphrag.extract.code.chunk_findings import MAX_NAME, ChunkFindings, End
from mcp_graphrag.extract.code.file_names import External, Symbol, Target
from mcp_graphrag.extract.code.find_modules import library_of, names_file
from mcp_graphrag.extract.code.project_files import Defined, is_project_file, read_project_file
from mcp_graphrag.extract.code.repository import PACKAGE_FILES, KnownFiles, Repository, name_of, path_of
from mcp_graphrag.extract.code.resolver import SUPER, Resolver
from mcp_graphrag.extract.code.sql_extractor import SqlFindings, named_query, said_in
from mcp_graphrag.extract.code.symbol_names import SymbolNames
from mcp_graphrag.extract.code.tested import is_marked_test, is_test, tested, tested_module
from mcp_graphrag.extract.code.value_types import TypedResolver
from mcp_graphrag.model import AliasFound, Chunk, Document, Extraction, Mention
from mcp_graphrag.source_code import (
    EXTRA,
    OTHER_SOURCE,
    Import,
    Reference,
    SourceFile,
    is_test_file,
    language_of,
    without_grammar,
)
from mcp_graphrag.source_code.source_file import MODULE
from mcp_graphrag.source_code.sql import SQL

UNRESOLVED = {
    "calls": "calls of what is not certain",
    "extends": "base classes that are not certain",
    "implements": "interfaces that are not certain",
    "decorated_by": "decorators that are not certain",
    "raises": "exceptions raised that are not certain",
    "catches": "exceptions caught that are not certain",
}
UNKNOWN_FILES = "imports of files of the repository that are not known"
_OF_CLASSES = frozenset({"extends", "implements", "raises", "catches"})
LONG_NAME = f"definitions with a name of more than {MAX_NAME} characters"
_BUILTINS = frozenset(dir(builtins))
_CERTAIN, _BY_NAME = 1.0, 0.9  # confidence: what stands in the file, what follows from the name of a test
_NOT_IMPORTED = frozenset({"__future__"})


class CodeExtractor:
    """Reads SQL, the languages that there is a grammar for, and dependencies in project files; nothing else.

    Names are resolved in the known files, among which the given documents always are.
    """

    name = "code"
    version = "7"

    def __init__(self, _max_entities: int = 0, _max_triples: int = 0, known: KnownFiles | None = None) -> None:
        # No limit of a chunk applies: what the syntax states is certain.
        self._resolver = TypedResolver(Repository(known)) if known is not None else None

    def with_files(self, known: KnownFiles) -> "CodeExtractor":
        """An extractor that resolves names in these files too."""
        return CodeExtractor(known=known)

    def extract_all(self, documents: Sequence[tuple[Document, Sequence[Chunk]]]) -> list[list[Extraction]]:
        """The extractions of each document, one for each chunk."""
        resolver = self._resolver or TypedResolver(_repository_of([document for document, _ in documents]))
        repository = resolver.repository
        return [
            _File(document, chunks, resolver).read()
            if language_of(document.media_type) is not None
            else SqlFindings(document, chunks, repository).read()
            if document.media_type == SQL
            else read_project_file(document, list(chunks), partial(_entry_point, resolver, path_of(document.uri)))
            if is_project_file(document)
            else _without_grammar(document, chunks)
            for document, chunks in documents
        ]


def _without_grammar(document: Document, chunks: Sequence[Chunk]) -> list[Extraction]:
    """Nothing, counted for a file in a language whose grammar is an extra that is not installed."""
    language = without_grammar(document.uri) if document.media_type == OTHER_SOURCE else ""
    missing = {f"structure of files in {language}, which `pip install '{EXTRA}'` reads": 1} if language else {}
    return [Extraction(dropped=missing if not at else {}) for at in range(len(chunks))]


def _entry_point(resolver: Resolver, path: str, named: str) -> Defined | None:
    found = resolver.entry_point(path, named)
    names = SymbolNames(resolver)
    type_ = names.type(found) if found is not None else None
    return Defined(names.name(found), type_) if found is not None and type_ is not None else None


def _repository_of(documents: Sequence[Document]) -> Repository:
    texts = {document.uri: document.text for document in documents}
    return Repository(KnownFiles({document.uri: document.media_type for document in documents}, texts.__getitem__))


class _File(ChunkFindings):
    """A file while its triples are found."""

    def __init__(self, document: Document, chunks: Sequence[Chunk], resolver: Resolver) -> None:
        super().__init__(document.text, chunks)
        self._path = path_of(document.uri)
        self._resolver, self._repository = resolver, resolver.repository
        self._names = SymbolNames(resolver)
        self._unknown: dict[str, int] = {}
        self._used: dict[int, dict[Target, Reference]] = {}
        self._related: set[tuple[Symbol, Target]] = set()

    def read(self) -> list[Extraction]:
        """The extractions of the chunks."""
        source = self._resolver.names(self._path).source
        self._define(source)
        # A use that another predicate says is no reference besides.
        for reference in sorted(source.references, key=lambda each: each.relation == "references"):
            self._refer(source, reference)
        modules = [(target, each) for each in source.imports for target in self._import(each)]
        self._test(source, modules)
        for start in self._unknown.values():
            self._found[self._chunk_at(start)[0]].dropped[UNKNOWN_FILES] += 1
        for string in source.strings:
            for predicate, used, span in said_in(string, self._repository.sql_schema):
                self._relate(Symbol(self._path, string.scope), predicate, External(used.name), span, used.type)
        return self.extractions()

    def _define(self, source: SourceFile) -> None:
        own = Symbol(self._path, MODULE)
        if self._chunks:
            self._found[0].mentions.append(Mention(self._names.name(own), "Module", 0, 0))
            self._alias(own, 0, 0)
        for index, each in enumerate(source.definitions):
            symbol = Symbol(self._path, index)
            name = self._names.name(symbol)
            at, chunk = self._chunk_at(each.name_start)
            if len(name) > MAX_NAME:
                self._found[at].dropped[LONG_NAME] += 1
                continue
            start = each.name_start - chunk.start
            self._found[at].mentions.append(Mention(name, self._names.type(symbol), start, start + len(each.name)))
            self._alias(symbol, each.name_start, each.name_start + len(each.name))
            for owner in self._resolver.containers(symbol):
                self._relate(owner, "contains", symbol, (each.name_start, each.name_start + len(each.name)))

    def _alias(self, symbol: Symbol, start: int, end: int) -> None:
        at, chunk = self._chunk_at(start)
        name, type_ = self._names.name(symbol), self._names.type(symbol)
        quote = self._text[start:end]
        for alias in self._names.aliases(symbol):
            if alias != name and len(alias) <= MAX_NAME:
                self._found[at].aliases.append(
                    AliasFound(name, alias, quote, start - chunk.start, end - chunk.start, type_)
                )

    def _import(self, imported: Import) -> list[Symbol]:
        """The known module that is imported, and the definition of it, after both are stored."""
        if imported.module in _NOT_IMPORTED:
            return []
        target = self._resolver.imported(self._path, imported)
        subject, span = self._names.module_of(self._path), (imported.start, imported.end)
        if isinstance(target, External):
            family = self._repository.language(self._path).family
            self._relate(subject, "imports", External(library_of(family, imported.module)), span, "Library")
            if imported.module != library_of(family, imported.module):
                self._relate(subject, "imports", External(imported.module), span, "Module")
            return []
        module = self._resolver.module(self._path, imported)
        if module is None and target is None and names_file(self._repository.language(self._path), imported.module):
            self._unknown.setdefault(imported.module, imported.start)
        found = list(dict.fromkeys(each for each in (module, target) if each is not None))
        for each in found:
            self._relate(subject, "imports", each, span)
        if isinstance(target, Symbol) and target.at != MODULE and name_of(self._path) in PACKAGE_FILES:
            self._alias_of_package(target, imported)
        return found

    def _alias_of_package(self, target: Symbol, imported: Import) -> None:
        """Note the names by which a package hands on what it imports: "shop.till.Till" for shop.till.core.Till."""
        at, chunk = self._chunk_at(imported.start)
        start, end = imported.start - chunk.start, min(imported.end, chunk.end) - chunk.start
        package = self._names.name(Symbol(self._path, MODULE))
        for name in dict.fromkeys((package, package.rpartition(".")[2])):
            alias = f"{name}.{imported.local}"
            if imported.local and len(alias) <= MAX_NAME:
                found = AliasFound(
                    self._names.name(target), alias, chunk.text[start:end], start, end, self._names.type(target)
                )
                self._found[at].aliases.append(found)

    def _refer(self, source: SourceFile, reference: Reference) -> None:
        target = self._resolver.resolve(self._path, reference)
        if target is None and reference.relation in _OF_CLASSES and source.language == "python":
            target = External(reference.name) if not reference.receiver and reference.name in _BUILTINS else None
        if reference.name == SUPER and target is None:
            return
        subject = self._subject(reference)
        if reference.relation == "references" and (
            not isinstance(target, Symbol) or (subject, target) in self._related
        ):
            return
        if target is None or subject is None or target == Symbol(self._path, MODULE):
            query = named_query(reference, self._repository.sql_schema) if target is None else None
            if query is not None and subject is not None:
                self._relate(subject, "calls", External(query.name), (reference.start, reference.end), query.type)
                return
            at, _ = self._chunk_at(reference.start)
            self._found[at].dropped[UNRESOLVED[reference.relation]] += 1
            return
        self._related.add((subject, target))
        if reference.relation == "calls":
            self._used.setdefault(reference.scope, {}).setdefault(target, reference)
            constructor = self._resolver.constructor(target)
            if constructor is not None:
                self._relate(subject, "calls", constructor, (reference.start, reference.end))
        type_ = "Class" if reference.relation in _OF_CLASSES else None
        self._relate(subject, reference.relation, target, (reference.start, reference.end), type_)

    def _subject(self, reference: Reference) -> Symbol | None:
        """The definition that a name is used in; None for a type of another file that is not known."""
        if not reference.subject:
            return Symbol(self._path, reference.scope)
        receiver, _, name = reference.subject.rpartition(".")
        found = self._resolver.resolve(self._path, reference._replace(name=name, receiver=receiver, subject=""))
        return found if isinstance(found, Symbol) and self._names.type(found) == "Class" else None

    def _test(self, source: SourceFile, modules: Sequence[tuple[Symbol, Import]]) -> None:
        """Store what the tests of the file test."""
        in_test_file = is_test_file(self._path)
        classes = [*(target for target, _ in modules), *(target for used in self._used.values() for target in used)]
        classes = [target for target in classes if self._names.type(target) == "Class"]
        for index, each in enumerate(source.definitions):
            if not (in_test_file and is_test(each)) and not is_marked_test(each, self._text):
                continue
            symbol = Symbol(self._path, index)
            used = [(target, self._own_name(target)) for target in self._used.get(index, ())]
            if each.kind == "class":
                used = [(target, self._own_name(target)) for target in classes]
            for target in dict.fromkeys(tested(each.name, used)):
                if isinstance(target, Symbol) and not is_test_file(target.path):
                    at = each.name_start
                    self._relate(symbol, "tests", target, (at, at + len(each.name)), confidence=_BY_NAME)
        if not in_test_file:
            return
        files = [(target, _stem(target.path)) for target, _ in modules]
        spans = {target: (each.start, each.end) for target, each in modules}
        for target in dict.fromkeys(tested_module(_stem(self._path), files)):
            self._relate(Symbol(self._path, MODULE), "tests", target, spans[target], confidence=_BY_NAME)

    def _own_name(self, target: Target) -> str:
        definition = self._resolver.definition(target) if isinstance(target, Symbol) else None
        return definition.name if definition is not None else ""

    def _relate(
        self,
        subject: Symbol,
        predicate: str,
        object_: Target,
        span: tuple[int, int],
        type_: str | None = None,
        *,
        confidence: float = _CERTAIN,
    ) -> None:
        """Add a triple once in a chunk, with the line of the span as its quote."""
        used = End(self._names.name(object_), self._names.type(object_) or type_)
        if (user := End(self._names.name(subject), self._names.type(subject))).name != used.name:
            self.relate(user, predicate, used, span, confidence=confidence)


def _stem(path: str) -> str:
    return name_of(path).partition(".")[0]
