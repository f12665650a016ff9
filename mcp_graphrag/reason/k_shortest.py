"""The k shortest simple paths of the triple graph, by bidirectional breadth-first layers.

For paths of n hops, layer i has the nodes that are i steps from a start and n - i steps from a goal. The search goes
through these nodes only, the most confident path first: the best possible rest of a path is known for every node.
Nodes that are the same are searched as one, by their lead; `_realize` then puts the triples of same_as in between.
"""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.same_nodes import SameNodes
from mcp_graphrag.index.triple_graph import Slots, TripleGraph
from mcp_graphrag.model import Direction
from mcp_graphrag.ontology.stating import Statements

MAX_EXPANDED = 100_000
SAME = "the same by same_as"  # why a triple of same_as is part of a path
Hop: TypeAlias = tuple[int, bool]  # a slot, and whether it is walked from subject to object
SlotPath: TypeAlias = tuple[Hop, ...]


@dataclass(frozen=True)
class ShortestPaths:
    """Paths, each hop as (slot, whether from subject to object), the shortest first; `cut`: some may be missing."""

    paths: Sequence[SlotPath]
    cut: bool


@dataclass(frozen=True)
class PathGraph:
    """What paths go through: the triples that they may use, and which nodes are the same."""

    stating: Statements
    same: SameNodes
    directed: bool = False

    @property
    def graph(self) -> TripleGraph:
        """The graph of the triples."""
        return self.stating.graph


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
    """The search from one end: `sets[i]` is reached in exactly i steps, by `steps[i - 1]`. Nodes stand for classes."""

    within: PathGraph
    direction: Direction
    ends: Slots
    others: Slots
    sets: list[Slots] = field(default_factory=list[Slots])
    steps: list[_Steps] = field(default_factory=list[_Steps])
    cut: bool = False

    def __post_init__(self) -> None:
        self.sets = [self.ends]

    @property
    def cost(self) -> int:
        """About how many triples the next step reads."""
        graph, nodes = self.within.graph, self.within.same.with_same(self.sets[-1])
        return graph.outgoing.count(nodes) + graph.incoming.count(nodes)

    def extend(self) -> None:
        """Take one more step. A path has starts and goals at its ends only."""
        graph, same = self.within.graph, self.within.same
        frontier = np.setdiff1d(self.sets[-1], self.others, assume_unique=True) if self.steps else self.sets[-1]
        slots, forward, cut = self.within.stating.step(same.with_same(frontier), self.direction)
        self.cut = self.cut or cut
        origin = same.lead(np.where(forward, graph.subjects[slots], graph.objects[slots]))
        reached = same.lead(np.where(forward, graph.objects[slots], graph.subjects[slots]))
        mask = np.zeros(graph.node_count, dtype=np.bool_)
        mask[reached[origin != reached]] = True
        mask[self.ends] = False
        self.steps.append(_Steps(origin, reached, slots, forward).kept(mask[reached] & (origin != reached)))
        self.sets.append(np.flatnonzero(mask))

    def steps_to(self, nodes: Slots) -> list[_Steps]:
        """The steps of each distance that are on a path to the nodes, which were reached last; the last step first."""
        found: list[_Steps] = []
        for steps in reversed(self.steps):
            mask = np.zeros(self.within.graph.node_count, dtype=np.bool_)
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
    within: PathGraph, starts: Sequence[int], goals: Sequence[int], max_hops: int, k: int
) -> ShortestPaths:
    """The k shortest simple paths of at most `max_hops` hops from any start to any goal.

    Fewest hops first, then the highest product of confidences, then the lowest slots. A hop between two nodes uses
    the most confident triple. No path leads through another start or goal. Where nodes are the same, a path has the
    triples of same_as between its hops; they count for its confidence, and not as hops. A start that is the same as a
    goal is connected with it by such triples alone.
    """
    same = within.same
    first, last = (np.unique(same.lead(np.array(sorted(nodes), dtype=np.int64))) for nodes in (starts, goals))
    if np.isin(first, last).any():
        path = _realize(within.graph, same, [], starts, goals)
        return ShortestPaths([path.steps], cut=False)
    ahead = _Frontier(within, "out" if within.directed else "both", first, last)
    behind = _Frontier(within, "in" if within.directed else "both", last, first)
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
        layers = [*reversed(ahead.steps_to(middle)), *after]
        for path in _in_order(within, layers, starts, goals):
            left -= 1
            if left < 0:
                return ShortestPaths(found, cut=True)
            if path:
                found.append(path)
            if len(found) == k:
                return ShortestPaths(found, cut=ahead.cut or behind.cut)
    return ShortestPaths(found, cut=ahead.cut or behind.cut)


def _in_order(
    within: PathGraph, layers: list["_Steps"], starts: Sequence[int], goals: Sequence[int]
) -> Iterator[SlotPath | None]:
    """The paths through the layers with all their triples, the most confident first; None for a search step."""
    waiting: list[tuple[float, SlotPath]] = []  # found paths that a later one may still surpass
    for bound, path in _paths_through(within, layers):
        if not within.same:
            yield path
            continue
        while waiting and -waiting[0][0] >= bound:
            yield heapq.heappop(waiting)[1]
        if path:
            real = _realize(within.graph, within.same, _parallel(within, layers, path), starts, goals)
            heapq.heappush(waiting, (-real.confidence, real.steps))
        yield None
    while waiting:
        yield heapq.heappop(waiting)[1]


def _parallel(within: PathGraph, layers: Sequence["_Steps"], path: SlotPath) -> list[list[tuple[int, bool]]]:
    """For each hop of a path, all hops between the same two nodes."""
    graph, same = within.graph, within.same
    found: list[list[tuple[int, bool]]] = []
    for steps, (slot, forward) in zip(layers, path, strict=True):
        ends = same.lead(np.array([graph.subjects[slot], graph.objects[slot]]))[:: 1 if forward else -1]
        rows = np.flatnonzero((steps.origin == ends[0]) & (steps.reached == ends[1]))
        found.append(list(dict.fromkeys(zip(steps.slots[rows].tolist(), steps.forward[rows].tolist(), strict=True))))
    return found


def _paths_through(within: PathGraph, layers: list[_Steps]) -> Iterator[tuple[float, SlotPath | None]]:
    """Every simple path through the layers, the most confident first, with None for each further search step.

    Before each is the confidence that no later path exceeds.
    """
    graph = within.graph
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
        bound, slots, confidence, nodes, row = heapq.heappop(queue)
        here = ranked[len(slots) - 1]
        put(slots[:-1], confidence, nodes, row + 1)
        node = int(here.steps.reached[row])
        if node not in nodes:
            if len(slots) == len(ranked):
                subjects = within.same.lead(graph.subjects[list(slots)]).tolist()
                leads = (subject == origin for subject, origin in zip(subjects, nodes, strict=True))
                yield -bound, tuple(zip(slots, leads, strict=True))
                continue
            put(slots, confidence * float(here.confidence[row]), (*nodes, node))
        yield -bound, None


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


@dataclass(frozen=True)
class _RealPath:
    """A path with all its triples, and the product of their confidences."""

    steps: SlotPath = ()
    confidence: float = 1.0

    def longer(self, steps: Iterable[Hop], confidence: float) -> "_RealPath":
        """The path with more steps."""
        return _RealPath((*self.steps, *steps), self.confidence * confidence)


def _realize(
    graph: TripleGraph, same: SameNodes, hops: Sequence[Sequence[Hop]], starts: Sequence[int], goals: Sequence[int]
) -> _RealPath:
    """The most confident path from a start to a goal that takes one of the alternatives of each hop.

    The alternatives of a hop connect the same two classes; triples of same_as lead from one to the next.
    """
    reached = {start: _RealPath() for start in starts}
    for alternatives in hops:
        following: dict[int, _RealPath] = {}
        for slot, forward in alternatives:
            ends = int(graph.subjects[slot]), int(graph.objects[slot])
            near, far = ends if forward else ends[::-1]
            _keep(following, far, _to(same, reached, near, (slot, forward), float(graph.confidences[slot])))
        reached = following
    at_goals: dict[int, _RealPath] = {}
    for goal in goals:
        _keep(at_goals, 0, _to(same, reached, goal))
    return at_goals[0]


def _to(
    same: SameNodes, reached: dict[int, _RealPath], node: int, hop: Hop | None = None, confidence: float = 1.0
) -> _RealPath | None:
    """The best path to a node from those that end at it or at the same, with a hop more; None if there is none."""
    best: _RealPath | None = None
    ends = list(reached)
    alike = np.flatnonzero(same.lead(np.array(ends)) == same.lead(np.array([node]))).tolist()
    for end in (ends[at] for at in alike):
        chain = same.chain(end, node)
        path = reached[end].longer(chain.steps, chain.confidence)
        best = path if best is None or _rank(path) < _rank(best) else best
    return best.longer([hop], confidence) if best and hop else best


def _keep(found: dict[int, _RealPath], node: int, path: _RealPath | None) -> None:
    if path is not None and (node not in found or _rank(path) < _rank(found[node])):
        found[node] = path


def _rank(path: _RealPath) -> tuple[float, int, SlotPath]:
    return -path.confidence, len(path.steps), path.steps
