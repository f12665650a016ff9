"""The k shortest simple paths of the triple graph, by bidirectional breadth-first layers.

For paths of n hops, layer i has the nodes that are i steps from a start and n - i steps from a goal. The search goes
through these nodes only, the most confident path first: the best possible rest of a path is known for every node.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import Adjacency
from mcp_graphrag.index.triple_graph import Slots, TripleGraph
from mcp_graphrag.model import Direction, Ids

SlotPath = tuple[tuple[int, bool], ...]
MAX_EXPANDED = 100_000


@dataclass(frozen=True)
class ShortestPaths:
    """Paths, each hop as (slot, whether from subject to object), the shortest first; `cut`: some may be missing.

    `reached` is the number of hops up to which all lengths were searched.
    """

    paths: Sequence[SlotPath]
    cut: bool
    reached: int


@dataclass(frozen=True)
class PathFilter:
    """The triples that a path may use."""

    directed: bool = False
    predicates: Ids | None = None


@dataclass(frozen=True)
class _Steps:
    """Steps between two layers, one per row: origin, reached node, slot, and whether from subject to object."""

    origin: Slots
    reached: Slots
    slots: Slots
    forward: NDArray[np.bool_]

    def kept(self, rows: NDArray[np.bool_] | Slots) -> "_Steps":
        return _Steps(self.origin[rows], self.reached[rows], self.slots[rows], self.forward[rows])


@dataclass
class _Frontier:
    """The search from one end: `sets[i]` is reached in exactly i steps, by `steps[i - 1]`, which point to the goal."""

    graph: TripleGraph
    filter_: PathFilter
    ends: Slots
    others: Slots
    backward: bool
    sets: list[Slots] = field(default_factory=list[Slots])
    steps: list[_Steps] = field(default_factory=list[_Steps])

    @property
    def cost(self) -> int:
        """About how many triples the next step reads."""
        return sum(_count(adjacency, self.sets[-1]) for adjacency in (self.graph.outgoing, self.graph.incoming))

    def extend(self) -> None:
        """Take one more step. A path has starts and goals at its ends only."""
        graph, direction = self.graph, self._direction
        frontier = np.setdiff1d(self.sets[-1], self.others, assume_unique=True) if self.steps else self.sets[-1]
        slots, forward = graph.step(frontier, direction, self.filter_.predicates)
        origin = np.where(forward, graph.subjects[slots], graph.objects[slots])
        reached = np.where(forward, graph.objects[slots], graph.subjects[slots])
        mask = np.zeros(graph.node_count, dtype=np.bool_)
        mask[reached[origin != reached]] = True
        mask[self.ends] = False
        kept = mask[reached] & (origin != reached)
        steps = _Steps(origin, reached, slots, forward).kept(kept)
        self.steps.append(_reversed(steps) if self.backward else steps)
        self.sets.append(np.flatnonzero(mask))

    @property
    def _direction(self) -> Direction:
        if not self.filter_.directed:
            return "both"
        return "in" if self.backward else "out"


@dataclass(frozen=True)
class _RankedLayer:
    """Steps between two layers by origin, the best first; `worth` is the confidence of the best rest of a path."""

    steps: _Steps
    confidence: NDArray[np.float64]
    worth: NDArray[np.float64]

    def first(self, node: int) -> int | None:
        """The row of the best step from a node."""
        row = int(np.searchsorted(self.steps.origin, node))
        return row if row < len(self.steps.origin) and self.steps.origin[row] == node else None

    def best(self, nodes: Slots) -> NDArray[np.float64]:
        """The worth of the best step from each node; all must have one."""
        return self.worth[np.searchsorted(self.steps.origin, nodes)]

    def next(self, row: int) -> int | None:
        """The row of the next best step from the same node."""
        origin = self.steps.origin
        return row + 1 if row + 1 < len(origin) and origin[row + 1] == origin[row] else None


def shortest_paths(
    graph: TripleGraph, starts: Sequence[int], goals: Sequence[int], max_hops: int, k: int, filter_: PathFilter
) -> ShortestPaths:
    """The k shortest simple paths of at most `max_hops` hops from any start to any goal.

    Fewest hops first, then the highest product of confidences, then the lowest slots. A hop between two nodes uses
    the most confident triple. No path leads through another start or goal.
    """
    first, last = (np.array(sorted(nodes), dtype=np.int64) for nodes in (starts, goals))
    ahead = _Frontier(graph, filter_, first, last, backward=False, sets=[first])
    behind = _Frontier(graph, filter_, last, first, backward=True, sets=[last])
    found: list[SlotPath] = []
    left = MAX_EXPANDED
    for length in range(1, max_hops + 1):
        frontier = min(ahead, behind, key=lambda frontier: frontier.cost)
        frontier.extend()
        if not len(frontier.sets[-1]):
            return ShortestPaths(found, cut=False, reached=max_hops)
        for path in _paths_through(graph, _layers(graph, ahead, behind)):
            left -= 1
            if left < 0:
                return ShortestPaths(found, cut=True, reached=length)
            if path:
                found.append(path)
            if len(found) == k:
                return ShortestPaths(found, cut=False, reached=length)
    return ShortestPaths(found, cut=False, reached=max_hops)


def _layers(graph: TripleGraph, ahead: _Frontier, behind: _Frontier) -> list[_Steps]:
    """The steps between consecutive layers that are on a path from start to goal; empty if there is none."""
    middle = np.intersect1d(ahead.sets[-1], behind.sets[-1], assume_unique=True)
    if not len(middle):
        return []
    mask = np.zeros(graph.node_count, dtype=np.bool_)
    before: list[_Steps] = []
    nodes = middle
    for steps in reversed(ahead.steps):
        mask[nodes] = True
        before.append(steps.kept(mask[steps.reached]))
        mask[nodes] = False
        nodes = before[-1].origin
    after: list[_Steps] = []
    nodes = middle
    for steps in reversed(behind.steps):
        mask[nodes] = True
        after.append(steps.kept(mask[steps.origin]))
        mask[nodes] = False
        nodes = after[-1].reached
    return [*reversed(before), *after]


def _paths_through(graph: TripleGraph, layers: list[_Steps]) -> Iterator[SlotPath | None]:
    """Every simple path through the layers, the most confident first, with None for each further search step."""
    ranked = _rank_layers(graph, layers)
    queue: list[tuple[float, tuple[int, ...], float, tuple[int, ...], int]] = []

    def put(slots: tuple[int, ...], confidence: float, nodes: tuple[int, ...], row: int | None) -> None:
        if row is not None:
            here = ranked[len(slots)]
            heapq.heappush(
                queue,
                (-confidence * float(here.worth[row]), (*slots, int(here.steps.slots[row])), confidence, nodes, row),
            )

    for start in np.unique(ranked[0].steps.origin).tolist() if ranked else ():
        put((), 1.0, (start,), ranked[0].first(start))
    while queue:
        _, slots, confidence, nodes, row = heapq.heappop(queue)
        here = ranked[len(slots) - 1]
        put(slots[:-1], confidence, nodes, here.next(row))
        node = int(here.steps.reached[row])
        if node not in nodes:
            if len(slots) == len(ranked):
                yield _path(graph, slots, nodes)
                continue
            put(slots, confidence * float(here.confidence[row]), (*nodes, node), ranked[len(slots)].first(node))
        yield None


def _rank_layers(graph: TripleGraph, layers: list[_Steps]) -> list[_RankedLayer]:
    """The layers with the worth of each step, computed from the goal backwards."""
    ranked: list[_RankedLayer] = []
    for steps in reversed(layers):
        best = steps.kept(_most_confident(graph, steps))
        confidence = graph.confidences[best.slots].astype(np.float64)
        worth = confidence * (ranked[-1].best(best.reached) if ranked else 1.0)
        order = np.lexsort((best.slots, -worth, best.origin))
        ranked.append(_RankedLayer(best.kept(order), confidence[order], worth[order]))
    return ranked[::-1]


def _most_confident(graph: TripleGraph, steps: _Steps) -> Slots:
    """The row of the most confident step between each two nodes."""
    pairs = steps.origin * graph.node_count + steps.reached
    order = np.lexsort((steps.slots, -graph.confidences[steps.slots], pairs))
    _, first = np.unique(pairs[order], return_index=True)
    return order[first]


def _path(graph: TripleGraph, slots: tuple[int, ...], nodes: tuple[int, ...]) -> SlotPath:
    return tuple((slot, int(graph.subjects[slot]) == node) for slot, node in zip(slots, nodes, strict=True))


def _reversed(steps: _Steps) -> _Steps:
    return _Steps(steps.reached, steps.origin, steps.slots, ~steps.forward)


def _count(around: Adjacency, nodes: Slots) -> int:
    known = nodes[nodes < len(around.starts) - 1]
    return int((around.starts[known + 1] - around.starts[known]).sum())
