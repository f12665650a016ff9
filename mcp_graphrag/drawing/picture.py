"""What a picture shows, and where its nodes stand."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcp_graphrag.drawing.layout import lay_out
from mcp_graphrag.model import Matrix

MAX_NODES = 100  # that are drawn; more can be read by nobody


@dataclass(frozen=True)
class Node:
    """A thing with its name and type. `level` is its distance from the start, None where none is meant."""

    key: str
    name: str
    type: str = ""
    level: int | None = None


@dataclass(frozen=True)
class Edge:
    """A relation between two nodes by their keys, and what says so: a quote and its place, "" without."""

    source: str
    predicate: str
    target: str
    said: str = ""
    place: str = ""


@dataclass(frozen=True)
class Picture:
    """A graph to be drawn: the first nodes are drawn where there are too many. `notes` stand below it."""

    title: str
    nodes: Sequence[Node]
    edges: Sequence[Edge]
    notes: Sequence[str] = ()

    @property
    def drawn(self) -> tuple[Sequence[Node], Sequence[Edge]]:
        """The nodes that are drawn, and the edges between them, each once with all its predicates."""
        nodes = self.nodes[:MAX_NODES]
        keys = {node.key for node in nodes}
        labels: dict[tuple[str, str], dict[str, None]] = {}
        for each in self.edges:
            if {each.source, each.target} <= keys:
                labels.setdefault((each.source, each.target), {})[each.predicate] = None
        return nodes, [Edge(source, ", ".join(said), target) for (source, target), said in labels.items()]


def positions(nodes: Sequence[Node], edges: Sequence[Edge]) -> Matrix:
    """Where the nodes stand, from 0 to 1 in x and y, of shape (nodes, 2); the same for the same picture."""
    if nodes and all(node.level is not None for node in nodes):
        return _layered(nodes)
    return _by_force(nodes, edges)


def _layered(nodes: Sequence[Node]) -> Matrix:
    """Each level a column, its nodes below each other."""
    levels = Counter(node.level or 0 for node in nodes)
    places, seen = np.zeros((len(nodes), 2), np.float32), Counter[int]()
    for at, node in enumerate(nodes):
        level = node.level or 0
        seen[level] += 1
        places[at] = level / max(*levels, 1), (seen[level] - 0.5) / levels[level]
    return places


def _by_force(nodes: Sequence[Node], edges: Sequence[Edge]) -> Matrix:
    """Neighbours near, others apart, spread over the whole where names would cover each other."""
    at = {node.key: place for place, node in enumerate(nodes)}
    places = lay_out(len(nodes), [(at[each.source], at[each.target]) for each in edges])
    low, high = places.min(axis=0, initial=0), places.max(axis=0, initial=0)
    whole = (places - low) / np.maximum(high - low, 1e-9)
    ranks = places.argsort(axis=0).argsort(axis=0) / max(len(nodes) - 1, 1)
    return (0.3 * whole + 0.7 * ranks).astype(np.float32)
