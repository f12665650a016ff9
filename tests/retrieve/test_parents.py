"""Documents chunked with children: what is searched, what is extracted from, and what a hit shows."""

from dataclasses import replace

import pytest
from retrieve_stories import TEST, ask

from mcp_graphrag.index.parents import build_parents
from mcp_graphrag.index.resident import chunk_vectors, keywords, parents_of_chunks
from mcp_graphrag.model import Document, Hit
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.embed import pending
from mcp_graphrag.pipeline.given_edges import EdgeGiven, add_edges
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.reindex import reindex
from mcp_graphrag.retrieve.edge_walk import EdgeWalk
from mcp_graphrag.retrieve.parents import lift, with_parents
from mcp_graphrag.retrieve.search import Mode
from mcp_graphrag.retrieve.triples import TripleQuery, query_triples
from mcp_graphrag.store.citation import cite_chunk, find_cited
from mcp_graphrag.store.documents import chunks_by_id, extracted_by, find_document, unextracted_chunks

TEXT = (
    "The login service depends on TokenService. It was written in Rust by the platform team of the Oslo office. "
    "Zebras graze on the far side of the river in the early morning, long before the rangers come out to count them. "
    "TokenService uses Redis. Keys rotate every week, and the old ones are kept for another month in a vault. "
)


@pytest.fixture
def library(pipeline: Pipeline) -> Pipeline:
    """One document of one chunk in three parts or more, and one too short for parts."""
    small = replace(pipeline, settings=replace(pipeline.settings, chunk_children=25))
    documents = [Document("memory://long", "Long", TEXT), Document("memory://short", "Short", "Zebras sleep.")]
    ingest(small, documents, small.chosen_extractors("auto"), TEST, report=IngestReport())
    return small


def by_keyword(pipeline: Pipeline, *terms: str) -> list[Hit]:
    """The chunks that keyword search finds, as hits."""
    with pipeline.reading() as tx:
        postings = keywords(pipeline.store, tx)
        ranked = postings.search(terms, limit=9)
        chunks = chunks_by_id(tx, [each for each, _ in ranked])
        return [
            Hit(chunks[each], cite_chunk(chunks[each]), score, (), postings.holding(each, terms))
            for each, score in ranked
        ]


def test_children_are_searched_and_their_parents_are_not(library: Pipeline) -> None:
    for mode in ("keyword", "vector"):
        best = ask(library, "zebras river rangers", mode=mode).hits[0].chunk
        assert best.document.uri == "memory://long"
        assert best.text.startswith("Zebras graze")
        assert len(best.text) < len(TEXT) * 0.4
    with library.reading() as tx:
        searched = keywords(library.store, tx)
        assert searched.count == chunk_vectors(library.store, tx).count == len(build_parents(tx).child_ids) + 1


def test_a_hit_on_a_child_shows_its_parents_text_and_cites_it_and_siblings_are_one_hit(library: Pipeline) -> None:
    found = by_keyword(library, "zebra", "key", "team")
    assert len(found) == 4
    with library.reading() as tx:
        long, short = sorted(with_parents(library.store, tx, found), key=lambda hit: hit.chunk.document.uri)
    assert (long.passage, short.passage, short.chunk.text) == (TEXT, "", "Zebras sleep.")
    assert set(long.terms) == {"zebra", "key", "team"}
    assert long.why[-1].startswith("Found by its part memory://long#chunk:")
    with library.reading() as tx:
        assert find_cited(tx, long.citation).text == TEXT
        assert find_cited(tx, long.why[-1].removeprefix("Found by its part ")[:-1]).text == long.chunk.text


def test_an_edge_of_a_whole_passage_is_walked_from_any_of_its_parts(library: Pipeline) -> None:
    whole = ask(library, "zebras river rangers", mode="vector", limit=1).hits[0].citation
    add_edges(library, [EdgeGiven(whole, "memory://short", "contradicts", 0.8, "asleep or grazing")], TEST)

    plan = EdgeWalk(seeds=1, relations=("contradicts",))
    for query in ("rangers count them by the river", "keys rotate and are kept in a vault"):
        first, second = ask(library, query, mode="edges", walk=plan, limit=2).hits
        assert (first.citation, list(first.related)) == (whole, [])
        assert second.chunk.document.uri == "memory://short"
        assert [(step.from_chunk, step.description) for step in second.related] == [(whole, "asleep or grazing")]


def test_extraction_reads_the_parents_once_and_evidence_cites_them(library: Pipeline) -> None:
    with library.reading() as tx:
        found = query_triples(library.store, TripleQuery("TokenService", "uses", "Redis")).triples
        assert [find_cited(tx, each.citation).text for triple in found for each in triple.evidence] == [TEXT]
        document = find_document(tx, "memory://long")
        assert document is not None
        assert extracted_by(tx, [document.id]) == {document.id: {"structure", "lite"}}
        assert unextracted_chunks(tx) == 0
    again = IngestReport()
    ingest(library, [Document("memory://long", "Long", TEXT)], library.chosen_extractors("auto"), TEST, report=again)
    assert (again.unchanged, again.counts.chunks) == (1, 0)


def test_arms_of_children_and_of_parents_agree_on_parents(library: Pipeline) -> None:
    with library.reading() as tx:
        parents = parents_of_chunks(library.store, tx)
        one, two = parents.child_ids[:2].tolist()
        parent = int(parents.parent_ids[0])
        alone = max(keywords(library.store, tx).chunk_ids.tolist())
        arms = {"vector": [(alone, 0.9), (two, 0.8), (one, 0.7)], "keyword": [(one, 5.0)], "graph": [(parent, 0.1)]}
        lifted = lift(library.store, tx, arms)
    assert lifted.arms == {
        "vector": [(alone, 0.9), (parent, 0.8)],
        "keyword": [(parent, 5.0)],
        "graph": [(parent, 0.1)],
    }
    assert [lifted.chunk(each) for each in (parent, alone)] == [two, alone]


def test_reindex_and_background_embedding_leave_parents_out(library: Pipeline) -> None:
    with library.reading() as tx:
        before = keywords(library.store, tx).count
    assert pending(library) == 0
    assert reindex(library).chunks == before
    assert pending(library) == 0
    assert by_keyword(library, "ranger")[0].chunk.text.startswith("Zebras graze")


def test_the_way_to_parents_follows_the_file(library: Pipeline) -> None:
    with library.reading() as tx:
        first = parents_of_chunks(library.store, tx)
    ingest(library, [Document("memory://more", "More", TEXT + "More.")], [], TEST, report=IngestReport())
    with library.reading() as tx:
        after, built = parents_of_chunks(library.store, tx), build_parents(tx)
    assert len(after.child_ids) > len(first.child_ids)
    assert (after.child_ids.tolist(), after.parent_ids.tolist()) == (
        built.child_ids.tolist(),
        built.parent_ids.tolist(),
    )


def test_without_children_nothing_changes(pipeline: Pipeline) -> None:
    ingest(pipeline, [Document("memory://long", "Long", TEXT)], [], TEST, report=IngestReport())
    found = ask(pipeline, "zebras").hits
    with pipeline.reading() as tx:
        assert with_parents(pipeline.store, tx, found) == list(found)
        assert lift(pipeline.store, tx, {"vector": [(1, 0.5)]}).arms == {"vector": [(1, 0.5)]}


@pytest.mark.parametrize("mode", ["keyword", "vector", "hybrid", "edges"])
def test_a_search_shows_the_parent_around_what_it_found(library: Pipeline, mode: Mode) -> None:
    hits = ask(library, "zebras river rangers", mode=mode).hits
    long = next(hit for hit in hits if hit.chunk.document.uri == "memory://long")
    assert (long.passage, long.chunk.text[:6]) == (TEXT, "Zebras")
    assert len({hit.citation for hit in hits}) == len(hits) <= 2
