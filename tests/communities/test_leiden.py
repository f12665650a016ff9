import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.communities.leiden import leiden
from mcp_graphrag.communities.weighted_graph import WeightedGraph, weighted_graph
from mcp_graphrag.model import Ids

# Who met whom outside the club: Zachary, "An information flow model for conflict and fission in small groups" (1977).
CLUB = """
1-2 1-3 2-3 1-4 2-4 3-4 1-5 1-6 1-7 5-7 6-7 1-8 2-8 3-8 4-8 1-9 3-9 3-10 1-11 5-11 6-11 1-12 1-13 4-13 1-14 2-14 3-14
4-14 6-17 7-17 1-18 2-18 1-20 2-20 1-22 2-22 24-26 25-26 3-28 24-28 25-28 3-29 24-30 27-30 2-31 9-31 1-32 25-32 26-32
29-32 3-33 9-33 15-33 16-33 19-33 21-33 23-33 24-33 30-33 31-33 32-33 9-34 10-34 14-34 15-34 16-34 19-34 20-34 21-34
23-34 24-34 27-34 28-34 29-34 30-34 31-34 32-34 33-34
"""


def graph_of(pairs: list[tuple[int, int]], count: int, weights: list[int] | None = None) -> WeightedGraph:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return weighted_graph(ends[:, 0], ends[:, 1], np.array(weights or [1] * len(pairs), dtype=np.int64), count)


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


def test_nodes_without_neighbours_are_alone() -> None:
    assert leiden(graph_of([], 0)).tolist() == []
    assert leiden(graph_of([], 3)).tolist() == [0, 1, 2]


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
