from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from index_stories import TEST, emptied, put, retire

from mcp_graphrag.index import chunk_edges as projection
from mcp_graphrag.index.chunk_edges import ChunkEdges, build_chunk_edges
from mcp_graphrag.index.resident import chunk_edges
from mcp_graphrag.model import ChunkEdge, Ids, Relation
from mcp_graphrag.store import Store
from mcp_graphrag.store.chunk_edges import RELATIONS, add_chunk_edges, retire_chunk_edges_of
from mcp_graphrag.store.transaction import now


def link(store: Store, *edges: ChunkEdge) -> None:
    with store.writing(TEST) as tx:
        add_chunk_edges(tx, edges)


def unlink(store: Store, *chunk_ids: int) -> None:
    with store.writing(TEST) as tx:
        retire_chunk_edges_of(tx, chunk_ids)


def resident(store: Store) -> ChunkEdges:
    with store.reading() as tx:
        return chunk_edges(store, tx)


def ids(*chunk_ids: int) -> Ids:
    return np.array(chunk_ids, dtype=np.int64)


def told(edges: ChunkEdges, slots: Sequence[int] | Ids) -> set[tuple[int, str, int, float]]:
    return {
        (
            int(edges.sources[slot]),
            RELATIONS[int(edges.relations[slot])],
            int(edges.targets[slot]),
            round(float(edges.weights[slot]), 4),
        )
        for slot in slots
    }


def everything(edges: ChunkEdges) -> set[tuple[int, str, int, float]]:
    return told(edges, np.flatnonzero(edges.alive))


def test_edges_are_found_at_both_their_ends(store: Store) -> None:
    a, b, c = put(store, ["a", "b", "c"])[1]
    link(store, ChunkEdge(a, b, "depends_on", 0.8), ChunkEdge(c, b, "references", 0.5))
    edges = resident(store)
    assert told(edges, edges.leaving(ids(a))) == {(a, "depends_on", b, 0.8)}
    assert told(edges, edges.entering(ids(b))) == {(a, "depends_on", b, 0.8), (c, "references", b, 0.5)}
    assert (len(edges.leaving(ids(b, 999))), len(edges.entering(ids()))) == (0, 0)


def test_the_projection_follows_new_stronger_and_retired_edges_without_a_rebuild(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b, c = put(store, ["a", "b", "c"])[1]
    link(store, ChunkEdge(a, b, "depends_on", 0.4), ChunkEdge(b, c, "elaborates", 0.3))
    assert resident(store).size == 2
    monkeypatch.setattr(projection, "_ends", None)  # a rebuild would need it
    link(store, ChunkEdge(a, b, "depends_on", 0.8), ChunkEdge(c, a, "caused_by", 0.2))
    later = resident(store)
    assert told(later, later.leaving(ids(a, b, c))) == {
        (a, "depends_on", b, 0.8),
        (b, "elaborates", c, 0.3),
        (c, "caused_by", a, 0.2),
    }
    unlink(store, c)
    assert everything(resident(store)) == {(a, "depends_on", b, 0.8)}


def test_edges_go_with_the_document_of_either_chunk_and_are_there_for_who_looks_back(store: Store) -> None:
    one, (a,) = put(store, ["a"])
    _, (b,) = put(store, ["b"])
    link(store, ChunkEdge(a, b, "references", 1.0))
    assert resident(store).size == 1
    then = now()
    retire(store, one)
    assert resident(store).size == 0
    with store.reading(known_at=then) as tx:
        assert everything(chunk_edges(store, tx)) == {(a, "references", b, 1.0)}


def test_a_large_overlay_makes_a_new_base(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    chunk_ids = put(store, [f"t{n}" for n in range(8)])[1]
    link(store, ChunkEdge(chunk_ids[0], chunk_ids[1], "sequence", 1.0))
    assert resident(store).base == 1
    monkeypatch.setattr(projection, "MOST_OVERLAY", 3)
    pairs = list(pairwise(chunk_ids[1:]))
    link(store, *(ChunkEdge(a, b, "sequence", 1.0) for a, b in pairs[:3]))
    assert (resident(store).base, resident(store).size) == (1, 4)
    link(store, *(ChunkEdge(a, b, "sequence", 1.0) for a, b in pairs[3:]))
    assert (resident(store).base, resident(store).size) == (7, 7)


EDGES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from(RELATIONS[::5]), st.floats(0.1, 1)),
    max_size=6,
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(EDGES, st.sampled_from([None, 0, 1, 2])), max_size=4))
def test_what_followed_is_what_would_be_built(
    store: Store, writes: list[tuple[list[tuple[int, int, Relation, float]], int | None]]
) -> None:
    chunk_ids = put(emptied(store), ["a", "b", "c", "d", "e"])[1]
    resident(store)
    for edges, gone in writes:
        link(store, *(ChunkEdge(chunk_ids[a], chunk_ids[b], r, w) for a, b, r, w in edges if a != b))
        if gone is not None:
            unlink(store, chunk_ids[gone])
        with store.reading() as tx:
            assert everything(chunk_edges(store, tx)) == everything(build_chunk_edges(tx))
