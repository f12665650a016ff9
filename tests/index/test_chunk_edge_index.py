from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from index_helpers import TEST, add_document, emptied, retire

from mcp_graphrag.index import chunk_edge_index, csr
from mcp_graphrag.index.chunk_edge_index import ChunkEdges, build_chunk_edges
from mcp_graphrag.index.indexes import Indexes
from mcp_graphrag.model import ChunkEdge, Ids, Relation
from mcp_graphrag.store import Store
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.chunk_edge_rows import RELATIONS, add_chunk_edges, outgoing_edges, retire_chunk_edges


def link(store: Store, *edges: ChunkEdge) -> None:
    with store.writing(TEST) as tx:
        add_chunk_edges(tx, edges)


def unlink(store: Store, *chunk_ids: int) -> None:
    """Retire the edges that leave chunks."""
    with store.writing(TEST) as tx:
        retire_chunk_edges(tx, outgoing_edges(tx, chunk_ids))


def index(store: Store, indexes: Indexes) -> ChunkEdges:
    with store.reading() as tx:
        return indexes.chunk_edges(tx)


def ids(*chunk_ids: int) -> Ids:
    return np.array(chunk_ids, dtype=np.int64)


def described(edges: ChunkEdges, slots: Sequence[int] | Ids) -> set[tuple[int, str, int, float]]:
    return {
        (
            int(edges.sources[slot]),
            RELATIONS[int(edges.relations[slot])],
            int(edges.targets[slot]),
            round(float(edges.weights[slot]), 4),
        )
        for slot in slots
    }


def active(edges: ChunkEdges) -> set[tuple[int, str, int, float]]:
    return described(edges, np.flatnonzero(edges.active))


def test_edges_are_found_at_both_their_ends(store: Store) -> None:
    indexes = Indexes()
    a, b, c = add_document(store, ["a", "b", "c"])[1]
    link(store, ChunkEdge(a, b, "depends_on", 0.8), ChunkEdge(c, b, "references", 0.5))
    edges = index(store, indexes)
    assert described(edges, edges.leaving(ids(a))) == {(a, "depends_on", b, 0.8)}
    assert described(edges, edges.entering(ids(b))) == {(a, "depends_on", b, 0.8), (c, "references", b, 0.5)}
    assert (len(edges.leaving(ids(b, 999))), len(edges.entering(ids()))) == (0, 0)


def test_new_stronger_and_retired_edges_update_the_index_without_a_rebuild(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexes = Indexes()
    a, b, c = add_document(store, ["a", "b", "c"])[1]
    link(store, ChunkEdge(a, b, "depends_on", 0.4), ChunkEdge(b, c, "elaborates", 0.3))
    assert index(store, indexes).size == 2
    monkeypatch.setattr(chunk_edge_index, "adjacency", None)  # a rebuild would need it
    link(store, ChunkEdge(a, b, "depends_on", 0.8), ChunkEdge(c, a, "caused_by", 0.2))
    later = index(store, indexes)
    assert described(later, later.leaving(ids(a, b, c))) == {
        (a, "depends_on", b, 0.8),
        (b, "elaborates", c, 0.3),
        (c, "caused_by", a, 0.2),
    }
    unlink(store, b, c)
    assert active(index(store, indexes)) == {(a, "depends_on", b, 0.8)}


def test_edges_are_retired_with_the_document_of_either_chunk_and_stay_in_the_past(store: Store) -> None:
    indexes = Indexes()
    one, (a,) = add_document(store, ["a"])
    _, (b,) = add_document(store, ["b"])
    link(store, ChunkEdge(a, b, "references", 1.0))
    assert index(store, indexes).size == 1
    then = now()
    retire(store, one)
    assert index(store, indexes).size == 0
    with store.reading(known_at=then) as tx:
        assert active(Indexes().chunk_edges(tx)) == {(a, "references", b, 1.0)}


def test_a_large_overlay_becomes_part_of_a_new_base(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    indexes = Indexes()
    chunk_ids = add_document(store, [f"t{n}" for n in range(8)])[1]
    link(store, ChunkEdge(chunk_ids[0], chunk_ids[1], "sequence", 1.0))
    assert len(index(store, indexes).outgoing.slots) == 1
    monkeypatch.setattr(csr, "MAX_OVERLAY", 3)
    pairs = list(pairwise(chunk_ids[1:]))
    link(store, *(ChunkEdge(a, b, "sequence", 1.0) for a, b in pairs[:3]))
    assert (len(index(store, indexes).outgoing.slots), index(store, indexes).size) == (1, 4)
    link(store, *(ChunkEdge(a, b, "sequence", 1.0) for a, b in pairs[3:]))
    assert (len(index(store, indexes).outgoing.slots), index(store, indexes).size) == (7, 7)


EDGES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from(RELATIONS[::5]), st.floats(0.1, 1)),
    max_size=6,
)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(EDGES, st.sampled_from([None, 0, 1, 2])), max_size=4))
def test_an_updated_index_has_the_edges_of_a_new_one(
    store: Store, writes: list[tuple[list[tuple[int, int, Relation, float]], int | None]]
) -> None:
    indexes = Indexes()
    chunk_ids = add_document(emptied(store), ["a", "b", "c", "d", "e"])[1]
    index(store, indexes)
    for edges, unlinked in writes:
        link(store, *(ChunkEdge(chunk_ids[a], chunk_ids[b], r, w) for a, b, r, w in edges if a != b))
        if unlinked is not None:
            unlink(store, chunk_ids[unlinked])
        with store.reading() as tx:
            assert active(indexes.chunk_edges(tx)) == active(build_chunk_edges(tx))
