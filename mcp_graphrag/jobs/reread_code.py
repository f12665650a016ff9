"""Source files that other files have changed under: those in which a name may mean something else are read again.

What a file means to others is in its records: definitions, imports, base classes, names that are bound or exported.
Another file can only change its meaning where it says a word of a record that is new or gone; so those are extracted
as before and as now, and stored again where that differs.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from mcp_graphrag.extract import PROJECT_NAMES, CodeExtractor, KnownFiles, has_project_name
from mcp_graphrag.jobs.batches import batches_of
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.jobs.replace_extractions import replace_extractions, stored_documents
from mcp_graphrag.jobs.store_extractions import to_read
from mcp_graphrag.model import Document, Origin
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.source_code import CODE_TYPES, SourceFile, forget_sources, is_code, language_of, read_source
from mcp_graphrag.source_code.source_file import MODULE, TYPES, Typed, TypeName
from mcp_graphrag.source_code.sql import forget_sql
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.chunk_edge_rows import chunks_of_documents
from mcp_graphrag.store.rows.document_rows import files_by_type, files_saying, find_documents, text_of_document

CODE = CodeExtractor.name
MAX_WORDS = 2_000  # that are looked for; of more all source files are read again
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class FormerFile:
    """A file as it was before an operation, with the id of its document then, which may be retired since."""

    media_type: str
    document_id: int
    text: str | None = None  # of a document that may be gone for good


Former: TypeAlias = Mapping[str, FormerFile | None]  # by uri; None for a file that was not stored


def former_files(tx: Reader, uris: Iterable[str], *, with_text: bool = False) -> dict[str, FormerFile | None]:
    """Source and project files as they are stored before an operation; None for those that are not stored.

    Other documents are left out. `with_text` where the operation may remove them for good.
    """
    stored = find_documents(tx, list(uris))
    return {
        uri: FormerFile(each.media_type, each.id, text_of_document(tx, each.id) if with_text else None)
        if each
        else None
        for uri in uris
        if (each := stored.get(uri)) is None or is_code(each.media_type) or has_project_name(uri)
    }


def reread_code(graph: GraphFile, former: Former, origin: Origin) -> None:
    """Read the source files again whose names mean something else since the given ones have changed.

    `former` has the files that were added, replaced or removed, by uri, as they were before.
    """
    if not former:
        return
    origin = replace(origin, tool="rebuild")  # what `remove` records would be a decision of the caller
    try:
        files = _Files(graph, former)
        uris = files.affected()
        before, now = (CodeExtractor(known=known) for known in (files.before, files.now))
        for batch in batches_of(stored_documents(graph, uris)):
            if changed := _differing(graph, batch, before, now):
                replace_extractions(graph, changed, [now], origin, IngestReport(), found_by=[CODE])
    finally:
        forget_sources()
        forget_sql()


def _differing(
    graph: GraphFile, documents: Sequence[Document], before: CodeExtractor, now: CodeExtractor
) -> list[Document]:
    """The documents that are extracted otherwise now."""
    with graph.reading() as snapshot:
        stored = find_documents(snapshot.tx, [each.uri for each in documents])
        chunks = chunks_of_documents(snapshot.tx, [each.id for each in stored.values()])
    texts = [(each, to_read(chunks[stored[each.uri].id])) for each in documents if each.uri in stored]
    found = zip(texts, before.extract_all(texts), now.extract_all(texts), strict=True)
    return [document for (document, _), then, today in found if then != today]


class _Files:
    """The source and project files before and now."""

    def __init__(self, graph: GraphFile, former: Former) -> None:
        self._graph = graph
        with graph.reading() as snapshot:
            rows = files_by_type(snapshot.tx, CODE_TYPES, PROJECT_NAMES)
        self._now = {uri: FormerFile(media_type, document_id) for uri, media_type, document_id in rows}
        self._former = {
            uri: each
            for uri, each in former.items()
            if (each.document_id if each else None) != (now.document_id if (now := self._now.get(uri)) else None)
        }
        before = {uri: self._former.get(uri, now) for uri, now in self._now.items()} | self._former
        self.now = self._known(self._now)
        self.before = self._known({uri: each for uri, each in before.items() if each is not None})

    def _known(self, files: Mapping[str, FormerFile]) -> KnownFiles:
        def text(uri: str) -> str:
            file = files[uri]
            if file.text is not None:
                return file.text
            with self._graph.reading() as snapshot:
                return text_of_document(snapshot.tx, file.document_id)

        return KnownFiles({uri: each.media_type for uri, each in files.items()}, text)

    def affected(self) -> list[str]:
        """The files, unchanged themselves, in which a name may mean something else."""
        projects = {uri for uri in self._now if has_project_name(uri)} - self._former.keys()
        others = {uri for uri, type_ in self.now.media_types.items() if is_code(type_)} - self._former.keys()
        if not (others or projects) or not self._former:
            return []
        if any(map(has_project_name, self._former)):
            return sorted(others | projects)  # it may name the modules of all
        records = [(self._records(self.before, uri), self._records(self.now, uri)) for uri in self._former]
        changed = {record for before, now in records for record in before ^ now}
        words = {word for record in changed for word in _WORD.findall(record)}
        types = {
            word for record in changed if record.startswith(("extends", "typed")) for word in _WORD.findall(record)
        }
        found: set[str] = set()
        new, seen = words, set[str]()
        while new and len(seen) <= MAX_WORDS:
            seen |= new
            saying = (self._saying(new) & others) - found
            found |= saying
            of_types = {each for uri in sorted(self._saying(types)) for each in self._members(uri, types)}
            new = ({each for uri in saying for each in self._renamed(uri, seen)} | of_types) - seen
        return sorted(projects | (others if len(seen) > MAX_WORDS else found))

    def _saying(self, words: set[str]) -> set[str]:
        """The files that say one of the words."""
        if not words:
            return set()
        pattern = "|".join(rf"\b{each}\b" if each.isascii() else each for each in sorted(words))
        with self._graph.reading() as snapshot:
            ids = files_saying(snapshot.tx, CODE_TYPES, pattern)
        return {uri for uri, file in self._now.items() if file.document_id in ids}

    def _source(self, known: KnownFiles, uri: str) -> SourceFile | None:
        language = language_of(known.media_types.get(uri, ""))
        return read_source(known.text(uri), language) if language else None

    def _records(self, known: KnownFiles, uri: str) -> set[str]:
        """What a file means to others, each thing as a text; nothing for a file that is not there."""
        source = self._source(known, uri)
        if source is None:  # SQL, of which others may use any word
            return set(_WORD.findall(known.text(uri))) if uri in known.media_types else set()
        return set(_records(source, uri.rpartition("/")[2]))

    def _renamed(self, uri: str, words: set[str]) -> Iterator[str]:
        """The names by which a file imports, and so hands on, what is called by one of the words."""
        source = self._source(self.now, uri)
        for each in source.imports if source else ():
            if each.member in words or words.intersection(_WORD.findall(each.module)):
                yield from _WORD.findall(each.local)

    def _members(self, uri: str, types: set[str]) -> Iterator[str]:
        """The names of members of the types of these names, and of the types above them, which join `types`."""
        source = self._source(self.now, uri)
        for at, each in enumerate(source.definitions if source else ()):
            if source and each.kind in TYPES and each.name in types:
                yield from (other.name for other in source.definitions if other.parent == at)
                yield from source.fields.get(at, ())
                types |= {base.name for base in source.references if base.relation == "extends" and base.scope == at}


def _records(source: SourceFile, name: str) -> Iterator[str]:
    paths: Sequence[str] = [each.path for each in source.definitions]
    yield f"file {name}"
    yield f"package {source.package}"
    for at, each in enumerate(source.definitions):
        marks = "?" * (at in source.unclear) + "-" * (at in source.hidden)
        yield f"{each.kind} {each.path} {marks}{sorted(source.modifiers.get(at, ()))}"
    for at in range(MODULE, len(paths)):
        if at == MODULE or source.definitions[at].kind in TYPES:
            scope = paths[at] if at != MODULE else ""
            yield from (f"bound {scope} {each}" for each in source.bound.get(at, ()))
            yield from (f"field {scope} {each}" for each in source.fields.get(at, ()))
    for each in source.imports:
        scope = paths[each.scope] if each.scope != MODULE else ""
        yield f"import {each.module} {each.member} {each.local} {scope}"
    for each in source.references:
        if each.relation in {"extends", "implements"}:
            yield f"extends {each.subject or paths[each.scope]} {each.receiver} {each.name}"
    for (at, own), given in source.types.items():
        if at != MODULE and source.definitions[at].kind not in TYPES and at not in source.returns:
            continue  # what is local tells others nothing, unless it is returned
        yield from (f"typed {paths[at] if at != MODULE else ''} {own} {_said(each)}" for each in given)
    for at, given in source.returns.items():
        yield from (f"typed {paths[at]} {_said(each)}" for each in given)
    yield from (f"export {alias} {own}" for alias, own in source.exports.items())
    yield from (f"owner {paths[at]} {owner}" for at, owner in source.owners.items())


def _said(typed: Typed) -> str:
    """The words of what is said of a type."""
    return f"{_written(typed.type)} {typed.value}"


def _written(type_: TypeName | None) -> str:
    return " ".join([type_.name, *map(_written, type_.arguments)]) if type_ else ""
