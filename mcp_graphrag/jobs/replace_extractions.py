"""What extractors found in stored documents, replaced by what they find in them now."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext

import numpy as np

from mcp_graphrag.edit.gc_paused import gc_paused
from mcp_graphrag.extract import EXTRACTORS, Extractor
from mcp_graphrag.ingest.readers import blocks_of_stored
from mcp_graphrag.jobs.ask_model import models_among
from mcp_graphrag.jobs.date_code import with_dates
from mcp_graphrag.jobs.discover_edges import edge_limits
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.jobs.share_names import with_known_names
from mcp_graphrag.jobs.store_extractions import Placed, TextToRead, extract, store_extractions, top_level
from mcp_graphrag.model import Counts, Document, Ids, Origin, StoredDocument
from mcp_graphrag.resolve.reconcile_names import reconcile_entities
from mcp_graphrag.settings import Settings
from mcp_graphrag.snapshot import GraphFile, Write
from mcp_graphrag.store.changes.removal import entities_of_document
from mcp_graphrag.store.rows.chunk_edge_rows import chunks_of_documents
from mcp_graphrag.store.rows.document_rows import find_documents, text_of_document
from mcp_graphrag.store.rows.extraction_rows import conflicts_taken_back, retire_extracted, retire_unfounded
from mcp_graphrag.store.rows.job_rows import update_progress


def stored_documents(graph: GraphFile, uris: Iterable[str]) -> Iterator[Document]:
    """The documents with these uris that are still stored."""
    for uri in uris:
        with graph.reading() as snapshot:
            found = [
                _document(stored, text_of_document(snapshot.tx, stored.id))
                for stored in find_documents(snapshot.tx, [uri]).values()
            ]
        yield from found


def _document(stored: StoredDocument, text: str) -> Document:
    blocks = blocks_of_stored(text, stored.media_type)
    return Document(stored.uri, stored.title, text, stored.media_type, stored.source, stored.metadata, blocks)


def replace_extractions(
    graph: GraphFile,
    documents: Sequence[Document],
    extractors: Sequence[Extractor],
    origin: Origin,
    report: IngestReport,
    *,
    found_by: Sequence[str] = tuple(EXTRACTORS),
) -> list[Document]:
    """Replace what those by name and the extractors found in the documents; those that an extractor failed on."""
    with nullcontext() if models_among(extractors) else gc_paused():
        while (unread := _replace_batch(graph, documents, extractors, origin, report, found_by)) is None:
            pass  # another write has changed a document of the batch
    return unread


def _replace_batch(
    graph: GraphFile,
    documents: Sequence[Document],
    extractors: Sequence[Extractor],
    origin: Origin,
    report: IngestReport,
    found_by: Sequence[str],
) -> list[Document] | None:
    """Replace what was found in the documents, all or none; those that an extractor failed on, None if not done."""
    uris = [document.uri for document in documents]
    with graph.reading() as snapshot:
        stored = find_documents(snapshot.tx, uris)
        chunks = chunks_of_documents(snapshot.tx, [each.id for each in stored.values()])
    counted = report.copied()
    texts: list[TextToRead] = []
    ids: dict[str, tuple[int, Ids]] = {}
    for document in documents:
        if document.uri in stored:
            tops = top_level(chunks[stored[document.uri].id])
            ids[document.uri] = stored[document.uri].id, np.array([chunk_id for chunk_id, _ in tops], dtype=np.int64)
            text = "".join(chunk.text for _, chunk in tops)
            current = document if text == document.text else _document(stored[document.uri], text)
            texts.append(TextToRead(current, [chunk for _, chunk in tops]))
    extractors = with_known_names(graph, (text.document for text in texts), extractors)
    seconds = graph.settings.document_seconds
    found = [
        (extractor, with_dates(graph, extractor, extract(texts, extractor, counted, seconds=seconds), counted.warnings))
        for extractor in extractors
    ]
    read = set(ids).intersection(*({each.text.document.uri for each in extracted} for _, extracted in found))
    placed = [
        (extractor, [Placed(*ids[uri], each) for each in extracted if (uri := each.text.document.uri) in read])
        for extractor, extracted in found
    ]
    with graph.writing(origin) as write:
        if find_documents(write.tx, uris) != stored:
            return None
        _replace(write, [ids[uri][0] for uri in read], placed, counted, graph.settings, found_by)
        counted.updated += len(read)
        if origin.job is not None:
            update_progress(write.tx, origin.job, counted.done, counted.as_json())
    report.replace(counted)
    return [text.document for text in texts if text.document.uri not in read]


def _replace(
    write: Write,
    document_ids: Sequence[int],
    found: Sequence[tuple[Extractor, Sequence[Placed]]],
    report: IngestReport,
    settings: Settings,
    found_by: Sequence[str],
) -> None:
    """Retire what extractors found in the documents and store what was found now."""
    tx = write.tx
    touched = {entity_id for document_id in document_ids for entity_id in entities_of_document(tx, document_id)}
    retire_extracted(tx, document_ids, [*found_by, *(extractor.name for extractor, _ in found)])
    for extractor, placed in found:
        store_extractions(write, placed, extractor, report, edge_limits(settings), strict=settings.strict)
    report.counts += Counts(triples=-retire_unfounded(tx))
    reconcile_entities(tx, write.ontology, touched)
    taken_back = conflicts_taken_back(tx)
    report.conflicts -= len(taken_back)
    report.conflicts_named = [each for each in report.conflicts_named if each not in taken_back]
