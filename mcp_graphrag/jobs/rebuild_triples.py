"""Extraction anew from stored chunks: what extractors found is replaced, what callers have stored or decided stays.

Triples that are found again keep their ids, and with them conflicts and their verdicts. Names refer to the entities
that merges and splits have left.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext

import numpy as np

from mcp_graphrag.edit.gc_paused import gc_paused
from mcp_graphrag.edit.remove import find_named_document
from mcp_graphrag.errors import GraphragError, Interrupted
from mcp_graphrag.extract import EXTRACTORS, Extractor
from mcp_graphrag.ingest.readers import blocks_of_stored
from mcp_graphrag.jobs.ask_model import batch_size, models_among, without_models
from mcp_graphrag.jobs.batches import batches_of
from mcp_graphrag.jobs.discover_edges import edge_limits
from mcp_graphrag.jobs.extract_code import SourceFiles
from mcp_graphrag.jobs.ingest_documents import Progress, top_level
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.jobs.share_names import with_known_names
from mcp_graphrag.jobs.store_extractions import Placed, TextToRead, extract, store_extractions
from mcp_graphrag.model import Counts, Document, Ids, Origin, StoredDocument
from mcp_graphrag.ontology.edit_ontologies import with_phrases
from mcp_graphrag.resolve.reconcile_names import reconcile_entities
from mcp_graphrag.settings import Settings
from mcp_graphrag.snapshot import GraphFile, Write
from mcp_graphrag.store.changes.removal import entities_of_document
from mcp_graphrag.store.rows.chunk_edge_rows import chunks_of_documents, document_ids_after
from mcp_graphrag.store.rows.document_rows import documents_by_id, find_documents, text_of_document
from mcp_graphrag.store.rows.extraction_rows import conflicts_taken_back, retire_extracted, retire_unfounded
from mcp_graphrag.store.rows.job_rows import update_progress

WITHOUT_MODEL = "The other extractors have read all documents; rebuild again to have the rest read by claude."


def stored_uris(graph: GraphFile, named: Sequence[str]) -> list[str]:
    """The uris of the documents with these uris or titles, of all without one. Raises UnknownName."""
    with graph.reading() as snapshot:
        if named:
            return list(dict.fromkeys(find_named_document(snapshot.tx, name)[1] for name in named))
        ids = document_ids_after(snapshot.tx, 0, limit=2**62)
        documents = documents_by_id(snapshot.tx, ids)
        return [documents[document_id].uri for document_id in ids]


def rebuild(
    graph: GraphFile,
    uris: Iterable[str],
    extractors: Sequence[Extractor],
    origin: Origin,
    report: IngestReport,
    progress: Progress = lambda _done, _what: None,
) -> None:
    """Replace what any extractor found in documents by what the given ones find, as one operation.

    A document that is no longer stored, or that an extractor fails on, is left as it is. The report counts the others
    as updated. What `claude` has found, which was paid for, is replaced only where it is among the extractors. Where
    its budget is spent or it cannot be reached, it is done without for the rest, as in `ingest`, which is raised then.
    """
    ending: GraphragError | None = None
    with graph.reading() as snapshot:
        extractors = with_phrases(snapshot.ontology, extractors)
    with graph.operation(origin) as one:
        stored = batches_of(stored_documents(graph, uris), batch_size(extractors))
        for batch, readers in SourceFiles(graph, extractors).in_order(stored):
            unread = _rebuild_all(graph, batch, without_models(readers) if ending else readers, one, report)
            if report.ends_job is not None:
                ending, report.ends_job = report.ends_job, None
                if any(each.stop() for each in models_among(readers)):
                    raise ending
                if unread:
                    _rebuild_all(graph, unread, without_models(readers), one, report)
            progress(report.done, batch[-1].title)
        if ending is not None:
            kind = Interrupted if isinstance(ending, Interrupted) else GraphragError
            raise kind(ending.fact, f"{ending.hint} {WITHOUT_MODEL}".strip()) from ending


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


def _rebuild_all(
    graph: GraphFile,
    documents: Sequence[Document],
    extractors: Sequence[Extractor],
    origin: Origin,
    report: IngestReport,
) -> list[Document]:
    """Replace what was found in the documents; those that an extractor failed on."""
    with nullcontext() if models_among(extractors) else gc_paused():
        while (unread := _rebuild_batch(graph, documents, extractors, origin, report)) is None:
            pass  # another write has changed a document of the batch
    return unread


def _rebuild_batch(
    graph: GraphFile,
    documents: Sequence[Document],
    extractors: Sequence[Extractor],
    origin: Origin,
    report: IngestReport,
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
    found = [(extractor, extract(texts, extractor, counted, seconds=seconds)) for extractor in extractors]
    read = set(ids).intersection(*({each.text.document.uri for each in extracted} for _, extracted in found))
    placed = [
        (extractor, [Placed(*ids[uri], each) for each in extracted if (uri := each.text.document.uri) in read])
        for extractor, extracted in found
    ]
    with graph.writing(origin) as write:
        if find_documents(write.tx, uris) != stored:
            return None
        _replace(write, [ids[uri][0] for uri in read], placed, counted, graph.settings)
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
) -> None:
    """Retire what extractors found in the documents and store what was found now."""
    tx = write.tx
    touched = {entity_id for document_id in document_ids for entity_id in entities_of_document(tx, document_id)}
    retire_extracted(tx, document_ids, [*EXTRACTORS, *(extractor.name for extractor, _ in found)])
    for extractor, placed in found:
        store_extractions(write, placed, extractor, report, edge_limits(settings), strict=settings.strict)
    report.counts += Counts(triples=-retire_unfounded(tx))
    reconcile_entities(tx, write.ontology, touched)
    taken_back = conflicts_taken_back(tx)
    report.conflicts -= len(taken_back)
    report.conflicts_named = [each for each in report.conflicts_named if each not in taken_back]
