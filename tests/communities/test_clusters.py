from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.communities.clusters import Cluster, find_clusters, leiden
from mcp_graphrag.communities.weighted_graph import WeightedGraph, weighted_graph
from mcp_graphrag.model import Ids

Pairs = list[tuple[int, int]]


def graph_of(pairs: Pairs, count: int, weights: list[int] | None = None) -> WeightedGraph:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return weighted_graph(ends[:, 0], ends[:, 1], np.array(weights or [1] * len(pairs), dtype=np.int64), count)


def clusters(pairs: Pairs, count: int, **limits: int) -> list[Cluster]:
    return find_clusters(graph_of(pairs, count), **limits)


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
    graph = graph_of([(0, 1), (1, 0), (2, 2), (1, 2)], 3, [1, 2, 9, 0])
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


# Who met whom outside the club: Zachary, "An information flow model for conflict and fission in small groups" (1977).
CLUB = """
1-2 1-3 2-3 1-4 2-4 3-4 1-5 1-6 1-7 5-7 6-7 1-8 2-8 3-8 4-8 1-9 3-9 3-10 1-11 5-11 6-11 1-12 1-13 4-13 1-14 2-14 3-14
4-14 6-17 7-17 1-18 2-18 1-20 2-20 1-22 2-22 24-26 25-26 3-28 24-28 25-28 3-29 24-30 27-30 2-31 9-31 1-32 25-32 26-32
29-32 3-33 9-33 15-33 16-33 19-33 21-33 23-33 24-33 30-33 31-33 32-33 9-34 10-34 14-34 15-34 16-34 19-34 20-34 21-34
23-34 24-34 27-34 28-34 29-34 30-34 31-34 32-34 33-34
"""


def modularity(graph: WeightedGraph, labels: Ids) -> float:
    rows = np.repeat(np.arange(graph.count), np.diff(graph.starts))
    inside = graph.weights[labels[rows] == labels[graph.targets]].sum()
    sums = np.bincount(labels, weights=graph.strengths())
    return float(inside / graph.weights.sum() - (sums**2).sum() / graph.weights.sum() ** 2)


def test_the_karate_club_has_nearly_the_best_modularity() -> None:
    graph = graph_of([(int(a) - 1, int(b) - 1) for a, b in (pair.split("-") for pair in CLUB.split())], 34)

    labels = leiden(graph)

    assert len(graph.targets) == 2 * 78
    assert modularity(graph, labels) > 0.415  # 0.4198 is the best possible


def test_a_heavy_edge_holds_nodes_together_that_light_ones_do_not() -> None:
    ring = [(node, (node + 1) % 6) for node in range(6)]

    labels = leiden(graph_of(ring, 6, [1, 9, 1, 9, 1, 9]))

    assert labels[[1, 3, 5]].tolist() == labels[[2, 4, 0]].tolist()
    assert len(set(labels.tolist())) == 3


@given(st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25), st.integers(1, 9)), min_size=1, max_size=120))
def test_communities_are_connected_and_better_than_none(drawn: list[tuple[int, int, int]]) -> None:
    graph = graph_of([(a, b) for a, b, _ in drawn], 26, [weight for *_, weight in drawn])

    labels = leiden(graph)

    for label in set(labels.tolist()):
        members = set(np.flatnonzero(labels == label).tolist())
        reached, waiting = set[int](), [min(members)]
        while waiting:
            node = waiting.pop()
            if node not in reached:
                reached.add(node)
                waiting += members & set(graph.targets[graph.starts[node] : graph.starts[node + 1]].tolist())
        assert reached == members
    if len(graph.targets):
        assert modularity(graph, labels) >= modularity(graph, np.arange(26)) - 1e-9
