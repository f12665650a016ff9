"""Documents and triples told to a pipeline, and all that its views then show, in few words."""

from collections.abc import Mapping
from typing import Any

from mcp_graphrag.model import Candidate, Document, Origin
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.triples import assert_triples
from mcp_graphrag.retrieve.search import Question, search
from mcp_graphrag.retrieve.triples import TripleQuery, query_triples

TEST = Origin("test")
VIEWS: Mapping[str, str] = {
    "documents": "SELECT uri, title, source, metadata::VARCHAR FROM documents",
    "chunks": "SELECT document, ordinal, text FROM chunks",
    "entities": "SELECT name, type, list_sort(aliases) FROM entities",
    "triples": 'SELECT subject, subject_type, predicate, "object", object_type, valid_from, valid_to, confidence,'
    " properties FROM triples",
    "sources": 'SELECT subject, predicate, "object", quote, citation, extractor, surface FROM sources',
    "mentions": "SELECT e.name, m.start_offset, m.end_offset FROM mention m JOIN entity e ON e.id = m.entity_id"
    " WHERE m.retired_change IS NULL",
    "chunk_edges": "SELECT source, target, relation, weight, description, extractor FROM chunk_edges",
}


def present(pipeline: Pipeline) -> dict[str, list[Any]]:
    """The present-time views without ids and times."""
    with pipeline.store.reading() as tx:
        return {name: sorted(map(repr, tx.run(sql).fetchall())) for name, sql in VIEWS.items()}


def read(pipeline: Pipeline, uri: str, text: str) -> None:
    """Ingest a text with its triples."""
    report = IngestReport()
    ingest(pipeline, [Document(uri, uri, text)], pipeline.chosen_extractors("auto"), TEST, report=report)
    assert not report.warnings


def relate(pipeline: Pipeline, *triples: str) -> None:
    """Assert triples written as "Subject predicate Object", in one operation."""
    said = [Candidate(subject, predicate, object_) for subject, predicate, object_ in map(str.split, triples)]
    assert_triples(pipeline, said, TEST)


def triples(pipeline: Pipeline, **query: Any) -> list[str]:
    """The stored triples that fit, written as they are asserted."""
    page = query_triples(pipeline.store, TripleQuery(**query))
    return [f"{each.subject} {each.predicate} {each.object}" for each in page.triples if each.id]


def found(pipeline: Pipeline, query: str, **more: Any) -> list[str]:
    """The uris that a search finds, best first."""
    hits = search(pipeline.store, pipeline.embedder, Question(query, **more)).hits
    return [hit.chunk.document.uri for hit in hits]
