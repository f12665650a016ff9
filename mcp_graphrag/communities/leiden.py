"""Clusters of a weighted graph by Leiden, level by level, each split further until it is small.

Traag, Waltman and van Eck, "From Louvain to Leiden: guaranteeing well-connected communities" (2019).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import graspologic_native
import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import concatenated_ranges
from mcp_graphrag.model import Ids

SEED = 20_191  # fixed, so that the same graph has the same clusters
MIN_MEMBERS = 3
MAX_MEMBERS = 30  # a larger cluster is split
MAX_LEVELS = 6
MAX_TOP = 36  # clusters on the broadest level; the smaller ones stand on the next, as part of none

Weights = NDArray[np.float64]


@dataclass(frozen=True)
class WeightedGraph:
    """An undirected graph as compressed rows: the neighbours of node n are targets[starts[n]:starts[n + 1]].

    Every edge is stored twice, once from each end; targets ascend within a row; no node is its own neighbour.
    """

    starts: Ids
    targets: NDArray[np.int32]
    weights: Weights

    @property
    def count(self) -> int:
        """How many nodes there are."""
        return len(self.starts) - 1

    def within(self, nodes: Ids) -> "WeightedGraph":
        """The graph among some nodes, given in ascending order and renumbered from 0."""
        lengths = self.starts[nodes + 1] - self.starts[nodes]
        slots = concatenated_ranges(self.starts[nodes], lengths)
        at = np.searchsorted(nodes, self.targets[slots])
        inside = nodes[np.minimum(at, len(nodes) - 1)] == self.targets[slots]
        rows = np.repeat(np.arange(len(nodes)), lengths)[inside]
        starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(nodes))))).astype(np.int64)
        return WeightedGraph(starts, at[inside].astype(np.int32), self.weights[slots[inside]])

    def strengths(self) -> Weights:
        """The sum of the weights of the edges of each node."""
        rows = np.repeat(np.arange(self.count), np.diff(self.starts))
        return np.bincount(rows, weights=self.weights, minlength=self.count).astype(np.float64)


@dataclass(frozen=True)
class Cluster:
    """A cluster of nodes, ascending, with their strengths inside it; `parent` is a position in the list of clusters."""

    level: int
    parent: int | None
    nodes: Ids
    strengths: Weights


def weighted_graph(first: Ids, second: Ids, weights: NDArray[np.int64], count: int) -> WeightedGraph:
    """The graph of pairs of nodes below `count`; the weights of equal pairs are added.

    Weights are integers, so that the sums do not depend on the order of the pairs.
    """
    apart = (first != second) & (weights > 0)
    low, high = np.minimum(first, second)[apart], np.maximum(first, second)[apart]
    pairs, at = np.unique(low.astype(np.int64) * count + high, return_inverse=True)
    sums = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(sums, at, weights[apart])
    low, high = np.divmod(pairs, max(count, 1))
    sources, targets = np.concatenate([low, high]), np.concatenate([high, low])
    order = np.lexsort((targets, sources))
    starts = np.concatenate(([0], np.cumsum(np.bincount(sources, minlength=count)))).astype(np.int64)
    return WeightedGraph(
        starts, targets[order].astype(np.int32), np.concatenate([sums, sums])[order].astype(np.float64)
    )


def find_clusters(graph: WeightedGraph, *, max_members: int = MAX_MEMBERS) -> list[Cluster]:
    """Every cluster of at least MIN_MEMBERS nodes, the broadest level first, within a level the largest first.

    One of more than `max_members` is split on the next level if it can be. The broadest level has the MAX_TOP largest;
    the others are on the next one, without a parent. A parent comes before its children; nodes
    without neighbours are in no cluster. The same graph has the same clusters.
    """
    found: list[Cluster] = []
    waiting: list[tuple[int | None, Ids, WeightedGraph]] = [(None, np.arange(graph.count, dtype=np.int64), graph)]
    carried: list[tuple[int | None, Ids, WeightedGraph]] = []
    for level in range(MAX_LEVELS):
        here = [
            (parent, nodes[part], inner.within(part))
            for parent, nodes, inner in waiting
            for part in _split(inner)
            if len(part) >= MIN_MEMBERS and (parent is None or len(part) < len(nodes))
        ]
        here = sorted([*here, *carried], key=lambda entry: (-len(entry[1]), int(entry[1][0])))
        here, carried = (here[:MAX_TOP], here[MAX_TOP:]) if level == 0 else (here, [])
        waiting = []
        for parent, nodes, inner in here:
            found.append(Cluster(level, parent, nodes, inner.strengths()))
            if len(nodes) > max_members:
                waiting.append((len(found) - 1, nodes, inner))
    return found


def _split(graph: WeightedGraph) -> list[Ids]:
    """The clusters of a graph on one level, as ascending nodes; nodes without neighbours are in none."""
    if not len(graph.targets):
        return []  # the library rejects a graph without edges
    # The library has no types.
    leiden = cast("Callable[..., tuple[float, dict[int, int]]]", vars(graspologic_native)["leiden_csr"])
    _, mapped = leiden(graph.starts, graph.targets, graph.weights, graph.count, seed=SEED)
    nodes, community = np.array(list(mapped.items()), dtype=np.int64).T
    connected = np.diff(graph.starts)[nodes] > 0
    nodes, community = nodes[connected], community[connected]
    order = np.lexsort((nodes, community))
    return np.split(nodes[order], np.flatnonzero(np.diff(community[order])) + 1)
