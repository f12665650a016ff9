"""The k shortest simple paths of the triple graph, by bidirectional breadth-first layers.

For paths of n hops, layer i has the nodes that are i steps from a start and n - i steps from a goal. The search goes
through these nodes only, the most confident path first: the best possible rest of a path is known for every node.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.triple_graph import Slots, TripleGraph
from mcp_graphrag.model import Direction, Ids

SlotPath = tuple[tuple[int, bool], ...]
MAX_EXPANDED = 100_000


@dataclass(frozen=True)
class ShortestPaths:
    """Paths, each hop as (slot, whether from subject to object), the shortest first; `cut`: some may be missing."""

    paths: Sequence[SlotPath]
    cut: bool


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

    def reversed(self) -> "_Steps":
        return _Steps(self.reached, self.origin, self.slots, ~self.forward)


@dataclass
class _Frontier:
    """The search from one end: `sets[i]` is reached in exactly i steps, by `steps[i - 1]`."""

    graph: TripleGraph
    direction: Direction
    predicates: Ids | None
    ends: Slots
    others: Slots
    sets: list[Slots] = field(default_factory=list[Slots])
    steps: list[_Steps] = field(default_factory=list[_Steps])

    def __post_init__(self) -> None:
        self.sets = [self.ends]

    @property
    def cost(self) -> int:
        """About how many triples the next step reads."""
        return self.graph.outgoing.count(self.sets[-1]) + self.graph.incoming.count(self.sets[-1])

    def extend(self) -> None:
        """Take one more step. A path has starts and goals at its ends only."""
        graph = self.graph
        frontier = np.setdiff1d(self.sets[-1], self.others, assume_unique=True) if self.steps else self.sets[-1]
        slots, forward = graph.step(frontier, self.direction, self.predicates)
        origin = np.where(forward, graph.subjects[slots], graph.objects[slots])
        reached = np.where(forward, graph.objects[slots], graph.subjects[slots])
        mask = np.zeros(graph.node_count, dtype=np.bool_)
        mask[reached[origin != reached]] = True
        mask[self.ends] = False
        self.steps.append(_Steps(origin, reached, slots, forward).kept(mask[reached] & (origin != reached)))
        self.sets.append(np.flatnonzero(mask))

    def steps_to(self, nodes: Slots) -> list[_Steps]:
        """The steps of each distance that are on a path to the nodes, which were reached last; the last step first."""
        found: list[_Steps] = []
        for steps in reversed(self.steps):
            mask = np.zeros(self.graph.node_count, dtype=np.bool_)
            mask[nodes] = True
            found.append(steps.kept(mask[steps.reached]))
            nodes = found[-1].origin
        return found


@dataclass(frozen=True)
class _RankedLayer:
    """Steps between two layers by origin, the best first; `worth` is the confidence of the best rest of a path."""

    steps: _Steps
    confidence: NDArray[np.float64]
    worth: NDArray[np.float64]


def shortest_paths(
    graph: TripleGraph, starts: Sequence[int], goals: Sequence[int], max_hops: int, k: int, filter_: PathFilter
) -> ShortestPaths:
    """The k shortest simple paths of at most `max_hops` hops from any start to any goal.

    Fewest hops first, then the highest product of confidences, then the lowest slots. A hop between two nodes uses
    the most confident triple. No path leads through another start or goal.
    """
    first, last = (np.array(sorted(nodes), dtype=np.int64) for nodes in (starts, goals))
    ahead = _Frontier(graph, "out" if filter_.directed else "both", filter_.predicates, first, last)
    behind = _Frontier(graph, "in" if filter_.directed else "both", filter_.predicates, last, first)
    found: list[SlotPath] = []
    left = MAX_EXPANDED
    for _ in range(max_hops):
        frontier = min(ahead, behind, key=lambda frontier: frontier.cost)
        frontier.extend()
        middle = np.intersect1d(ahead.sets[-1], behind.sets[-1], assume_unique=True)
        if not len(frontier.sets[-1]):
            break
        if not len(middle):
            continue
        after = [steps.reversed() for steps in behind.steps_to(middle)]
        for path in _paths_through(graph, [*reversed(ahead.steps_to(middle)), *after]):
            left -= 1
            if left < 0:
                return ShortestPaths(found, cut=True)
            if path:
                found.append(path)
            if len(found) == k:
                return ShortestPaths(found, cut=False)
    return ShortestPaths(found, cut=False)


def _paths_through(graph: TripleGraph, layers: list[_Steps]) -> Iterator[SlotPath | None]:
    """Every simple path through the layers, the most confident first, with None for each further search step."""
    ranked = _rank_layers(graph, layers)
    queue: list[tuple[float, tuple[int, ...], float, tuple[int, ...], int]] = []

    def put(slots: tuple[int, ...], confidence: float, nodes: tuple[int, ...], row: int | None = None) -> None:
        """Queue the path to `nodes` with its best next step, or with that of a row if it is from the same node."""
        here = ranked[len(slots)]
        row = int(np.searchsorted(here.steps.origin, nodes[-1])) if row is None else row
        if row < len(here.worth) and here.steps.origin[row] == nodes[-1]:
            longer = (*slots, int(here.steps.slots[row]))
            heapq.heappush(queue, (-confidence * float(here.worth[row]), longer, confidence, nodes, row))

    for start in np.unique(ranked[0].steps.origin).tolist():
        put((), 1.0, (start,))
    while queue:
        _, slots, confidence, nodes, row = heapq.heappop(queue)
        here = ranked[len(slots) - 1]
        put(slots[:-1], confidence, nodes, row + 1)
        node = int(here.steps.reached[row])
        if node not in nodes:
            if len(slots) == len(ranked):
                yield tuple((slot, int(graph.subjects[slot]) == node) for slot, node in zip(slots, nodes, strict=True))
                continue
            put(slots, confidence * float(here.confidence[row]), (*nodes, node))
        yield None


def _rank_layers(graph: TripleGraph, layers: list[_Steps]) -> list[_RankedLayer]:
    """The layers with the most confident step between each two nodes, and its worth, from the goal backwards."""
    ranked: list[_RankedLayer] = []
    for steps in reversed(layers):
        pairs = steps.origin * graph.node_count + steps.reached
        order = np.lexsort((steps.slots, -graph.confidences[steps.slots], pairs))
        best = steps.kept(order[np.unique(pairs[order], return_index=True)[1]])
        confidence = graph.confidences[best.slots].astype(np.float64)
        rest = ranked[-1].worth[np.searchsorted(ranked[-1].steps.origin, best.reached)] if ranked else 1.0
        worth = confidence * rest
        order = np.lexsort((best.slots, -worth, best.origin))
        ranked.append(_RankedLayer(best.kept(order), confidence[order], worth[order]))
    return ranked[::-1]
