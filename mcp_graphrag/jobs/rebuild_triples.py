"""Extraction anew from stored chunks: what extractors found is replaced, what callers have stored or decided stays.

Triples that are found again keep their ids, and with them conflicts and their verdicts. Names refer to the entities
that merges and splits have left.
"""

from collections.abc import Iterable, Sequence

from mcp_graphrag.edit.remove import find_named_document
from mcp_graphrag.errors import GraphragError, Interrupted
from mcp_graphrag.extract import Extractor
from mcp_graphrag.jobs.ask_model import batch_size, models_among, without_models
from mcp_graphrag.jobs.batches import batches_of
from mcp_graphrag.jobs.extract_code import SourceFiles
from mcp_graphrag.jobs.ingest_documents import Progress
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.jobs.replace_extractions import replace_extractions, stored_documents
from mcp_graphrag.model import Origin
from mcp_graphrag.ontology.edit_ontologies import with_phrases
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.rows.chunk_edge_rows import document_ids_after
from mcp_graphrag.store.rows.document_rows import documents_by_id

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
            unread = replace_extractions(graph, batch, without_models(readers) if ending else readers, one, report)
            if report.ends_job is not None:
                ending, report.ends_job = report.ends_job, None
                if any(each.stop() for each in models_among(readers)):
                    raise ending
                if unread:
                    replace_extractions(graph, unread, without_models(readers), one, report)
            progress(report.done, batch[-1].title)
        if ending is not None:
            kind = Interrupted if isinstance(ending, Interrupted) else GraphragError
            raise kind(ending.fact, f"{ending.hint} {WITHOUT_MODEL}".strip()) from ending
