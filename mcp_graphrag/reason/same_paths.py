"""Paths between classes of nodes that are the same, made real with the triples of same_as, and why each hop counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mcp_graphrag.index.same_nodes import SameNodes
from mcp_graphrag.index.triple_graph import TripleGraph
from mcp_graphrag.model import Triple

SAME = "the same by same_as"
Hop = tuple[int, bool]  # a slot, and whether it is walked from subject to object
SlotPath = tuple[Hop, ...]


@dataclass(frozen=True)
class RealPath:
    """A path with all its triples, and the product of their confidences."""

    steps: SlotPath = ()
    confidence: float = 1.0

    def longer(self, steps: Iterable[Hop], confidence: float) -> "RealPath":
        """The path with more steps."""
        return RealPath((*self.steps, *steps), self.confidence * confidence)


def realize(
    graph: TripleGraph, same: SameNodes, hops: Sequence[Sequence[Hop]], starts: Sequence[int], goals: Sequence[int]
) -> RealPath:
    """The most confident path from a start to a goal that takes one of the alternatives of each hop.

    The alternatives of a hop connect the same two classes; triples of same_as lead from one to the next.
    """
    reached = {start: RealPath() for start in starts}
    for alternatives in hops:
        following: dict[int, RealPath] = {}
        for slot, forward in alternatives:
            ends = int(graph.subjects[slot]), int(graph.objects[slot])
            near, far = ends if forward else ends[::-1]
            _keep(following, far, _to(same, reached, near, (slot, forward), float(graph.confidences[slot])))
        reached = following
    at_goals: dict[int, RealPath] = {}
    for goal in goals:
        _keep(at_goals, 0, _to(same, reached, goal))
    return at_goals[0]


def _to(
    same: SameNodes, reached: dict[int, RealPath], node: int, hop: Hop | None = None, confidence: float = 1.0
) -> RealPath | None:
    """The best path to a node from those that end at it or at the same, with a hop more; None if there is none."""
    best: RealPath | None = None
    ends = list(reached)
    alike = np.flatnonzero(same.lead(np.array(ends)) == same.lead(np.array([node]))).tolist()
    for end in (ends[at] for at in alike):
        chain = same.chain(end, node)
        path = reached[end].longer(chain.steps, chain.confidence)
        best = path if best is None or _rank(path) < _rank(best) else best
    return best.longer([hop], confidence) if best and hop else best


def _keep(found: dict[int, RealPath], node: int, path: RealPath | None) -> None:
    if path is not None and (node not in found or _rank(path) < _rank(found[node])):
        found[node] = path


def _rank(path: RealPath) -> tuple[float, int, SlotPath]:
    return -path.confidence, len(path.steps), path.steps


@dataclass(frozen=True)
class MarkedPath:
    """Triples, each with whether it is walked from subject to object, and why it counts where it is inferred."""

    hops: Sequence[tuple[Triple, bool]] = ()
    reasons: Sequence[str] = ()

    def followed_by(self, triple: Triple, forward: bool, reason: str) -> "MarkedPath":  # noqa: FBT001  # as in hops
        """The path with one more hop."""
        return MarkedPath([*self.hops, (triple, forward)], [*self.reasons, reason])
