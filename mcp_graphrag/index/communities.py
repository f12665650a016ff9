"""Communities of a weighted graph: Leiden, level by level, each community split further until it is small.

Leiden: Traag, Waltman and van Eck, "From Louvain to Leiden: guaranteeing well-connected communities" (2019).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

import graspologic_native
import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.runs import places_of_runs
from mcp_graphrag.model import Ids

SEED = 20_191  # any, but always the same: the same graph has the same communities
LEAST_MEMBERS = 3
MOST_MEMBERS = 30  # a community of more is split
MOST_LEVELS = 6

Weights = NDArray[np.float64]


@dataclass(frozen=True)
class WeightedGraph:
    """An undirected graph as compressed rows: the neighbours of node n are targets[starts[n]:starts[n + 1]].

    Every pair stands in it twice, once from each end, targets ascending within a row; no node is its own neighbour.
    """

    starts: Ids
    targets: NDArray[np.int32]
    weights: Weights

    @property
    def count(self) -> int:
        """How many nodes there are."""
        return len(self.starts) - 1

    def within(self, nodes: Ids) -> "WeightedGraph":
        """The graph among some ascending nodes, which are counted anew from 0."""
        lengths = self.starts[nodes + 1] - self.starts[nodes]
        slots = places_of_runs(self.starts[nodes], lengths)
        at = np.searchsorted(nodes, self.targets[slots])
        inside = nodes[np.minimum(at, len(nodes) - 1)] == self.targets[slots]
        rows = np.repeat(np.arange(len(nodes)), lengths)[inside]
        starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(nodes))))).astype(np.int64)
        return WeightedGraph(starts, at[inside].astype(np.int32), self.weights[slots[inside]])

    def strengths(self) -> Weights:
        """The weights around each node together."""
        rows = np.repeat(np.arange(self.count), np.diff(self.starts))
        return np.bincount(rows, weights=self.weights, minlength=self.count).astype(np.float64)


@dataclass(frozen=True)
class Cluster:
    """A community of nodes, ascending. `strengths` are the weights around each inside it, `parent` is a position."""

    level: int
    parent: int | None
    nodes: Ids
    strengths: Weights


def weighted_graph(first: Ids, second: Ids, weights: NDArray[np.int64], count: int) -> WeightedGraph:
    """The graph of pairs of nodes below `count`; weights of a pair that is given repeatedly are added up.

    Weights are whole numbers, so that the sums do not hang on the order of the pairs.
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


def find_communities(
    graph: WeightedGraph, *, least: int = LEAST_MEMBERS, most: int = MOST_MEMBERS, levels: int = MOST_LEVELS
) -> list[Cluster]:
    """Every community of at least `least` nodes, the broadest level first, within a level the largest first.

    One of more than `most` is split on the next level, where it falls apart at all. A parent stands before its
    children; nodes without neighbours are in no community. The same graph has the same communities.
    """
    found: list[Cluster] = []
    waiting: list[tuple[int | None, Ids, WeightedGraph]] = [
        (None, np.arange(graph.count, dtype=np.int64), graph),
    ]
    for level in range(levels):
        here: list[tuple[int | None, Ids, WeightedGraph]] = []
        for parent, nodes, inner in waiting:
            parts = [
                each for each in _split(inner) if len(each) >= least and (parent is None or len(each) < len(nodes))
            ]
            here += [(parent, nodes[part], inner.within(part)) for part in parts]
        here.sort(key=lambda each: (-len(each[1]), int(each[1][0])))
        waiting = []
        for parent, nodes, inner in here:
            found.append(Cluster(level, parent, nodes, inner.strengths()))
            if len(nodes) > most:
                waiting.append((len(found) - 1, nodes, inner))
    return found


def _split(graph: WeightedGraph) -> Iterator[Ids]:
    """The communities of a graph on one level, each as ascending nodes; nodes without neighbours are in none."""
    if not len(graph.targets):
        return  # the library takes no graph without edges
    mapped = _leiden(graph)
    community = np.fromiter(mapped.values(), dtype=np.int64, count=len(mapped))
    nodes = np.fromiter(mapped.keys(), dtype=np.int64, count=len(mapped))
    nodes, community = nodes[np.diff(graph.starts)[nodes] > 0], community[np.diff(graph.starts)[nodes] > 0]
    order = np.lexsort((nodes, community))
    nodes, community = nodes[order], community[order]
    yield from np.split(nodes, np.flatnonzero(np.diff(community)) + 1)


def _leiden(graph: WeightedGraph) -> dict[int, int]:
    # The library has no types.
    leiden = cast("Callable[..., tuple[float, dict[int, int]]]", vars(graspologic_native)["leiden_csr"])
    return leiden(graph.starts, graph.targets, graph.weights, graph.count, seed=SEED)[1]
