from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.index.communities import Cluster, find_communities, weighted_graph
from mcp_graphrag.model import Ids

Pairs = list[tuple[int, int]]


def clusters(pairs: Pairs, count: int, **limits: int) -> list[Cluster]:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return find_communities(weighted_graph(ends[:, 0], ends[:, 1], np.ones(len(ends), dtype=np.int64), count), **limits)


def ring(first: int, size: int) -> Pairs:
    """Everybody with everybody."""
    return [(a, b) for a in range(first, first + size) for b in range(a + 1, first + size)]


def members(found: list[Cluster], level: int) -> list[list[int]]:
    return [each.nodes.tolist() for each in found if each.level == level]


def test_what_hangs_together_is_a_community_and_the_alone_are_in_none() -> None:
    found = clusters([*ring(0, 4), *ring(4, 3), (3, 4), (8, 9)], 11)
    assert members(found, 0) == [[0, 1, 2, 3], [4, 5, 6]]
    assert [each.strengths.tolist() for each in found] == [[3, 3, 3, 3], [2, 2, 2]]


def test_a_large_community_falls_into_smaller_ones_that_know_their_parent() -> None:
    cliques = [pair for first in range(0, 40, 5) for pair in ring(first, 5)]
    bridges = [(first, first + 5) for first in range(0, 35, 5)] + [(0, 35)]
    found = clusters([*cliques, *bridges], 40, most=6)
    finest = [each.nodes.tolist() for each in found if len(each.nodes) == 5]
    assert finest == [list(range(first, first + 5)) for first in range(0, 40, 5)]
    for each in found:
        above: Ids = found[each.parent].nodes if each.parent is not None else np.arange(40)
        assert set(each.nodes) <= set(above)
        assert (each.level == 0) == (each.parent is None)


def test_a_graph_without_pairs_has_no_communities() -> None:
    assert clusters([], 0) == []
    assert clusters([(1, 1)], 3) == []


def test_weights_of_a_pair_add_up_whichever_way_round() -> None:
    ends = np.array([[0, 1], [1, 0], [2, 2], [1, 2]], dtype=np.int64)
    graph = weighted_graph(ends[:, 0], ends[:, 1], np.array([1, 2, 9, 0], dtype=np.int64), 3)
    assert (graph.starts.tolist(), graph.targets.tolist(), graph.weights.tolist()) == ([0, 1, 2, 2], [1, 0], [3.0, 3.0])
    assert graph.within(np.array([1, 2])).weights.tolist() == []


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=60), st.randoms())
def test_the_order_of_the_pairs_changes_nothing_and_a_level_has_nobody_twice(pairs: Pairs, chance: Random) -> None:
    once = clusters(pairs, 21, most=4)
    shuffled = list(pairs)
    chance.shuffle(shuffled)
    again = clusters([(b, a) for a, b in shuffled], 21, most=4)
    assert [(each.level, each.parent, each.nodes.tolist()) for each in once] == [
        (each.level, each.parent, each.nodes.tolist()) for each in again
    ]
    for level in range(6):
        here = [node for each in members(once, level) for node in each]
        assert len(here) == len(set(here))
