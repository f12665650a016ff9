"""What an ingest or rebuilding would do, and what its requests to a model would cost, before any is made."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mcp_graphrag.extract import Extractor
from mcp_graphrag.jobs.ask_model import models_among, with_model
from mcp_graphrag.jobs.batches import batches_of
from mcp_graphrag.jobs.ingest_documents import Batch, compare_with_stored
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.jobs.job import Work
from mcp_graphrag.jobs.replace_extractions import stored_documents
from mcp_graphrag.jobs.store_extractions import to_read
from mcp_graphrag.model import Chunk, Document
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.source_code import forget_sources
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.chunk_edge_rows import chunks_of_documents
from mcp_graphrag.store.rows.document_rows import find_documents

CHUNKS = ("new_chunks", "changed_chunks", "unchanged_chunks")


@dataclass
class IngestPlan:
    """Counts of what there is to do. `report` has the documents and the cost, estimated; nothing of it is done.

    `chunks` of new documents are new; those of changed documents are changed or, with the text of a stored one,
    unchanged.
    """

    report: IngestReport = field(default_factory=IngestReport)
    chunks: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(CHUNKS, 0)))


def plan_ingest(graph: GraphFile, work: Work) -> IngestPlan:
    """What the job would do now."""
    plan = IngestPlan()
    extractors = with_model(graph, work.extractors)
    requests: list[tuple[int, int]] = []
    for documents in batches_of(plan.report.without_skipped(work.items)):
        with graph.reading() as snapshot:
            batch = compare_with_stored(snapshot.tx, documents, extractors, graph.settings)
            _count_chunks(plan, snapshot.tx, batch, {document.uri for document in documents})
        for model in models_among(extractors):
            requests += model.planned(_unread_by(batch, model))
    forget_sources()
    _count_cost(plan.report, requests, extractors)
    return plan


def plan_rebuild(graph: GraphFile, work: Work) -> IngestPlan:
    """What extracting anew would do now; all of its documents and chunks are unchanged."""
    plan = IngestPlan()
    extractors = with_model(graph, work.extractors)
    requests: list[tuple[int, int]] = []
    for documents in batches_of(stored_documents(graph, work.items)):
        with graph.reading() as snapshot:
            ids = {uri: each.id for uri, each in find_documents(snapshot.tx, [each.uri for each in documents]).items()}
            chunks = chunks_of_documents(snapshot.tx, list(ids.values()))
        texts = [(document, to_read(chunks[ids[document.uri]])) for document in documents]
        plan.report.unchanged += len(texts)
        plan.chunks["unchanged_chunks"] += sum(len(mine) for _, mine in texts)
        for model in models_among(extractors):
            requests += model.planned([text for text in texts if not text[0].is_data])
    _count_cost(plan.report, requests, extractors)
    return plan


def _count_chunks(plan: IngestPlan, tx: Reader, batch: Batch, uris: Iterable[str]) -> None:
    replaced = {text.document.uri: text for text in batch.new if text.replaces is not None}
    stored = {uri: batch.stored.documents[uri].id for uri in uris if uri in batch.stored.documents}
    chunks = chunks_of_documents(tx, list(stored.values()))
    for text in batch.new:
        if text.replaces is None:
            plan.chunks["new_chunks"] += len(text.chunks)
    for uri, document_id in stored.items():
        before = chunks.get(document_id, ())
        if uri not in replaced:
            plan.chunks["unchanged_chunks"] += len(before)
            continue
        same = _texts(replaced[uri].chunks) & _texts(chunk for _, chunk in before)
        plan.chunks["unchanged_chunks"] += same.total()
        plan.chunks["changed_chunks"] += len(replaced[uri].chunks) - same.total()
    plan.report.added += len(batch.new) - len(replaced)
    plan.report.updated += len(replaced)
    plan.report.unchanged += len(stored) - len(replaced)


def _texts(chunks: Iterable[Chunk]) -> Counter[str]:
    # The white space behind the last chunk changes with what is appended.
    return Counter(chunk.text.rstrip() for chunk in chunks)


def _unread_by(batch: Batch, extractor: Extractor) -> list[tuple[Document, Sequence[Chunk]]]:
    """The documents that an extractor has not read, with their top-level chunks."""
    unread = [(text.document, to_read(enumerate(text.chunks))) for text in batch.new]
    unread += [(text.document, to_read(text.chunks)) for text in batch.known if extractor.name not in text.read_by]
    return [(document, chunks) for document, chunks in unread if not document.is_data]


def _count_cost(report: IngestReport, requests: Sequence[tuple[int, int]], extractors: Iterable[Extractor]) -> None:
    for model in models_among(extractors):
        report.spending = model.spending.planned(requests)
