"""Ingest of documents in batches: chunk, index, embed, commit; then extract, resolve, commit.

The text is committed before the extraction, so that a document is searchable even if an extractor fails.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from mcp_graphrag.chunk_edges.resolve_links import IndexedDocument
from mcp_graphrag.chunk_edges.store_edges import EdgeFinder
from mcp_graphrag.edit.gc_paused import gc_paused
from mcp_graphrag.edit.index_text import index_chunks, store_indexed
from mcp_graphrag.extract import Extractor
from mcp_graphrag.ingest.child_chunks import add_child_chunks, leaf_flags
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.jobs.discover_edges import compare_new_documents, edge_limits
from mcp_graphrag.jobs.extract_code import PendingCode, is_code
from mcp_graphrag.jobs.share_names import with_known_names
from mcp_graphrag.jobs.store_extractions import IngestReport, StoredText, store_extractions
from mcp_graphrag.model import Chunk, Counts, Document, Origin, Skipped, StoredDocument
from mcp_graphrag.ontology.edit_ontologies import with_phrases
from mcp_graphrag.resolve.detect_conflicts import reconcile_conflicts
from mcp_graphrag.snapshot import GraphFile
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

BATCH_CHARACTERS = 512_000
BATCH_SECONDS = 2.0

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
    """A document whose text is stored already; `read_by` are the extractors that have read it."""

    document: Document
    stored: StoredDocument
    read_by: frozenset[str]

    @property
    def is_described(self) -> bool:
        """Whether title, source and metadata are stored as they are in the document."""
        mine = (self.document.title, self.document.source, json.loads(to_json(self.document.metadata)))
        return (self.stored.title, self.stored.source, dict(self.stored.metadata)) == mine


def ingest(
    graph: GraphFile,
    documents: Iterable[Document | Skipped],
    extractors: Sequence[Extractor],
    origin: Origin,
    *,
    report: IngestReport,
    progress: Progress = lambda _done, _what: None,
) -> None:
    """Store the documents and what the extractors find in them, in batches; `report` counts them.

    A document whose text is stored already is read only by the extractors that have not read it.
    """
    with graph.reading() as snapshot:
        extractors = with_phrases(snapshot.ontology, extractors)
    origin = graph.with_operation(origin)
    edges = EdgeFinder(edge_limits(graph.settings))
    source_code = PendingCode(graph, extractors, origin, report)
    for batch in _batches(documents, report):
        with gc_paused():
            new, known = _compare_with_stored(graph, batch, extractors, report)
            if new or known:
                texts, touched = _store_texts(graph, new, known, origin, report, edges)
                source_code.add([text for text in texts if is_code(text.document)], touched)
                texts = [text for text in texts if not is_code(text.document)]
                if texts:
                    # What prose says of the code is matched to it.
                    source_code.extract()
                for extractor in with_known_names(graph, (text.document for text in texts), extractors):
                    store_extractions(graph, texts, extractor, origin, report)
        progress(report.done, batch[-1].title)
    source_code.extract()
    if graph.settings.discover_edges and edges.documents:
        report.warnings += compare_new_documents(graph, origin, edges.documents)


def _batches(documents: Iterable[Document | Skipped], report: IngestReport) -> Iterator[list[Document]]:
    batch: dict[str, Document] = {}
    size, since = 0, time.monotonic()
    for document in documents:
        if isinstance(document, Skipped):
            report.skip(document)
            continue
        if document.uri in batch:
            # The second document with a uri is compared with the first, which must be stored for that.
            yield list(batch.values())
            batch, size, since = {}, 0, time.monotonic()
        batch[document.uri] = document
        size += len(document.text)
        if size >= BATCH_CHARACTERS or time.monotonic() - since >= BATCH_SECONDS:
            yield list(batch.values())
            batch, size, since = {}, 0, time.monotonic()
    if batch:
        yield list(batch.values())


def _compare_with_stored(
    graph: GraphFile, batch: Sequence[Document], extractors: Sequence[Extractor], report: IngestReport
) -> tuple[list[NewText], list[KnownText]]:
    """The documents with a new text, and those of which only metadata or extractions are to be stored."""
    with graph.reading() as snapshot:
        stored = find_documents(snapshot.tx, [document.uri for document in batch])
        read_by = extracted_by(snapshot.tx, [document.id for document in stored.values()])
    settings = graph.settings
    new: list[NewText] = []
    known: list[KnownText] = []
    for given in batch:
        old = stored.get(given.uri)
        document = given if old is None else _with_metadata_kept(given, old)
        # The title is indexed with every chunk, so a new title counts as a new text.
        if old is None or (old.sha256, old.title) != (text_hash(document.text), document.title):
            chunks = chunk_document(document, target_tokens=settings.chunk_target, max_tokens=settings.max_chunk_tokens)
            new.append(
                NewText(document, add_child_chunks(document, chunks, target_tokens=settings.chunk_children), old)
            )
            continue
        text = KnownText(document, old, read_by[old.id])
        if text.is_described and all(extractor.name in text.read_by for extractor in extractors):
            report.unchanged += 1
        else:
            known.append(text)
    return new, known


def _with_metadata_kept(document: Document, stored: StoredDocument) -> Document:
    """The document with its former title, source and metadata, unless they are given again."""
    same = stored.sha256 == text_hash(document.text)
    metadata = {**stored.metadata, **document.metadata} if same else document.metadata or stored.metadata
    title = stored.title if same and not document.title_given else document.title
    source = document.source if document.source and document.source_given else stored.source or document.source
    return replace(document, title=title, source=source, metadata=metadata)


def _store_texts(
    graph: GraphFile,
    new: Sequence[NewText],
    known: Sequence[KnownText],
    origin: Origin,
    report: IngestReport,
    edges: EdgeFinder,
) -> tuple[list[StoredText], set[int]]:
    """The stored documents, and the entities of those that were replaced."""
    leaves = np.array([leaf for text in new for leaf in leaf_flags(text.chunks)], dtype=np.bool_)
    titled = [(text.document.title, chunk) for text in new for chunk in text.chunks]
    searched = index_chunks(graph.embedders.static, compress(titled, leaves))
    replaced = [text.replaces.id for text in new if text.replaces is not None]
    changed = [text for text in known if not text.is_described]
    with graph.writing(origin) as write:
        tx = write.tx
        for text in changed:
            update_document(tx, text.stored.id, text.document)
        # The stored chunks may have been made with other settings.
        stored = chunks_of_documents(tx, [text.stored.id for text in known])
        texts = [
            _top_level(text.document, text.stored.id, stored.get(text.stored.id, ()), text.read_by) for text in known
        ]
        referring = edges.referring_to(tx, replaced)
        touched: set[int] = set()
        for document_id in replaced:
            touched.update(entities_of_document(tx, document_id))
            retire_document(tx, document_id)
        ids = add_documents(tx, [(text.document, text.chunks) for text in new])
        chunk_ids = np.concatenate([np.empty(0, dtype=np.int64), *(own for _, own in ids)])
        if replaced:
            reconcile_conflicts(tx, write.ontology)
        store_indexed(tx, chunk_ids[leaves], searched)
        indexed = [
            IndexedDocument(document_id, text.document, text.chunks, own.tolist())
            for text, (document_id, own) in zip(new, ids, strict=True)
        ]
        texts += [
            _top_level(each.document, each.document_id, zip(each.chunk_ids, each.chunks, strict=True))
            for each in indexed
        ]
        edges.store(tx, indexed, referring)
    report.updated += len(replaced) + len(changed)
    report.added += len(new) - len(replaced)
    report.unchanged += len(known) - len(changed)
    report.counts += Counts(documents=len(new), chunks=len(chunk_ids))
    return texts, touched


def _top_level(
    document: Document,
    document_id: int,
    chunks: Iterable[tuple[int, Chunk]],
    read_by: frozenset[str] = frozenset(),
) -> StoredText:
    """What extractors read: mentions and triples belong to the top-level chunks, not to their children."""
    tops = [(chunk_id, chunk) for chunk_id, chunk in chunks if chunk.parent is None]
    ids = np.array([chunk_id for chunk_id, _ in tops], dtype=np.int64)
    return StoredText(document, document_id, [chunk for _, chunk in tops], ids, read_by)
