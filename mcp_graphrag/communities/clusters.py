"""Clusters of a weighted graph level by level, each split further until it is small.

One level is found by Leiden, communities by modularity, each connected inside: Traag, Waltman and van Eck, "From
Louvain to Leiden: guaranteeing well-connected communities" (2019). Where theirs chooses among good communities by
chance, here the best is taken, so that the same graph has the same communities.
"""

import random
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from mcp_graphrag.communities.weighted_graph import WeightedGraph, Weights, graph_of_pairs
from mcp_graphrag.model import Ids

MIN_MEMBERS = 3
MAX_MEMBERS = 30  # a larger cluster is split
MAX_LEVELS = 6
MAX_TOP = 36  # clusters on the broadest level; the smaller ones stand on the next, as part of none
SEED = 20_191  # of the order in which nodes are visited
MIN_GAIN = 1e-9  # share of a node's strength; rounding alone must not move it


@dataclass(frozen=True)
class Cluster:
    """A cluster of nodes, ascending, with their strengths inside it; `parent` is a position in the list of clusters."""

    level: int
    parent: int | None
    nodes: Ids
    strengths: Weights


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
    labels = leiden(graph)
    nodes = np.flatnonzero(np.diff(graph.starts))
    order = nodes[np.argsort(labels[nodes], kind="stable")]
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def leiden(graph: WeightedGraph) -> Ids:
    """The community of each node, numbered from 0; a node without neighbours is one of its own."""
    level = _Level.of(graph, graph.strengths())
    node_at = labels = np.arange(graph.count, dtype=np.int64)
    while True:
        labels = level.moved(labels)
        refined = level.refined(labels)
        count = int(refined.max(initial=-1)) + 1
        if count == level.graph.count:
            return labels[node_at]
        of_part = np.zeros(count, dtype=np.int64)
        of_part[refined] = labels
        level, node_at, labels = level.merged(refined, count), refined[node_at], of_part


@dataclass(frozen=True)
class _Level:
    """A graph whose nodes are parts of communities; `strengths` count the weights inside a part twice.

    `rows` has (neighbour, weight) of each node: reading single numbers from an array is slow.
    """

    graph: WeightedGraph
    strengths: Sequence[float]
    total: float
    rows: Sequence[Sequence[tuple[int, float]]]

    @classmethod
    def of(cls, graph: WeightedGraph, strengths: Weights) -> "_Level":
        edges = list(zip(graph.targets.tolist(), graph.weights.tolist(), strict=True))
        bounds: list[int] = graph.starts.tolist()
        rows = [edges[start:end] for start, end in pairwise(bounds)]
        return cls(graph, strengths.tolist(), float(strengths.sum()) or 1.0, rows)

    def merged(self, part_of: Ids, count: int) -> "_Level":
        """The level with a node for each of the parts."""
        sources = part_of[np.repeat(np.arange(self.graph.count), np.diff(self.graph.starts))]
        graph = graph_of_pairs(sources, part_of[self.graph.targets], self.graph.weights, count)
        return _Level.of(graph, np.bincount(part_of, weights=self.strengths, minlength=count).astype(np.float64))

    def moved(self, labels: Ids) -> Ids:
        """Communities after nodes have moved to the best among those of their neighbours until none gains by it."""
        rows, strengths, total = self.rows, self.strengths, self.total
        of: list[int] = labels.tolist()
        sums: list[float] = np.bincount(labels, weights=strengths, minlength=len(of)).tolist()
        sizes: list[int] = np.bincount(labels, minlength=len(of)).tolist()
        empty = [label for label, size in enumerate(sizes) if not size]
        waiting = deque(self._order())
        waits = [True] * len(of)
        while waiting:
            node = waiting.popleft()
            waits[node] = False
            here, strength = of[node], strengths[node]
            weights: dict[int, float] = {here: 0.0}
            for other, weight in rows[node]:
                label = of[other]
                weights[label] = weights.get(label, 0.0) + weight
            share = strength / total
            best, most = here, weights[here] - share * (sums[here] - strength) + MIN_GAIN * strength
            for label, weight in weights.items():
                gain = weight - share * sums[label]
                if gain > most and label != here:
                    best, most = label, gain
            if most < 0 and sizes[here] > 1:
                best = empty.pop()
            if best == here:
                continue
            of[node] = best
            sums[here] -= strength
            sums[best] += strength
            sizes[here] -= 1
            sizes[best] += 1
            if not sizes[here]:
                empty.append(here)
            for other, _ in rows[node]:
                if not waits[other] and of[other] != best:
                    waits[other] = True
                    waiting.append(other)
        return _renumbered(of)

    def refined(self, labels: Ids) -> Ids:
        """Parts of the communities, each connected inside, and well enough connected to the rest of its community."""
        rows, strengths, total = self.rows, self.strengths, self.total
        whole: list[int] = labels.tolist()
        sums: list[float] = np.bincount(labels, weights=strengths).tolist()
        part = list(range(len(whole)))
        part_sums, is_alone = list(strengths), [True] * len(whole)
        inner = [sum(weight for other, weight in row if whole[other] == whole[node]) for node, row in enumerate(rows)]
        outward = list(inner)  # of a part: the weight of its edges to the rest of its community
        for node in self._order():
            strength = strengths[node]
            community = sums[whole[node]]
            if not is_alone[node] or inner[node] < strength * (community - strength) / total:
                continue
            weights: dict[int, float] = defaultdict(float)
            for other, weight in rows[node]:
                if whole[other] == whole[node]:
                    weights[part[other]] += weight
            best, most = node, 0.0
            for label, weight in weights.items():
                gain = weight - strength * part_sums[label] / total
                if gain > most and outward[label] >= part_sums[label] * (community - part_sums[label]) / total:
                    best, most = label, gain
            if best == node:
                continue
            part[node] = best
            is_alone[best] = False
            part_sums[best] += strength
            outward[best] += inner[node] - 2 * weights[best]
        return _renumbered(part)

    def _order(self) -> list[int]:
        """Every node once, in an order without meaning."""
        order = list(range(len(self.rows)))
        random.Random(SEED).shuffle(order)  # noqa: S311
        return order


def _renumbered(labels: Sequence[int]) -> Ids:
    return np.unique(np.array(labels, dtype=np.int64), return_inverse=True)[1].astype(np.int64)
