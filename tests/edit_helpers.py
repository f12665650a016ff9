"""Ingest, add and list in few words, and the content of every view."""

from collections.abc import Mapping
from typing import Any

from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import NOW, Candidate, Document, Origin, When
from mcp_graphrag.search.query import SearchQuery

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


UNSEEN: Mapping[str, str] = {
    "conflicts": "SELECT kind, triple, other, verdict, reason FROM conflicts",
    "merges": "SELECT kept, merged FROM merges",
    "apart": "SELECT entity_id, other_id, reason FROM distinct_pair WHERE retired_change IS NULL",
    "ontologies": "SELECT name, body::VARCHAR FROM ontology WHERE retired_change IS NULL",
    "descriptions": "SELECT name, description, properties::VARCHAR FROM entities",
    "names": "SELECT e.name, a.name, origin, document_id, a.said_in FROM entity_alias a"
    " JOIN entity e ON e.id = entity_id WHERE a.retired_change IS NULL",
    "evidence": "SELECT subject, predicate, confidence, source FROM sources",
    "types in mentions": "SELECT entity_id, name, type, chunk_id FROM mention WHERE retired_change IS NULL",
}


def present(graph: Graph, views: Mapping[str, str] = VIEWS) -> dict[str, list[Any]]:
    """The present-time views without ids and times."""
    with graph.reading() as snapshot:
        return {name: sorted(map(repr, snapshot.tx.run(sql).fetchall())) for name, sql in views.items()}


def whole(graph: Graph) -> dict[str, list[Any]]:
    """Everything in force: the present-time views, and what no view shows."""
    return present(graph, {**VIEWS, **UNSEEN})


def read(graph: Graph, uri: str, text: str) -> None:
    """Ingest a text with its triples."""
    report = IngestReport()
    ingest(graph, [Document(uri, uri, text)], graph.chosen_extractors("auto"), TEST, report=report)
    assert not report.warnings


def relate(graph: Graph, *triples: str) -> None:
    """Add triples written as "Subject predicate Object", in one operation."""
    candidates = [Candidate(subject, predicate, object_) for subject, predicate, object_ in map(str.split, triples)]
    graph.add_triples(candidates, origin=TEST)


def triples(graph: Graph, *, when: When = NOW, **query: Any) -> list[str]:
    """The stored triples that match, written as they are added."""
    page = graph.query_triples(TripleQuery(**query), when)
    return [f"{triple.subject} {triple.predicate} {triple.object}" for triple in page.triples if triple.id]


def found(graph: Graph, query: str, **more: Any) -> list[str]:
    """The uris of the hits of a search, best first."""
    hits = graph.search(SearchQuery(query, **more)).hits
    return [hit.chunk.document.uri for hit in hits]
