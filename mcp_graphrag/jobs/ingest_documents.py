"""Ingest of documents in batches: chunk, index, embed and extract; then store all of a batch in one transaction.

So a document is stored whole or not at all, whenever the process ends: its text with what the extractors found in it,
and its former text with what only that supported is retired by the same change. Where a model reads, which takes
minutes, new documents are stored before without extractions, so that they are searchable meanwhile.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.chunk_edges.resolve_links import IndexedDocument
from mcp_graphrag.chunk_edges.store_edges import EdgeFinder
from mcp_graphrag.edit.gc_paused import gc_paused
from mcp_graphrag.edit.index_text import IndexedChunks, index_chunks, store_indexed
from mcp_graphrag.errors import GraphragError, Interrupted
from mcp_graphrag.extract import LITE, CodeExtractor, Extractor
from mcp_graphrag.ingest.child_chunks import add_child_chunks, leaf_flags
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.jobs.ask_model import batch_size, models_among, without_models
from mcp_graphrag.jobs.batches import batches_of
from mcp_graphrag.jobs.date_code import with_dates
from mcp_graphrag.jobs.discover_edges import compare_new_documents, edge_limits
from mcp_graphrag.jobs.extract_code import SourceFiles
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.jobs.reread_code import reread_code
from mcp_graphrag.jobs.share_names import with_known_names
from mcp_graphrag.jobs.store_extractions import (
    Extracted,
    Placed,
    TextToRead,
    extract,
    store_extractions,
    to_read,
    top_level,
)
from mcp_graphrag.model import Chunk, Counts, Document, Ids, Origin, Skipped, StoredDocument
from mcp_graphrag.ontology.edit_ontologies import with_phrases
from mcp_graphrag.resolve.detect_conflicts import reconcile_conflicts
from mcp_graphrag.resolve.reconcile_names import reconcile_entities
from mcp_graphrag.settings import Settings
from mcp_graphrag.snapshot import GraphFile, Write
from mcp_graphrag.source_code import is_code
from mcp_graphrag.store import Reader
from mcp_graphrag.store.changes.removal import entities_of_document
from mcp_graphrag.store.rows.chunk_edge_rows import chunks_of_documents
from mcp_graphrag.store.rows.document_rows import (
    add_documents,
    extracted_by,
    find_documents,
    retire_document,
    text_hash,
    to_json,
    update_document,
)
from mcp_graphrag.store.rows.job_rows import update_progress
from mcp_graphrag.written_languages.language_of import ENGLISH, known_language, language_of_document

ALL_SEARCHABLE = "All documents are searchable; ingest the same again to have the rest extracted."

Progress = Callable[[int, str], None]

__all__ = ["IngestReport", "Progress", "ingest"]


@dataclass(frozen=True)
class NewText:
    """A document to be stored; `replaces` is the present one with its uri, if there is one with another text."""

    document: Document
    chunks: Sequence[Chunk]
    replaces: StoredDocument | None


@dataclass(frozen=True)
class KnownText:
    """A document whose text is stored, with its chunks and their ids; `read_by` are the extractors that read it."""

    document: Document
    stored: StoredDocument
    chunks: Sequence[tuple[int, Chunk]]
    read_by: frozenset[str]

    @property
    def is_described(self) -> bool:
        """Whether title, source and metadata are stored as they are in the document."""
        mine = (self.document.title, self.document.source, json.loads(to_json(self.document.metadata)))
        return (self.stored.title, self.stored.source, dict(self.stored.metadata)) == mine


class Stored(NamedTuple):
    """The documents in force with the uris of a batch, by uri, and by their ids the extractors that have read them."""

    documents: Mapping[str, StoredDocument]
    read_by: Mapping[int, frozenset[str]]


@dataclass(frozen=True)
class Batch:
    """Documents compared with what is `stored`: those with a new text, and those with something else to store."""

    stored: Stored
    new: Sequence[NewText]
    known: Sequence[KnownText]
    unchanged: int


@dataclass(frozen=True)
class Prepared:
    """A batch with what is to be stored of it besides its texts, which needs no transaction to be found.

    `searched` are the leaves among the chunks of the new texts.
    """

    batch: Batch
    leaves: NDArray[np.bool_]
    searched: IndexedChunks
    found: Sequence[tuple[Extractor, Sequence[Extracted]]]


def ingest(
    graph: GraphFile,
    documents: Iterable[Document | Skipped],
    extractors: Sequence[Extractor],
    origin: Origin,
    report: IngestReport,
    progress: Progress = lambda _done, _what: None,
) -> None:
    """Store the documents and what the extractors find in them, in batches; `report` counts them.

    A document whose text is stored already is read only by the extractors that have not read it. Where the budget of
    requests to a model is spent, or the model cannot be reached, the others are stored without it; then Interrupted is
    raised, or GraphragError. Raises Interrupted after the batch in which the job was stopped.
    """
    ending: GraphragError | None = None
    unread = 0
    with graph.reading() as snapshot:
        extractors = with_phrases(snapshot.ontology, extractors)
    with graph.operation(origin) as one:
        edges = EdgeFinder(edge_limits(graph.settings))
        files = SourceFiles(graph, extractors)
        for batch, readers in files.in_order(batches_of(report.without_skipped(documents), batch_size(extractors))):
            _ingest_in_steps(graph, batch, without_models(readers) if ending else readers, one, report, edges)
            progress(report.done, batch[-1].title)
            if report.ends_job is not None:
                ending, report.ends_job = report.ends_job, None
                if any(each.stop() for each in models_among(readers)):
                    raise ending
            if ending is not None:
                unread += _unread_by_models(graph, batch, readers)
        if any(isinstance(each, CodeExtractor) for each in extractors):
            reread_code(graph, files.former, one)
        typing = models_among(extractors) if graph.settings.claude_edges and ending is None else []
        if edges.documents and (typing or graph.settings.discover_edges):
            report.warnings += compare_new_documents(graph, one, edges.documents, *typing[:1])
        if ending is not None:
            kind = Interrupted if isinstance(ending, Interrupted) else GraphragError
            told = f"Documents that no model has read yet: {unread}. {ALL_SEARCHABLE}"
            raise kind(ending.fact, f"{ending.hint} {told}".strip()) from ending


def _ingest_in_steps(
    graph: GraphFile,
    documents: Sequence[Document],
    extractors: Sequence[Extractor],
    origin: Origin,
    report: IngestReport,
    edges: EdgeFinder,
) -> None:
    """Store the documents with what is found in them, new texts before a model reads them."""
    asks_model = bool(models_among(extractors))
    if asks_model:
        _store_new_texts(graph, documents, origin, report, edges)
    # A model is waited for too long to do without garbage collection.
    with nullcontext() if asks_model else gc_paused():
        while not _ingest_batch(graph, documents, extractors, origin, report, edges):
            pass  # another write has changed what the batch was compared with


def _unread_by_models(graph: GraphFile, documents: Sequence[Document], extractors: Sequence[Extractor]) -> int:
    """How many of the documents that are for models have not been read by one of those among the extractors."""
    models = {each.name for each in models_among(extractors)}
    with graph.reading() as snapshot:
        stored = _stored(snapshot.tx, documents)
    found = [stored.documents.get(document.uri) for document in documents if _is_prose(document)]
    return sum(1 for each in found if each is not None and not models <= stored.read_by[each.id])


def _store_new_texts(
    graph: GraphFile, documents: Sequence[Document], origin: Origin, report: IngestReport, edges: EdgeFinder
) -> None:
    """Store those of the documents whose uris are new without extractions; what is to be replaced stays until then.

    They are `unread` in the report until they are ingested with extractors, as texts that are stored already.
    """
    with graph.reading() as snapshot:
        stored = find_documents(snapshot.tx, [document.uri for document in documents])
    new = [document for document in documents if document.uri not in stored and _is_prose(document)]
    if new:
        counted = report.copied()
        counted.unread = frozenset(document.uri for document in new)
        while not _ingest_batch(graph, new, (), origin, counted, edges):
            pass
        report.replace(counted)


def _is_prose(document: Document) -> bool:
    return not document.is_data and not is_code(document.media_type)


def _ingest_batch(
    graph: GraphFile,
    documents: Sequence[Document],
    extractors: Sequence[Extractor],
    origin: Origin,
    report: IngestReport,
    edges: EdgeFinder,
) -> bool:
    """Store the documents with what is found in them, all or none; whether it was done."""
    with graph.reading() as snapshot:
        batch = compare_with_stored(snapshot.tx, documents, extractors, graph.settings)
    counted = report.copied()
    counted.unchanged += batch.unchanged
    counted.warnings += [f"{text.document.uri} {text.document.note}" for text in batch.new if text.document.note]
    if any(extractor.name == LITE for extractor in extractors) and not models_among(extractors):
        prose = (text.document for text in (*batch.new, *batch.known) if _is_prose(text.document))
        foreign = (code for document in prose if (code := language_of_document(document)) != ENGLISH)
        counted.languages.update(known_language(code).name for code in foreign)
    if batch.new or batch.known:
        prepared = _prepare(graph, batch, extractors, counted)
        with graph.writing(origin) as write:
            if _stored(write.tx, documents) != batch.stored:
                return False
            _store(write, prepared, counted, edges, strict=graph.settings.strict)
            read = counted.unread.difference(text.document.uri for text in batch.new)
            counted.unchanged -= len(read)  # they are counted as added
            counted.unread -= read
            if origin.job is not None:
                update_progress(write.tx, origin.job, counted.done, counted.as_json())
    report.replace(counted)
    return True


def _stored(tx: Reader, documents: Sequence[Document]) -> Stored:
    found = find_documents(tx, [document.uri for document in documents])
    return Stored(found, extracted_by(tx, [document.id for document in found.values()]))


def compare_with_stored(
    tx: Reader, documents: Sequence[Document], extractors: Sequence[Extractor], settings: Settings
) -> Batch:
    """The documents with a new text, and those of which only metadata or extractions are to be stored."""
    stored = _stored(tx, documents)
    new: list[NewText] = []
    known: list[tuple[Document, StoredDocument]] = []
    for given in documents:
        old = stored.documents.get(given.uri)
        document = given if old is None else _with_metadata_kept(given, old)
        # The title is indexed with every chunk, so a new title counts as a new text, and so does another reader's text.
        now = text_hash(document.text), document.title, document.media_type
        if old is None or (old.sha256, old.title, old.media_type) != now:
            chunks = chunk_document(document, target_tokens=settings.chunk_target, max_tokens=settings.max_chunk_tokens)
            new.append(
                NewText(document, add_child_chunks(document, chunks, target_tokens=settings.chunk_children), old)
            )
        else:
            known.append((document, old))
    # The stored chunks may have been made with other settings.
    chunks_of = chunks_of_documents(tx, [old.id for _, old in known])
    texts = [KnownText(document, old, chunks_of.get(old.id, ()), stored.read_by[old.id]) for document, old in known]
    changed = [
        text
        for text in texts
        if not (text.is_described and all(extractor.name in text.read_by for extractor in extractors))
    ]
    return Batch(stored, new, changed, len(texts) - len(changed))


def _with_metadata_kept(document: Document, stored: StoredDocument) -> Document:
    """The document with its former title, source and metadata, unless they are given again."""
    same = stored.sha256 == text_hash(document.text)
    metadata = {**stored.metadata, **document.metadata} if same else document.metadata or stored.metadata
    title = stored.title if same and not document.title_given else document.title
    source = document.source if document.source and document.source_given else stored.source or document.source
    return replace(document, title=title, source=source, metadata=metadata)


def _prepare(graph: GraphFile, batch: Batch, extractors: Sequence[Extractor], report: IngestReport) -> Prepared:
    flags = (leaf and not text.document.is_history for text in batch.new for leaf in leaf_flags(text.chunks))
    leaves = np.fromiter(flags, dtype=np.bool_)
    every = [(text.document, chunk) for text in batch.new for chunk in text.chunks]
    searched = index_chunks(graph.embedders.static, compress(every, leaves))
    texts = [TextToRead(text.document, to_read(text.chunks), text.read_by) for text in batch.known]
    texts += [TextToRead(text.document, to_read(enumerate(text.chunks))) for text in batch.new]
    extractors = with_known_names(graph, (text.document for text in texts), extractors)
    seconds = graph.settings.document_seconds
    found = [
        (extractor, with_dates(graph, extractor, extract(texts, extractor, report, seconds=seconds), report.warnings))
        for extractor in extractors
    ]
    return Prepared(batch, leaves, searched, found)


def _store(write: Write, prepared: Prepared, report: IngestReport, edges: EdgeFinder, *, strict: bool) -> None:
    """Store the texts, what was found in them, and what follows for the entities of texts that were replaced."""
    tx, batch = write.tx, prepared.batch
    touched = {
        entity_id
        for text in batch.new
        if text.replaces is not None
        for entity_id in entities_of_document(tx, text.replaces.id)
    }
    chunk_ids = _store_texts(write, prepared, report, edges)
    for extractor, extracted in prepared.found:
        placed = [Placed(*chunk_ids[each.text.document.uri], each) for each in extracted]
        store_extractions(write, placed, extractor, report, edges.limits, strict=strict)
    if touched:
        reconcile_entities(tx, write.ontology, touched)


def _store_texts(
    write: Write, prepared: Prepared, report: IngestReport, edges: EdgeFinder
) -> dict[str, tuple[int, Ids]]:
    """The ids of each document and of its top-level chunks, by uri; what is replaced is retired."""
    tx, batch = write.tx, prepared.batch
    replaced = [text.replaces.id for text in batch.new if text.replaces is not None]
    changed = [text for text in batch.known if not text.is_described]
    for text in changed:
        update_document(tx, text.stored.id, text.document)
    referring = edges.referring_to(tx, replaced)
    for document_id in replaced:
        retire_document(tx, document_id)
    ids = add_documents(tx, [(text.document, text.chunks) for text in batch.new])
    chunk_ids = np.concatenate([np.empty(0, dtype=np.int64), *(own for _, own in ids)])
    if replaced:
        reconcile_conflicts(tx, write.ontology)
    store_indexed(tx, chunk_ids[prepared.leaves], prepared.searched)
    indexed = [
        IndexedDocument(document_id, text.document, text.chunks, own.tolist())
        for text, (document_id, own) in zip(batch.new, ids, strict=True)
    ]
    edges.store(tx, [each for each in indexed if not each.document.is_history], referring)
    report.updated += len(replaced) + len(changed)
    report.added += len(batch.new) - len(replaced)
    report.unchanged += len(batch.known) - len(changed)
    report.counts += Counts(documents=len(batch.new), chunks=len(chunk_ids))
    known = {text.document.uri: (text.stored.id, text.chunks) for text in batch.known}
    added = {each.document.uri: (each.document_id, zip(each.chunk_ids, each.chunks, strict=True)) for each in indexed}
    return {
        uri: (document_id, np.array([chunk_id for chunk_id, _ in top_level(chunks)], dtype=np.int64))
        for uri, (document_id, chunks) in {**known, **added}.items()
    }
