from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.communities.clusters import Cluster, find_clusters
from mcp_graphrag.communities.weighted_graph import weighted_graph
from mcp_graphrag.model import Ids

Pairs = list[tuple[int, int]]


def clusters(pairs: Pairs, count: int, **limits: int) -> list[Cluster]:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return find_clusters(weighted_graph(ends[:, 0], ends[:, 1], np.ones(len(ends), dtype=np.int64), count), **limits)


def clique(first: int, size: int) -> Pairs:
    """Every pair of some nodes."""
    return [(a, b) for a in range(first, first + size) for b in range(a + 1, first + size)]


def members(found: list[Cluster], level: int) -> list[list[int]]:
    return [cluster.nodes.tolist() for cluster in found if cluster.level == level]


def test_connected_nodes_form_clusters_and_small_groups_do_not() -> None:
    found = clusters([*clique(0, 4), *clique(4, 3), (3, 4), (8, 9)], 11)
    assert members(found, 0) == [[0, 1, 2, 3], [4, 5, 6]]
    assert [cluster.strengths.tolist() for cluster in found] == [[3, 3, 3, 3], [2, 2, 2]]


def test_a_large_cluster_is_divided_into_smaller_ones_that_know_their_parent() -> None:
    cliques = [pair for first in range(0, 40, 5) for pair in clique(first, 5)]
    bridges = [(first, first + 5) for first in range(0, 35, 5)] + [(0, 35)]
    found = clusters([*cliques, *bridges], 40, max_members=6)
    finest = [cluster.nodes.tolist() for cluster in found if len(cluster.nodes) == 5]
    assert finest == [list(range(first, first + 5)) for first in range(0, 40, 5)]
    for cluster in found:
        parent: Ids = found[cluster.parent].nodes if cluster.parent is not None else np.arange(40)
        assert set(cluster.nodes) <= set(parent)
        assert (cluster.level == 0) == (cluster.parent is None)


def test_a_graph_without_pairs_has_no_clusters() -> None:
    assert clusters([], 0) == []
    assert clusters([(1, 1)], 3) == []


def test_weights_of_a_pair_are_added_in_both_directions() -> None:
    ends = np.array([[0, 1], [1, 0], [2, 2], [1, 2]], dtype=np.int64)
    graph = weighted_graph(ends[:, 0], ends[:, 1], np.array([1, 2, 9, 0], dtype=np.int64), 3)
    assert (graph.starts.tolist(), graph.targets.tolist(), graph.weights.tolist()) == ([0, 1, 2, 2], [1, 0], [3.0, 3.0])
    assert graph.within(np.array([1, 2])).weights.tolist() == []


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=60), st.randoms())
def test_the_order_of_pairs_does_not_matter_and_a_level_has_each_node_once(pairs: Pairs, random: Random) -> None:
    first = clusters(pairs, 21, max_members=4)
    shuffled = list(pairs)
    random.shuffle(shuffled)
    second = clusters([(b, a) for a, b in shuffled], 21, max_members=4)
    assert [(cluster.level, cluster.parent, cluster.nodes.tolist()) for cluster in first] == [
        (cluster.level, cluster.parent, cluster.nodes.tolist()) for cluster in second
    ]
    for level in range(6):
        nodes = [node for cluster in members(first, level) for node in cluster]
        assert len(nodes) == len(set(nodes))
