import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.index.graph import Adjacency, Graph
from mcp_graphrag.model import Ids
from mcp_graphrag.reason import layers
from mcp_graphrag.reason.layers import Choice, Way, shortest_ways

Row = tuple[int, int, int, float]
NODES = 6


def graph_of(rows: Sequence[Row]) -> Graph:
    """A resident graph of (subject, predicate, object, confidence), slot by slot."""
    subjects, predicates, objects = (np.array([row[part] for row in rows], dtype=np.int64) for part in range(3))
    count = len(rows)
    none = np.zeros(count, dtype=np.int64)
    confidences = np.array([row[3] for row in rows], dtype=np.float32)
    alive = np.ones(count, dtype=np.bool_)
    ends = (around(subjects), around(objects))
    ids = np.arange(count)
    return Graph(
        np.arange(NODES), {}, ids, subjects, predicates, objects, confidences, none, none, none, alive, *ends, count
    )


def around(ends: Ids) -> Adjacency:
    starts = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=NODES))))
    return Adjacency(starts, np.argsort(ends, kind="stable"))


def every_way(rows: Sequence[Row], starts: set[int], goals: set[int], most: int, choice: Choice) -> list[Way]:
    """All simple paths in their order, found by trying every order of the nodes between."""
    kept = [slot for slot, row in enumerate(rows) if choice.predicates is None or row[1] in choice.predicates]
    steps: dict[tuple[int, int], tuple[int, bool]] = {}
    for slot in sorted(kept, key=lambda slot: (-rows[slot][3], slot)):
        subject, _, object_, _ = rows[slot]
        steps.setdefault((subject, object_), (slot, True))
        if not choice.directed:
            steps.setdefault((object_, subject), (slot, False))
    ways: list[tuple[int, float, list[int], Way]] = []
    for count in range(most):
        for middle in itertools.permutations(sorted(set(range(NODES)) - starts - goals), count):
            for start, goal in itertools.product(starts, goals):
                hops = tuple(steps.get(pair, (-1, True)) for pair in itertools.pairwise((start, *middle, goal)))
                slots = [slot for slot, _ in hops]
                if min(slots) >= 0:
                    ways.append((len(hops), -math.prod(rows[slot][3] for slot in slots), slots, hops))
    return [way[-1] for way in sorted(ways)]


NODE = st.integers(0, NODES - 1)
ROWS = st.lists(st.tuples(NODE, st.integers(1, 2), NODE, st.sampled_from([1.0, 0.5, 0.25])), max_size=14)
ENDS = st.sets(NODE, min_size=2, max_size=3)


@given(ROWS, ENDS, st.integers(1, 5), st.integers(1, 6), st.booleans())
def test_the_paths_are_those_that_trying_everything_finds(
    rows: list[Row],
    ends: set[int],
    most: int,
    k: int,
    directed: bool,  # noqa: FBT001  (drawn by hypothesis)
) -> None:
    goals = {min(ends)}
    starts = ends - goals
    for predicates in (None, np.array([2])):
        choice = Choice(directed, predicates)
        found = shortest_ways(graph_of(rows), sorted(starts), sorted(goals), most, k, choice)
        assert list(found.ways) == every_way(rows, starts, goals, most, choice)[:k]
        assert not found.cut


def test_a_triple_of_a_thing_with_itself_leads_nowhere() -> None:
    rows = [(0, 1, 1, 1.0), (1, 1, 1, 1.0), (1, 1, 2, 1.0), (2, 1, 2, 1.0), (2, 1, 3, 1.0)]
    found = shortest_ways(graph_of(rows), [0], [3], 5, 5, Choice())
    assert list(found.ways) == [((0, True), (2, True), (4, True))]


def test_a_search_that_grows_too_large_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(a, 1, b, 1.0) for a, b in itertools.permutations(range(NODES), 2)]
    monkeypatch.setattr(layers, "MOST_EXPANDED", 5)
    found = shortest_ways(graph_of(rows), [0], [1], 5, 20, Choice())
    assert found.cut
    assert len(found.ways[0]) == 1
