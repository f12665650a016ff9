import itertools
import math
from collections.abc import Sequence
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mcp_graphrag.index.csr import adjacency
from mcp_graphrag.index.triple_graph import Slots, TripleGraph
from mcp_graphrag.model import Direction, Ids
from mcp_graphrag.ontology.stating import Statements, nothing_same
from mcp_graphrag.reason import k_shortest as layers
from mcp_graphrag.reason.k_shortest import PathGraph, ShortestPaths, SlotPath, shortest_paths

Row = tuple[int, int, int, float]
NODES = 6


def graph_of(rows: Sequence[Row]) -> TripleGraph:
    """A resident graph of (subject, predicate, object, confidence), slot by slot."""
    subjects, predicates, objects = (np.array([row[part] for row in rows], dtype=np.int64) for part in range(3))
    count = len(rows)
    none = np.zeros(count, dtype=np.int64)
    confidences = np.array([row[3] for row in rows], dtype=np.float32)
    alive = np.ones(count, dtype=np.bool_)
    ends = (adjacency(subjects, NODES), adjacency(objects, NODES))
    ids = np.arange(count)
    return TripleGraph(
        np.arange(NODES), {}, ids, subjects, predicates, objects, confidences, none, none, none, none, alive, *ends
    )


def within(graph: TripleGraph, *, predicate: int | None = None, directed: bool = False) -> PathGraph:
    """All triples of a graph, or those of a predicate."""
    alone = Statements(graph, [("", True)], np.array([predicate])) if predicate else Statements(graph)
    return PathGraph(alone, nothing_same(graph), directed)


def every_way(
    rows: Sequence[Row], starts: set[int], goals: set[int], most: int, predicate: int | None, *, directed: bool
) -> list[SlotPath]:
    """All simple paths in their order, found by trying every order of the nodes between."""
    kept = [slot for slot, row in enumerate(rows) if predicate in {None, row[1]}]
    steps: dict[tuple[int, int], tuple[int, bool]] = {}
    for slot in sorted(kept, key=lambda slot: (-rows[slot][3], slot)):
        subject, _, object_, _ = rows[slot]
        steps.setdefault((subject, object_), (slot, True))
        if not directed:
            steps.setdefault((object_, subject), (slot, False))
    paths: list[tuple[int, float, list[int], SlotPath]] = []
    for count in range(most):
        for middle in itertools.permutations(sorted(set(range(NODES)) - starts - goals), count):
            for start, goal in itertools.product(starts, goals):
                hops = tuple(steps.get(pair, (-1, True)) for pair in itertools.pairwise((start, *middle, goal)))
                slots = [slot for slot, _ in hops]
                if min(slots) >= 0:
                    paths.append((len(hops), -math.prod(rows[slot][3] for slot in slots), slots, hops))
    return [path[-1] for path in sorted(paths)]


NODE = st.integers(0, NODES - 1)
ROWS = st.lists(st.tuples(NODE, st.integers(1, 2), NODE, st.sampled_from([1.0, 0.5, 0.25])), max_size=14)
ENDS = st.sets(NODE, min_size=2, max_size=3)


@given(ROWS, ENDS, st.integers(1, 5), st.integers(1, 6), st.booleans())
def test_the_paths_equal_those_of_exhaustive_search(
    rows: list[Row],
    ends: set[int],
    most: int,
    k: int,
    directed: bool,  # noqa: FBT001  (drawn by hypothesis)
) -> None:
    goals = {min(ends)}
    starts = ends - goals
    for predicate in (None, 2):
        wanted = within(graph_of(rows), predicate=predicate, directed=directed)
        found = shortest_paths(wanted, sorted(starts), sorted(goals), most, k)
        assert list(found.paths) == every_way(rows, starts, goals, most, predicate, directed=directed)[:k]
        assert not found.cut


def test_a_loop_is_not_part_of_a_path() -> None:
    rows = [(0, 1, 1, 1.0), (1, 1, 1, 1.0), (1, 1, 2, 1.0), (2, 1, 2, 1.0), (2, 1, 3, 1.0)]
    found = shortest_paths(within(graph_of(rows)), [0], [3], 5, 5)
    assert list(found.paths) == [((0, True), (2, True), (4, True))]


def test_a_search_that_exceeds_its_limit_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(a, 1, b, 1.0) for a, b in itertools.permutations(range(NODES), 2)]
    monkeypatch.setattr(layers, "MAX_EXPANDED", 5)
    found = shortest_paths(within(graph_of(rows)), [0], [1], 5, 20)
    assert found.cut
    assert len(found.paths[0]) == 1


def test_the_product_of_confidences_decides_between_paths_and_not_their_sum() -> None:
    rows = [(0, 1, 1, 1.0), (1, 1, 5, 0.25), (0, 1, 2, 0.5), (2, 1, 5, 0.625)]
    found = shortest_paths(within(graph_of(rows)), [0], [5], 2, 2)
    assert list(found.paths) == [((2, True), (3, True)), ((0, True), (1, True))]


def test_the_limit_counts_each_step_of_the_search_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(0, 1, 1, 1.0), (1, 1, 2, 1.0), (2, 1, 5, 1.0)]
    whole = ShortestPaths([((0, True), (1, True), (2, True))], cut=False)
    for most, expected in ((2, ShortestPaths([], cut=True)), (3, whole)):
        monkeypatch.setattr(layers, "MAX_EXPANDED", most)
        assert shortest_paths(within(graph_of(rows)), [0], [5], 3, 1) == expected


def test_the_search_goes_on_from_the_end_with_fewer_triples_around_it() -> None:
    frontiers: list[list[int]] = []

    class Followed(TripleGraph):
        def step(
            self, frontier: Slots, direction: Direction = "both", predicates: Ids | None = None
        ) -> tuple[Slots, NDArray[np.bool_]]:
            frontiers.append(frontier.tolist())
            return super().step(frontier, direction, predicates)

    hub = [(0, 1, 1, 1.0), (1, 1, 0, 1.0), (2, 1, 0, 1.0), (0, 1, 3, 1.0)]
    graph = graph_of([*hub, (3, 1, 4, 1.0), (5, 1, 4, 1.0)])
    followed = Followed(**{part.name: getattr(graph, part.name) for part in fields(graph)})
    found = shortest_paths(within(followed), [0], [5], 3, 1)
    assert list(found.paths) == [((3, True), (4, True), (5, False))]
    assert frontiers == [[5], [4], [3]]
