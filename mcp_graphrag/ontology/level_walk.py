"""Walks level by level along the triples that state a predicate; entities that are the same are on one level."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.same_nodes import SameNodes
from mcp_graphrag.index.triple_graph import Slots
from mcp_graphrag.model import Direction, Ids
from mcp_graphrag.ontology.stating import Statements

Confidences = NDArray[np.float64]
BOUNDS = np.iinfo(np.int64)


@dataclass(frozen=True)
class Level:
    """The nodes first reached at one level, the most confident first, one row each; level 0 has the starts.

    `slots` lead to them, -1 for a start, from the node of the row `parents`, counted over all levels from the first.
    A parent is on the level before, or on the same level where the slot is a triple of same_as. `since` and `until`
    bound the time in which all slots of the path hold. `cut` says that some triples were not looked at.
    """

    nodes: Slots
    slots: Slots
    parents: Slots
    confidences: Confidences
    since: Ids
    until: Ids
    cut: bool = False


@dataclass
class _Reached:
    """The best way to each node of a level so far; `at` is the parent's row, or its node where `inside` the level."""

    nodes: Slots
    slots: Slots
    at: Slots
    confidences: Confidences
    since: Ids
    until: Ids
    inside: NDArray[np.int64]

    def kept(self, rows: NDArray[np.bool_] | Slots) -> "_Reached":
        return _Reached(*(column[rows] for column in vars(self).values()))

    def joined(self, more: "_Reached") -> "_Reached":
        columns = zip(vars(self).values(), vars(more).values(), strict=True)
        return _Reached(*(np.concatenate(pair) for pair in columns))

    def best(self) -> "_Reached":
        """The most confident way to each node, the nodes ascending; of equals the shorter, then the lowest slot."""
        order = np.lexsort((self.slots, self.inside, -self.confidences, self.nodes))
        return self.kept(order[np.unique(self.nodes[order], return_index=True)[1]])


def walk_levels(
    statements: Statements, same: SameNodes, starts: Sequence[int], direction: Direction, max_levels: int
) -> Iterator[Level]:
    """The levels around the starts, level 0 first, until nothing new is reached.

    With the direction "out" the starts are subjects of what is stated, with "in" objects. The nodes that are the same
    as a start are on its level.
    """
    graph = statements.graph
    first = np.unique(np.array(starts, dtype=np.int64))
    none, zero = np.full(len(first), -1, dtype=np.int64), np.zeros(len(first), dtype=np.int64)
    spans = none * 0 + BOUNDS.min, none * 0 + BOUNDS.max
    reached = _Reached(first, none, none, np.ones(len(first)), *spans, zero)
    seen = np.zeros(graph.node_count, dtype=np.bool_)
    total, cut = 0, False
    for number in range(max_levels + 1):
        if same:
            reached = _with_same(same, reached, seen)
        if not len(reached.nodes):
            return
        level = _ordered(reached, total, cut=cut)
        yield level
        if number == max_levels:
            return
        seen[level.nodes] = True
        order = np.argsort(level.nodes)
        rows, total = order + total, total + len(order)
        slots, leads, cut = statements.step(level.nodes[order], direction)
        subjects, objects = graph.subjects[slots], graph.objects[slots]
        at = np.searchsorted(level.nodes[order], np.where(leads, subjects, objects))
        parents = order[at]
        found = _Reached(
            np.where(leads, objects, subjects),
            slots,
            rows[at],
            level.confidences[parents] * graph.confidences[slots],
            np.maximum(level.since[parents], graph.valid_from[slots]),
            np.minimum(level.until[parents], graph.valid_to[slots]),
            np.zeros(len(slots), dtype=np.int64),
        )
        reached = found.kept(~seen[found.nodes] & (found.since < found.until)).best()


def _with_same(same: SameNodes, reached: _Reached, seen: NDArray[np.bool_]) -> _Reached:
    """The reached nodes and all that are the same, each by the most confident way."""
    graph = same.graph
    fresh = reached.nodes[same.among(reached.nodes)]
    predicates = np.unique(graph.predicates[same.slots])
    while len(fresh):
        slots, leads = graph.step(fresh, "both", predicates)
        subjects, objects = graph.subjects[slots], graph.objects[slots]
        near = np.where(leads, subjects, objects)
        rows = np.searchsorted(reached.nodes, near)
        found = _Reached(
            np.where(leads, objects, subjects),
            slots,
            near,
            reached.confidences[rows] * graph.confidences[slots],
            np.maximum(reached.since[rows], graph.valid_from[slots]),
            np.minimum(reached.until[rows], graph.valid_to[slots]),
            reached.inside[rows] + 1,
        )
        better = reached.joined(found.kept(~seen[found.nodes] & (found.since < found.until))).best()
        known = np.isin(better.nodes, reached.nodes)
        old = np.zeros(len(known))
        old[known] = reached.confidences[np.searchsorted(reached.nodes, better.nodes[known])]
        reached, fresh = better, better.nodes[better.confidences > old]
    return reached


def _ordered(reached: _Reached, before: int, *, cut: bool) -> Level:
    """The nodes as a level, behind so many rows of the levels before; a parent on the level comes before its child."""
    order = np.lexsort((reached.nodes, reached.inside, -reached.confidences))
    rows = np.empty(len(order), dtype=np.int64)
    rows[order] = np.arange(before, before + len(order))
    inside = reached.inside > 0
    parents = reached.at.copy()
    parents[inside] = rows[np.searchsorted(reached.nodes, reached.at[inside])]
    reached = reached.kept(order)
    return Level(
        reached.nodes, reached.slots, parents[order], reached.confidences, reached.since, reached.until, cut=cut
    )
