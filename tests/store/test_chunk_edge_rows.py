"""Chunk edges in the file: each stored once with its highest weight, active as long as both its chunks are."""

from dataclasses import replace

import numpy as np
import pytest
from store_helpers import TEST, add_document, query

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Chunk, ChunkEdge, Document
from mcp_graphrag.store import Store
from mcp_graphrag.store.changes.removal import purge_document
from mcp_graphrag.store.changes.revert import revert
from mcp_graphrag.store.rows.chunk_edge_rows import (
    RELATIONS,
    active_chunks,
    add_chunk_edges,
    as_stored,
    chunk_edge_counts,
    chunk_edge_rows,
    chunk_edges_by_id,
    chunks_of_documents,
    document_ids_after,
    documents_by_key,
    first_chunks,
    outgoing_edges,
    recorded_edges,
    referring_documents,
    retire_chunk_edges,
    strongest,
)
from mcp_graphrag.store.rows.document_rows import add_documents, chunk_documents, retire_document
from mcp_graphrag.store.rows.triple_rows import clear

EDGE = ChunkEdge(1, 2, "depends_on", 0.5, "requires two", "cues")
EDGES = "SELECT source, target, relation, weight, description, extractor FROM chunk_edges ORDER BY id"


def add(store: Store, *edges: ChunkEdge) -> int:
    """Store edges in one write."""
    with store.writing(TEST) as tx:
        return add_chunk_edges(tx, edges)


@pytest.fixture
def two_documents(store: Store) -> Store:
    """A file with chunks 1 and 2 of one document, 3 of another."""
    with store.writing(TEST) as tx:
        add_document(tx, "memory://a", "one", "two")
        add_document(tx, "memory://b", "three")
    return store


def test_an_edge_is_stored_once_with_its_highest_weight(two_documents: Store) -> None:
    assert add(two_documents, replace(EDGE, weight=0.4), EDGE, replace(EDGE, relation="references")) == 2
    assert add(two_documents, EDGE, replace(EDGE, weight=0.3)) == 0
    assert add(two_documents, replace(EDGE, weight=0.9, description="must have two")) == 1

    with two_documents.reading() as tx:
        edges = chunk_edges_by_id(tx, [1, 2, 3])
        rows = chunk_edge_rows(tx, since=-1)
        since = chunk_edge_rows(tx, since=tx.generation - 1)
        assert chunk_edge_counts(tx) == {"depends_on": 1, "references": 1}
    assert [edges[at].weight for at in (1, 2, 3)] == [0.5, 0.5, 0.9]
    assert rows["id"].tolist() == [2, 3]
    assert [RELATIONS[code] for code in rows["relation"].tolist()] == ["references", "depends_on"]
    assert rows["weight"].dtype == np.float32
    assert list(zip(since["id"].tolist(), since["retired"].tolist(), strict=True)) == [(1, True), (3, False)]


def test_a_symmetric_edge_is_stored_once_in_either_direction(two_documents: Store) -> None:
    assert add(two_documents, ChunkEdge(3, 1, "contradicts", 1.0), ChunkEdge(1, 3, "contradicts", 0.2)) == 1
    assert add(two_documents, ChunkEdge(1, 3, "contradicts", 1.0), ChunkEdge(3, 1, "references", 1.0)) == 1
    assert query(two_documents, "SELECT source_id, target_id, relation FROM chunk_edge") == [
        (1, 3, "contradicts"),
        (3, 1, "references"),
    ]


def test_an_edge_without_a_description_keeps_that_of_the_edge_it_replaces(two_documents: Store) -> None:
    assert add(two_documents, EDGE, replace(EDGE, weight=0.6, description="")) == 1
    assert query(two_documents, EDGES)[0][3:5] == (pytest.approx(0.6), "requires two")
    assert add(two_documents, replace(EDGE, weight=0.7, description="", extractor="links")) == 1
    assert query(two_documents, EDGES)[0][3:] == (pytest.approx(0.7), "requires two", "links")
    assert add(two_documents, replace(EDGE, weight=1.0, description="needs two")) == 1
    assert query(two_documents, EDGES)[0][3:5] == (1.0, "needs two")
    assert len(query(two_documents, EDGES)) == 1


def test_the_strongest_of_edges_is_the_first_of_those_with_the_highest_weight() -> None:
    weights = [(0.5, "a"), (0.25, "b"), (0.5, "c"), (0.75, ""), (0.75, "d"), (1.0, "e"), (1.0, "")]
    edges = [replace(EDGE, weight=weight, description=why) for weight, why in weights]

    assert [strongest(edges[:count]) for count in range(len(edges) + 1)] == [
        [],
        *([edges[0]] for _ in range(3)),
        *([replace(EDGE, weight=0.75, description="a")] for _ in range(2)),
        *([edges[5]] for _ in range(2)),
    ]


def test_an_edge_is_shown_as_it_is_stored_from_its_own_end(two_documents: Store) -> None:
    add(two_documents, ChunkEdge(1, 3, "contradicts", 0.123456, "denies", "agent"), EDGE)
    given = [ChunkEdge(3, 1, "contradicts", 1.0), replace(EDGE, relation="references"), replace(EDGE, weight=0.1)]

    with two_documents.reading() as tx:
        assert as_stored(tx, given) == [ChunkEdge(3, 1, "contradicts", 0.1235, "denies", "agent"), given[1], EDGE]
        assert outgoing_edges(tx, [1, 3]) == {1: ChunkEdge(1, 3, "contradicts", 0.1235, "denies", "agent"), 2: EDGE}
        assert outgoing_edges(tx, [2]) == {}
    with two_documents.writing(TEST) as tx:
        assert recorded_edges(tx) == []
        assert (add_chunk_edges(tx, []), add_chunk_edges(tx, [EDGE]), tx.changed) == (0, 0, False)
        add_chunk_edges(tx, [replace(EDGE, target=3)])
        assert recorded_edges(tx) == [replace(EDGE, target=3)]


def test_documents_are_found_by_uri_title_or_file_name(store: Store) -> None:
    with store.writing(TEST) as tx:
        texts = {"file:///docs/Guide.md": "Start Here", "file:///docs/api.html": "Guide.md"}
        add_documents(tx, [(Document(uri, title, ""), []) for uri, title in texts.items()])

    with store.reading() as tx:
        assert documents_by_key(tx, "uri", ["file:///docs/api.html", "x"]) == [("file:///docs/api.html", 2)]
        assert sorted(documents_by_key(tx, "title", ["guide.md", "start here"])) == [("guide.md", 2), ("start here", 1)]
        assert documents_by_key(tx, "name", ["guide", "guide"]) == [("guide", 1)]
        assert documents_by_key(tx, "name", []) == []
        assert document_ids_after(tx, 1, limit=9) == [2]


def test_chunks_of_documents_are_read_as_they_were_written_with_their_parents(store: Store) -> None:
    whole, part = Chunk(0, 0, 2, "ab", ("Guide",)), Chunk(1, 0, 1, "a", (), parent=0, context="header")
    with store.writing(TEST) as tx:
        add_document(tx, "memory://b", "x", "y")
        add_documents(tx, [(Document("memory://a", "", "ab"), [whole, part])])

    with store.reading() as tx:
        assert chunks_of_documents(tx, [2]) == {2: [(3, whole), (4, part)]}
        assert first_chunks(tx, [1, 2]) == {1: 1, 2: 4}
        assert [ids.tolist() for ids in chunk_documents(tx, since=-1)] == [[1, 2, 3, 4], [1, 1, 2, 2]]
        assert active_chunks(tx, [2, 4, 9]) == {2, 4}


def test_documents_that_refer_to_a_document_are_found_by_their_edges(two_documents: Store) -> None:
    add(two_documents, replace(EDGE, source=3, target=1), replace(EDGE, extractor="agent", target=3), EDGE)

    with two_documents.reading() as tx:
        assert referring_documents(tx, [1], limit=9) == [2]
        assert referring_documents(tx, [2], limit=9) == referring_documents(tx, [1, 2], limit=9) == []


@pytest.mark.parametrize("wrong", [{"target": 1}, {"weight": 0.0}, {"weight": 1.01}, {"weight": float("nan")}])
def test_an_invalid_edge_is_refused_and_nothing_is_written(two_documents: Store, wrong: dict[str, float]) -> None:
    with pytest.raises(BadInput):
        add(two_documents, EDGE, replace(EDGE, **wrong))
    assert query(two_documents, EDGES) == []


def test_the_view_shows_edges_by_citation(two_documents: Store) -> None:
    add(two_documents, replace(EDGE, target=3))
    ((source, target, *rest),) = query(two_documents, EDGES)
    assert source.startswith("memory://a#chunk:0-3@")
    assert target.startswith("memory://b#chunk:0-5@")
    assert rest == ["depends_on", 0.5, "requires two", "cues"]


def test_an_edge_is_retired_and_restored_with_its_chunks_and_can_be_looked_back_at(two_documents: Store) -> None:
    add(two_documents, replace(EDGE, target=3), EDGE)
    with two_documents.reading() as tx:
        moment = tx.generation
    with two_documents.writing(TEST) as tx:
        retire_document(tx, 2)
        change = tx.change
    with two_documents.reading() as tx:
        assert chunk_edge_rows(tx, since=-1)["id"].tolist() == [2]
    then = query(two_documents, f"SELECT recorded_at + INTERVAL 1 MICROSECOND FROM change WHERE id = {moment}")[0][0]
    with two_documents.reading(known_at=then) as tx:
        assert chunk_edge_rows(tx, since=-1)["id"].tolist() == [1, 2]

    with two_documents.writing(TEST) as tx:
        revert(tx, [change])
    assert len(query(two_documents, EDGES)) == 2
    with two_documents.writing(TEST) as tx:
        retire_chunk_edges(tx, [1, 2])
    assert query(two_documents, EDGES) == []


def test_purge_and_clear_leave_no_edge_behind(two_documents: Store) -> None:
    add(two_documents, replace(EDGE, target=3), EDGE)
    with two_documents.writing(TEST) as tx:
        retire_document(tx, 2)
        purge_document(tx, "memory://b")
    assert query(two_documents, "SELECT target_id FROM chunk_edge") == [(2,)]
    with two_documents.writing(TEST) as tx:
        clear(tx, documents=False)
    assert len(query(two_documents, EDGES)) == 1
    with two_documents.writing(TEST) as tx:
        clear(tx, documents=True)
    assert query(two_documents, "FROM chunk_edge") == []
