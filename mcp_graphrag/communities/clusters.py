"""Clusters of a weighted graph level by level, each split further until it is small."""

from dataclasses import dataclass

import numpy as np

from mcp_graphrag.communities.leiden import leiden
from mcp_graphrag.communities.weighted_graph import WeightedGraph, Weights
from mcp_graphrag.model import Ids

MIN_MEMBERS = 3
MAX_MEMBERS = 30  # a larger cluster is split
MAX_LEVELS = 6
MAX_TOP = 36  # clusters on the broadest level; the smaller ones stand on the next, as part of none


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
