"""Undirected weighted graphs as compressed rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import concatenated_ranges, row_starts
from mcp_graphrag.model import Ids

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
        return WeightedGraph(row_starts(rows, len(nodes)), at[inside].astype(np.int32), self.weights[slots[inside]])

    def strengths(self) -> Weights:
        """The sum of the weights of the edges of each node."""
        rows = np.repeat(np.arange(self.count), np.diff(self.starts))
        return np.bincount(rows, weights=self.weights, minlength=self.count).astype(np.float64)


def weighted_graph(first: Ids, second: Ids, weights: NDArray[np.int64], count: int) -> WeightedGraph:
    """The graph of pairs of nodes below `count`; the weights of equal pairs are added.

    Weights are integers, so that the sums do not depend on the order of the pairs.
    """
    kept = weights > 0
    ends = first[kept], second[kept]
    return graph_of_pairs(np.concatenate(ends), np.concatenate(ends[::-1]), np.tile(weights[kept], 2), count)


def graph_of_pairs(sources: Ids, targets: Ids, weights: NDArray[np.int64] | Weights, count: int) -> WeightedGraph:
    """The graph of pairs given once in each direction; those of a node with itself are left out, equal ones added."""
    apart = sources != targets
    pairs, at = np.unique(sources[apart].astype(np.int64) * count + targets[apart], return_inverse=True)
    rows, columns = np.divmod(pairs, max(count, 1))
    sums = np.bincount(at, weights=weights[apart], minlength=len(pairs))
    return WeightedGraph(row_starts(rows, count), columns.astype(np.int32), sums.astype(np.float64))
