"""Documents chunked with children: what is searched, what is extracted from, and what a hit shows."""

import pytest
from search_helpers import TEST, ask, changed, ingest_documents

from mcp_graphrag.chunk_edges.add_edges import EdgeInput
from mcp_graphrag.chunk_edges.edge_walk import EdgeWalk
from mcp_graphrag.graph import Graph
from mcp_graphrag.index.parent_index import build_parents
from mcp_graphrag.jobs.ingest_documents import IngestReport, ingest
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Document
from mcp_graphrag.search.hits import lift
from mcp_graphrag.store.rows.citations import resolve_citation
from mcp_graphrag.store.rows.document_rows import chunks_by_id, extracted_by, find_document
from mcp_graphrag.store.rows.extraction_rows import unextracted_chunks

TEXT = (
    "The login service depends on TokenService. It was written in Rust by the platform team of the Oslo office. "
    "Zebras graze on the far side of the river in the early morning, long before the rangers come out to count them. "
    "TokenService uses Redis. Keys rotate every week, and the old ones are kept for another month in a vault. "
)


@pytest.fixture
def library(graph: Graph) -> Graph:
    """One document of one chunk in three parts or more, and one too short for parts."""
    small = changed(graph, chunk_children=25)
    documents = [Document("memory://long", "Long", TEXT), Document("memory://short", "Short", "Zebras sleep.")]
    ingest_documents(small, *documents, extract="auto")
    return small


def by_keyword(graph: Graph, *terms: str) -> list[str]:
    """The texts of the chunks that keyword search finds."""
    with graph.reading() as snapshot:
        ids = [chunk_id for chunk_id, _ in snapshot.keywords.search(terms, limit=9)]
        return [chunk.text for chunk in chunks_by_id(snapshot.tx, ids).values()]


def test_children_are_searched_and_their_parents_are_not(library: Graph) -> None:
    for mode in ("keyword", "vector"):
        best = ask(library, "zebras river rangers", mode=mode).hits[0].chunk
        assert best.document.uri == "memory://long"
        assert best.text.startswith("Zebras graze")
        assert len(best.text) < len(TEXT) * 0.4
    with library.reading() as snapshot:
        searched = snapshot.keywords
        assert searched.count == snapshot.chunk_vectors.count == len(build_parents(snapshot.tx).child_ids) + 1


def test_a_hit_on_a_child_has_text_and_citation_of_its_parent_and_siblings_are_one_hit(library: Graph) -> None:
    assert len(by_keyword(library, "zebra", "key", "team")) == 4
    found = ask(library, "zebra key team", mode="keyword").hits
    long, short = sorted(found, key=lambda hit: hit.chunk.document.uri)
    assert (long.parent_text, short.parent_text, short.chunk.text) == (TEXT, "", "Zebras sleep.")
    assert long.why[-1].startswith("Found by its child chunk memory://long#chunk:")
    with library.reading() as snapshot:
        assert resolve_citation(snapshot.tx, long.citation).text == TEXT
        assert (
            resolve_citation(snapshot.tx, long.why[-1].removeprefix("Found by its child chunk ")[:-1]).text
            == long.chunk.text
        )


def test_an_edge_of_a_parent_is_walked_from_any_of_its_children(library: Graph) -> None:
    whole = ask(library, "zebras river rangers", mode="vector", limit=1).hits[0].citation
    library.add_edges([EdgeInput(whole, "memory://short", "contradicts", 0.8, "asleep or grazing")], origin=TEST)

    plan = EdgeWalk(seeds=1, relations=("contradicts",))
    for query in ("rangers count them by the river", "keys rotate and are kept in a vault"):
        first, second = ask(library, query, mode="edges", walk=plan, limit=2).hits
        assert (first.citation, list(first.related)) == (whole, [])
        assert second.chunk.document.uri == "memory://short"
        assert [(step.from_chunk, step.description) for step in second.related] == [(whole, "asleep or grazing")]


def test_extraction_reads_the_parents_once_and_evidence_cites_them(library: Graph) -> None:
    with library.reading() as snapshot:
        found = library.query_triples(TripleQuery("TokenService", "uses", "Redis")).triples
        assert [
            resolve_citation(snapshot.tx, piece.citation).text for triple in found for piece in triple.evidence
        ] == [TEXT]
        document = find_document(snapshot.tx, "memory://long")
        assert document is not None
        assert extracted_by(snapshot.tx, [document.id]) == {document.id: {"document", "code", "lite"}}
        assert unextracted_chunks(snapshot.tx) == 0
    again = IngestReport()
    ingest(library, [Document("memory://long", "Long", TEXT)], library.chosen_extractors("auto"), TEST, report=again)
    assert (again.unchanged, again.counts.chunks) == (1, 0)


def test_arms_of_children_and_of_parents_are_fused_on_parents(library: Graph) -> None:
    with library.reading() as snapshot:
        parents = snapshot.parents
        one, two = parents.child_ids[:2].tolist()
        parent = int(parents.parent_ids[0])
        alone = max(snapshot.keywords.chunk_ids.tolist())
        arms = {"vector": [(alone, 0.9), (two, 0.8), (one, 0.7)], "keyword": [(one, 5.0)], "graph": [(parent, 0.1)]}
        lifted, children = lift(snapshot, arms)
    assert lifted == {
        "vector": [(alone, 0.9), (parent, 0.8)],
        "keyword": [(parent, 5.0)],
        "graph": [(parent, 0.1)],
    }
    assert children == {parent: two}


def test_reindex_and_background_embedding_leave_parents_out(library: Graph) -> None:
    with library.reading() as snapshot:
        before = snapshot.keywords.count
    assert library.waiting_for_embedding() == 0
    assert library.reindex().chunks == before
    assert library.waiting_for_embedding() == 0
    assert by_keyword(library, "ranger")[0].startswith("Zebras graze")


def test_the_parent_index_follows_the_file(library: Graph) -> None:
    with library.reading() as snapshot:
        first = snapshot.parents
    ingest_documents(library, Document("memory://more", "More", TEXT + "More."))
    with library.reading() as snapshot:
        after, built = snapshot.parents, build_parents(snapshot.tx)
    assert len(after.child_ids) > len(first.child_ids)
    assert (after.child_ids.tolist(), after.parent_ids.tolist()) == (
        built.child_ids.tolist(),
        built.parent_ids.tolist(),
    )
