import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from index_helpers import add_document, emptied, relate, retire

from mcp_graphrag.index.indexes import Indexes
from mcp_graphrag.index.triple_graph import TripleGraph, Walk, build_graph
from mcp_graphrag.model import Direction
from mcp_graphrag.store import Store

Row = tuple[int, int, int]

ENTITIES = st.integers(1, 7)
TRIPLES = st.lists(st.tuples(ENTITIES, st.integers(1, 3), ENTITIES), unique=True, max_size=16)
DIRECTIONS: list[Direction] = ["out", "in", "both"]
QUESTIONS = st.tuples(
    st.lists(ENTITIES, min_size=1, max_size=2, unique=True),
    st.integers(1, 4),
    st.sampled_from(DIRECTIONS),
    st.one_of(st.none(), st.lists(st.integers(1, 3), max_size=2)),
)


def _breadth_first(
    triples: dict[int, Row], starts: list[int], hops: int, direction: Direction, predicates: list[int] | None
) -> dict[int, int]:
    """The hop of every triple within reach, found one step at a time."""
    found: dict[int, int] = {}
    seen, frontier = set(starts), set(starts)
    for hop in range(1, hops + 1):
        reached: set[int] = set()
        for triple_id, (subject, predicate, object_) in triples.items():
            if predicates is not None and predicate not in predicates:
                continue
            for here, there, way in ((subject, object_, "out"), (object_, subject, "in")):
                if direction in (way, "both") and here in frontier:
                    found.setdefault(triple_id, hop)
                    reached.add(there)
        frontier = reached - seen
        seen |= reached
    return found


def _walk(index: TripleGraph, starts: list[int], hops: int, direction: Direction, predicates: list[int] | None) -> Walk:
    nodes = [node for node in map(index.node, starts) if node is not None]
    wanted = None if predicates is None else np.array(predicates, dtype=np.int64)
    return index.walk(nodes, hops, direction=direction, predicates=wanted)


def _hops(index: TripleGraph, walk: Walk) -> dict[int, int]:
    ids = index.triple_ids[walk.slots].tolist()
    assert len(ids) == len(set(ids)), "a triple is walked once"
    return dict(zip(ids, walk.hops.tolist(), strict=True))


def _check_paths(index: TripleGraph, walk: Walk, starts: list[int], triples: dict[int, Row]) -> None:
    """Every path begins at a start and each hop goes on where the hop before it ended."""
    for row, (hop, parent) in enumerate(zip(walk.hops.tolist(), walk.parents.tolist(), strict=True)):
        subject, _, object_ = triples[int(index.triple_ids[walk.slots[row]])]
        here = subject if walk.forward[row] else object_
        if hop == 1:
            assert parent == -1
            assert here in starts
        else:
            before_subject, _, before_object = triples[int(index.triple_ids[walk.slots[parent]])]
            assert walk.hops[parent] == hop - 1
            assert here == (before_object if walk.forward[parent] else before_subject)


@settings(max_examples=30, deadline=None)
@given(triples=TRIPLES, questions=st.lists(QUESTIONS, min_size=1, max_size=8))
def test_a_walk_finds_the_triples_of_a_breadth_first_search_with_valid_paths(
    shared: Store, triples: list[Row], questions: list[tuple[list[int], int, Direction, list[int] | None]]
) -> None:
    store = emptied(shared)
    stored = dict(zip(relate(store, triples), triples, strict=True))
    with store.reading() as tx:
        index = build_graph(tx)

    for starts, hops, direction, predicates in questions:
        walk = _walk(index, starts, hops, direction, predicates)
        assert _hops(index, walk) == _breadth_first(stored, starts, hops, direction, predicates)
        assert walk.hops.tolist() == sorted(walk.hops.tolist())
        assert not walk.truncated
        if direction != "both":
            assert set(walk.forward.tolist()) <= {direction == "out"}
        _check_paths(index, walk, starts, stored)


@settings(max_examples=10, deadline=None)
@given(steps=st.lists(st.one_of(TRIPLES, st.integers(0, 9)), max_size=8), start=ENTITIES)
def test_an_updated_graph_is_walked_like_a_new_one(shared: Store, steps: list[list[Row] | int], start: int) -> None:
    store, indexes = emptied(shared), Indexes()
    documents: list[int] = []
    for step in steps:
        if isinstance(step, list):
            document_id, (chunk_id,) = add_document(store, ["text"])
            documents.append(document_id)
            relate(store, step, chunk=chunk_id)
        elif documents:
            retire(store, documents.pop(step % len(documents)))
        with store.reading() as tx:
            updated, built = indexes.triple_graph(tx), build_graph(tx)
        assert updated.size == built.size
        for direction in DIRECTIONS:
            after_update, after_build = (_walk(index, [start], 4, direction, None) for index in (updated, built))
            assert _hops(updated, after_update) == _hops(built, after_build)


def test_a_walk_stops_at_its_limit_and_reports_it(store: Store) -> None:
    relate(store, [(1, 1, n) for n in range(2, 12)] + [(n, 1, n + 20) for n in range(2, 12)])
    with store.reading() as tx:
        index = build_graph(tx)
    start = index.node(1)
    assert start is not None

    for limit, truncated in ((5, True), (10, True), (15, True), (20, False), (99, False)):
        walk = index.walk([start], 2, max_triples=limit)
        assert (len(walk.slots), walk.truncated) == (min(limit, 20), truncated)
        assert set(walk.hops[:10].tolist()) == {1}


def test_an_entity_without_triples_has_no_node(store: Store) -> None:
    indexes = Indexes()
    relate(store, [(3, 1, 9)])

    with store.reading() as tx:
        index = indexes.triple_graph(tx)
        assert [index.node(entity_id) is None for entity_id in (1, 3, 4, 9, 10)] == [True, False, True, False, True]
        relate(store, [(4, 1, 10)])
    with store.reading() as tx:
        index = indexes.triple_graph(tx)
        assert [index.node(entity_id) is None for entity_id in (1, 3, 4, 9, 10)] == [True, False, False, False, False]
