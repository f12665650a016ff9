"""Nodes that are one thing: those that triples of given predicates (same_as) connect, in whatever direction."""

import heapq
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import concatenated_ranges, positions_of
from mcp_graphrag.index.triple_graph import Slots, TripleGraph
from mcp_graphrag.model import Ids

Step = tuple[int, bool]  # a slot, and whether it is walked from subject to object


@dataclass(frozen=True)
class Chain:
    """The most confident steps from one node to another that is the same, and the product of their confidences."""

    steps: tuple[Step, ...]
    confidence: float


@dataclass(frozen=True)
class SameNodes:
    """The classes of nodes that are one thing. `nodes` ascend; `leads` has the lowest node of the class of each.

    `slots` are the triples that connect them, all valid at the moment of the graph.
    """

    graph: TripleGraph
    slots: Slots
    nodes: Slots
    leads: Slots
    _chains: dict[int, dict[int, Chain]] = field(default_factory=dict[int, dict[int, Chain]])

    def __bool__(self) -> bool:
        return bool(len(self.nodes))

    @property
    def largest(self) -> int:
        """How many nodes the largest class has."""
        return int(np.unique(self.leads, return_counts=True)[1].max()) if self else 1

    def lead(self, nodes: Slots) -> Slots:
        """The node that stands for the class of each node: itself if it is alone."""
        if not self:
            return nodes
        at = positions_of(nodes, self.nodes)
        return np.where(at >= 0, self.leads[at], nodes)

    def among(self, nodes: Slots) -> NDArray[np.bool_]:
        """Which nodes are the same as another one."""
        return positions_of(nodes, self.nodes) >= 0

    def with_same(self, nodes: Slots) -> Slots:
        """The nodes and all that are the same, ascending, each once."""
        return np.unique(np.concatenate([nodes, self.nodes[np.isin(self.leads, self.lead(nodes))]]))

    def expanded(self, nodes: Slots) -> tuple[NDArray[np.int64], Slots]:
        """(position in `nodes`, node) for each node of the class of each of the nodes, itself included."""
        order = np.argsort(self.leads, kind="stable")
        first, last = (np.searchsorted(self.leads[order], self.lead(nodes), side) for side in ("left", "right"))
        counts = last - first
        alone = np.flatnonzero(counts == 0)
        positions = np.repeat(np.arange(len(nodes)), counts)
        members = self.nodes[order][concatenated_ranges(first, counts)]
        return np.concatenate([positions, alone]), np.concatenate([members, nodes[alone]])

    def chain(self, start: int, end: int) -> Chain:
        """The chain between two nodes of one class; without steps if they are one node."""
        if start == end:
            return Chain((), 1.0)
        if start not in self._chains:
            self._chains[start] = self._chains_from(start)
        return self._chains[start][end]

    def _chains_from(self, start: int) -> dict[int, Chain]:
        """The chain from a node to each other one of its class, by Dijkstra's algorithm."""
        around = self._around
        found: dict[int, Chain] = {}
        waiting: list[tuple[float, int, tuple[Step, ...], int]] = [(-1.0, 0, (), start)]
        while waiting:
            worth, length, steps, node = heapq.heappop(waiting)
            if node in found:
                continue
            found[node] = Chain(steps, -worth)
            for slot, forward, other, confidence in around[node]:
                if other not in found:
                    heapq.heappush(waiting, (worth * confidence, length + 1, (*steps, (slot, forward)), other))
        return found

    @cached_property
    def _around(self) -> dict[int, list[tuple[int, bool, int, float]]]:
        """The steps from each node: slot, direction, the node that it leads to, and confidence."""
        found: dict[int, list[tuple[int, bool, int, float]]] = defaultdict(list)
        columns = (self.slots, self.graph.subjects[self.slots], self.graph.objects[self.slots])
        sure = self.graph.confidences[self.slots].tolist()
        for slot, subject, object_, confidence in zip(*(column.tolist() for column in columns), sure, strict=True):
            found[subject].append((slot, True, object_, confidence))
            found[object_].append((slot, False, subject, confidence))
        return found


def same_nodes(graph: TripleGraph, predicates: Sequence[int]) -> SameNodes:
    """The classes of nodes that valid triples of the predicates connect, at the moment of the graph."""
    slots = graph.slots_of(predicates)
    slots = slots[graph.holds(slots)]
    subjects, objects = graph.subjects[slots], graph.objects[slots]
    apart = subjects != objects
    slots, subjects, objects = slots[apart], subjects[apart], objects[apart]
    known: tuple[Slots, Slots, Slots, Slots] | None = graph.memo.get("same_nodes")
    if known is None or not (np.array_equal(known[0], subjects) and np.array_equal(known[1], objects)):
        known = graph.memo["same_nodes"] = (subjects, objects, *_classes(subjects, objects))
    return SameNodes(graph, slots, *known[2:])


def _classes(subjects: Slots, objects: Slots) -> tuple[Ids, Ids]:
    """The nodes of the edges, ascending, and the lowest node that each is connected with."""
    nodes = np.unique(np.concatenate([subjects, objects]))
    ends = np.searchsorted(nodes, subjects), np.searchsorted(nodes, objects)
    lowest = np.arange(len(nodes))
    while True:
        low = np.minimum(lowest[ends[0]], lowest[ends[1]])
        following = lowest.copy()
        for end in ends:
            # The lead of each end is lowered too, so that a long chain takes few rounds.
            np.minimum.at(following, lowest[end], low)
            np.minimum.at(following, end, low)
        following = following[following]
        if np.array_equal(following, lowest):
            return nodes, nodes[lowest]
        lowest = following
