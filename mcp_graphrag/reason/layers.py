"""The k shortest simple paths of the resident graph, by layers that meet in the middle.

For a length of n hops, layer i holds the nodes that lie i steps from a start and n - i from a goal. The search walks
through those alone, the surest first: what the rest of a path can be worth at best is known for every node of a layer.
"""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.graph import Adjacency, Graph, Slots
from mcp_graphrag.model import Direction, Ids

Way = tuple[tuple[int, bool], ...]
MOST_EXPANDED = 100_000


@dataclass(frozen=True)
class Ways:
    """Paths as (slot, whether from subject to object) a hop, the shortest first; `cut` says that some may be missing.

    `reached` is the number of hops up to which all lengths were tried; beyond it nothing more can be reached.
    """

    ways: Sequence[Way]
    cut: bool
    reached: int


@dataclass(frozen=True)
class Choice:
    """Which triples a path may use."""

    directed: bool = False
    predicates: Ids | None = None


@dataclass(frozen=True)
class _Moves:
    """Steps between two layers, one a row: from node, to node, slot, and whether from subject to object."""

    origin: Slots
    reached: Slots
    slots: Slots
    forward: NDArray[np.bool_]

    def kept(self, rows: NDArray[np.bool_] | Slots) -> "_Moves":
        return _Moves(self.origin[rows], self.reached[rows], self.slots[rows], self.forward[rows])


@dataclass
class _Side:
    """What is reached from one end: `sets[i]` in exactly i steps, by `moves[i - 1]`, which all point to the goal."""

    graph: Graph
    choice: Choice
    ends: Slots
    others: Slots
    backward: bool
    sets: list[Slots] = field(default_factory=list[Slots])
    moves: list[_Moves] = field(default_factory=list[_Moves])

    @property
    def cost(self) -> int:
        """About how many triples the next step touches."""
        return sum(_count(each, self.sets[-1]) for each in (self.graph.out, self.graph.into))

    def extend(self) -> None:
        """Take one more step. Ends are not walked through: a path has them at its ends only."""
        graph, direction = self.graph, self._direction
        frontier = np.setdiff1d(self.sets[-1], self.others, assume_unique=True) if self.moves else self.sets[-1]
        slots, forward = graph.step(frontier, direction, self.choice.predicates)
        origin = np.where(forward, graph.subjects[slots], graph.objects[slots])
        reached = np.where(forward, graph.objects[slots], graph.subjects[slots])
        mask = np.zeros(graph.node_count, dtype=np.bool_)
        mask[reached[origin != reached]] = True
        mask[self.ends] = False
        kept = mask[reached] & (origin != reached)
        moves = _Moves(origin, reached, slots, forward).kept(kept)
        self.moves.append(_turned(moves) if self.backward else moves)
        self.sets.append(np.flatnonzero(mask))

    @property
    def _direction(self) -> Direction:
        if not self.choice.directed:
            return "both"
        return "in" if self.backward else "out"


@dataclass(frozen=True)
class _Ranked:
    """Steps between two layers by their origin, the most promising first; `worth` is the best end of a path by each."""

    moves: _Moves
    confidence: NDArray[np.float64]
    worth: NDArray[np.float64]

    def first(self, node: int) -> int | None:
        """The row of the best step from a node."""
        row = int(np.searchsorted(self.moves.origin, node))
        return row if row < len(self.moves.origin) and self.moves.origin[row] == node else None

    def best(self, nodes: Slots) -> NDArray[np.float64]:
        """What the best step from each node is worth; each has one."""
        return self.worth[np.searchsorted(self.moves.origin, nodes)]

    def next(self, row: int) -> int | None:
        """The row of the next best step from the same node."""
        origin = self.moves.origin
        return row + 1 if row + 1 < len(origin) and origin[row + 1] == origin[row] else None


def shortest_ways(graph: Graph, starts: Sequence[int], goals: Sequence[int], most: int, k: int, choice: Choice) -> Ways:
    """The k shortest simple paths of at most `most` hops from any start to any goal.

    Fewest hops first, then the highest product of confidences, then the lowest slots. A hop between two nodes takes
    the surest triple. No path leads through another start or goal.
    """
    first, last = (np.array(sorted(nodes), dtype=np.int64) for nodes in (starts, goals))
    ahead = _Side(graph, choice, first, last, backward=False, sets=[first])
    behind = _Side(graph, choice, last, first, backward=True, sets=[last])
    found: list[Way] = []
    left = MOST_EXPANDED
    for length in range(1, most + 1):
        side = min(ahead, behind, key=lambda each: each.cost)
        side.extend()
        if not len(side.sets[-1]):
            return Ways(found, cut=False, reached=most)
        for way in _ways(graph, _layers(graph, ahead, behind)):
            left -= 1
            if left < 0:
                return Ways(found, cut=True, reached=length)
            if way:
                found.append(way)
            if len(found) == k:
                return Ways(found, cut=False, reached=length)
    return Ways(found, cut=False, reached=most)


def _layers(graph: Graph, ahead: _Side, behind: _Side) -> list[_Moves]:
    """The steps between consecutive layers, only those that lie on a walk from start to goal; none if there is none."""
    middle = np.intersect1d(ahead.sets[-1], behind.sets[-1], assume_unique=True)
    if not len(middle):
        return []
    mask = np.zeros(graph.node_count, dtype=np.bool_)
    before: list[_Moves] = []
    nodes = middle
    for moves in reversed(ahead.moves):
        mask[nodes] = True
        before.append(moves.kept(mask[moves.reached]))
        mask[nodes] = False
        nodes = before[-1].origin
    after: list[_Moves] = []
    nodes = middle
    for moves in reversed(behind.moves):
        mask[nodes] = True
        after.append(moves.kept(mask[moves.origin]))
        mask[nodes] = False
        nodes = after[-1].reached
    return [*reversed(before), *after]


def _ways(graph: Graph, layers: list[_Moves]) -> Iterator[Way | None]:
    """Every simple path through the layers, the surest first, and a None for each step of the search."""
    ranked = _ranked(graph, layers)
    queue: list[tuple[float, tuple[int, ...], float, tuple[int, ...], int]] = []

    def put(slots: tuple[int, ...], sure: float, nodes: tuple[int, ...], row: int | None) -> None:
        if row is not None:
            here = ranked[len(slots)]
            heapq.heappush(
                queue, (-sure * float(here.worth[row]), (*slots, int(here.moves.slots[row])), sure, nodes, row)
            )

    for start in np.unique(ranked[0].moves.origin).tolist() if ranked else ():
        put((), 1.0, (start,), ranked[0].first(start))
    while queue:
        _, slots, sure, nodes, row = heapq.heappop(queue)
        here = ranked[len(slots) - 1]
        put(slots[:-1], sure, nodes, here.next(row))
        node = int(here.moves.reached[row])
        if node not in nodes:
            if len(slots) == len(ranked):
                yield _way(graph, slots, nodes)
                continue
            put(slots, sure * float(here.confidence[row]), (*nodes, node), ranked[len(slots)].first(node))
        yield None


def _ranked(graph: Graph, layers: list[_Moves]) -> list[_Ranked]:
    """The layers with what each step is worth at best, from the goal backwards."""
    ranked: list[_Ranked] = []
    for moves in reversed(layers):
        surest = moves.kept(_surest(graph, moves))
        confidence = graph.confidences[surest.slots].astype(np.float64)
        worth = confidence * (ranked[-1].best(surest.reached) if ranked else 1.0)
        order = np.lexsort((surest.slots, -worth, surest.origin))
        ranked.append(_Ranked(surest.kept(order), confidence[order], worth[order]))
    return ranked[::-1]


def _surest(graph: Graph, moves: _Moves) -> Slots:
    """The row of the surest step between each two nodes."""
    pairs = moves.origin * graph.node_count + moves.reached
    order = np.lexsort((moves.slots, -graph.confidences[moves.slots], pairs))
    _, first = np.unique(pairs[order], return_index=True)
    return order[first]


def _way(graph: Graph, slots: tuple[int, ...], nodes: tuple[int, ...]) -> Way:
    return tuple((slot, int(graph.subjects[slot]) == node) for slot, node in zip(slots, nodes, strict=True))


def _turned(moves: _Moves) -> _Moves:
    return _Moves(moves.reached, moves.origin, moves.slots, ~moves.forward)


def _count(around: Adjacency, nodes: Slots) -> int:
    known = nodes[nodes < len(around.starts) - 1]
    return int((around.starts[known + 1] - around.starts[known]).sum())
