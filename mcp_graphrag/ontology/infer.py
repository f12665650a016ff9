"""Triples that follow from the stored ones by the ontology, computed for each query and never stored.

What follows: an inverse states a triple in the other direction, a symmetric predicate holds in both directions, an
equivalent or broader predicate holds where a predicate does, a transitive one chains, and what holds of an entity holds
of those that are the same by same_as. These rules are applied together, so that the inverse of a transitive predicate
is transitive too. No triple of an entity with itself or with the same is derived, and none that is stored already.
"""

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.same_nodes import SameNodes
from mcp_graphrag.index.triple_graph import FAR_FUTURE, Slots, TripleGraph, is_one_of
from mcp_graphrag.model import Ids
from mcp_graphrag.ontology.level_walk import Level, walk_levels
from mcp_graphrag.ontology.ontology import SAME_AS, Ontology
from mcp_graphrag.ontology.readings import (
    is_transitive,
    may_state,
    same_as_predicates,
    stating_predicates,
    transitive_readings,
)
from mcp_graphrag.ontology.stating import Mask, Statements, nothing_same, same_things, statements
from mcp_graphrag.store.engine.transaction import Reader

MAX_HOPS = 32
MAX_REACHED = 100_000


@dataclass(frozen=True)
class Goal:
    """Which triples to derive; None matches all. Subjects and objects are nodes; `…_fits` are masks over all nodes."""

    predicate: str | None = None
    subjects: Sequence[int] | None = None
    objects: Sequence[int] | None = None
    subject_fits: Mask | None = None
    object_fits: Mask | None = None
    limit: int = 100


@dataclass(frozen=True)
class Derivation:
    """A derived triple: its ends as nodes, and the slots of its premises, in order from subject to object.

    `confidence` is the product of theirs, `hops` their number without triples of same_as.
    """

    subject: int
    predicate: str
    object: int
    slots: tuple[int, ...]
    confidence: float
    hops: int = 1


@dataclass(frozen=True)
class Inferred:
    """Derivations, the most direct first, among equals the most confident. `cut` says that there may be more."""

    derivations: Sequence[Derivation]
    cut: bool


@dataclass(frozen=True)
class _Search:
    """What states a reading of the goal's predicate, and which nodes are the same.

    `stored` is the id of the goal's predicate, -1 if it has no triples; the reading is that predicate `turned` or not.
    With `chains` the reading is transitive.
    """

    statements: Statements
    same: SameNodes
    predicate: str
    stored: int
    turned: bool
    chains: bool

    @property
    def graph(self) -> TripleGraph:
        """The graph that is searched."""
        return self.statements.graph

    def derivation(self, subject: int, object_: int, slots: Sequence[int], confidence: float, hops: int) -> Derivation:
        """A derivation of the reading as one of the goal's predicate."""
        if self.turned:
            return Derivation(object_, self.predicate, subject, tuple(slots[::-1]), confidence, hops)
        return Derivation(subject, self.predicate, object_, tuple(slots), confidence, hops)


def infer(tx: Reader, graph: TripleGraph, ontology: Ontology, ids: Mapping[str, int], goal: Goal) -> Inferred:
    """The derived triples that match the goal, each once, by a shortest derivation.

    `ids` are those of the stored predicates. Transitive predicates are chained only if the goal has subjects or
    objects. A derivation is valid while all its premises are.
    """
    anywhere = goal.subjects is None and goal.objects is None
    same = same_things(graph, ontology, ids)
    found: dict[tuple[int, str, int], Derivation] = {}
    cut = False
    for name in _names(graph, ontology, ids, goal, same):
        chained = [] if anywhere else transitive_readings(ontology, name)
        for predicate, forward in dict.fromkeys([(name, True), *chained]):
            stating = statements(tx, graph, ontology, ids, [(predicate, True)])
            if not len(stating.predicates):
                continue
            own = nothing_same(graph) if same_as_predicates(ontology, [predicate]) else same
            chains = is_transitive(ontology, predicate)
            search = _Search(stating, own, name, ids.get(name, -1), not forward, chains)
            more, cut_here = (_anywhere if anywhere else _from_ends)(search, goal if forward else _turned(goal))
            cut = cut or cut_here
            for one in more:
                key = one.subject, name, one.object
                if key not in found or _rank(one) < _rank(found[key]):
                    found[key] = one
    ranked = sorted(found.values(), key=_rank)
    return Inferred(ranked[: goal.limit], cut or len(ranked) > goal.limit)


def _is_inferable(ontology: Ontology, name: str) -> bool:
    """Whether triples of a predicate can be derived by what the ontology says of predicates."""
    rule = ontology.rule(name)
    return rule.transitive or rule.symmetric or len(stating_predicates(ontology, name)) > 1


def _names(
    graph: TripleGraph, ontology: Ontology, ids: Mapping[str, int], goal: Goal, same: SameNodes
) -> Sequence[str]:
    """The predicates to derive: that of the goal, or those that triples around its ends can state."""
    if goal.predicate is not None:
        return [goal.predicate]
    if goal.subjects is None and goal.objects is None:
        names = dict.fromkeys([*ontology.predicates, *ontology.narrower, SAME_AS])
        return [name for name in names if _is_inferable(ontology, name)]
    ends = np.array([*(goal.subjects or goal.objects or ())], dtype=np.int64)
    around = set(np.unique(graph.predicates[graph.step(same.with_same(ends), "both")[0]]).tolist())
    present = {name for name, id_ in ids.items() if id_ in around}
    stated = {name for each in present for name in may_state(ontology, each)}
    return [name for name in stated if _is_inferable(ontology, name) or (same and name in present)]


def _rank(derivation: Derivation) -> tuple[int, float, str, int, int]:
    """The most direct first, then the most confident."""
    return (derivation.hops, -derivation.confidence, derivation.predicate, derivation.subject, derivation.object)


def _turned(goal: Goal) -> Goal:
    return replace(
        goal,
        subjects=goal.objects,
        objects=goal.subjects,
        subject_fits=goal.object_fits,
        object_fits=goal.subject_fits,
    )


def _from_ends(search: _Search, goal: Goal) -> tuple[list[Derivation], bool]:
    """The derivations between given ends, searched from the side with fewer triples."""
    count = search.graph.node_count
    outward = goal.objects is None or (
        goal.subjects is not None
        and _step_count(search, goal.subjects, outward=True) <= _step_count(search, goal.objects, outward=False)
    )
    starts, ends = (goal.subjects, goal.objects) if outward else (goal.objects, goal.subjects)
    mine, theirs = (goal.subject_fits, goal.object_fits) if outward else (goal.object_fits, goal.subject_fits)
    fits = np.ones(count, dtype=np.bool_) if theirs is None else theirs
    if ends is not None:
        fits = fits & np.isin(np.arange(count), np.array(ends, dtype=np.int64))
    found: list[Derivation] = []
    cut = False
    for start in starts or ():
        if mine is None or mine[start]:
            more, cut_here = _from_start(search, start, fits, goal.limit, outward=outward)
            found += more
            cut = cut or cut_here
    return found, cut


def _step_count(search: _Search, nodes: Sequence[int], *, outward: bool) -> int:
    frontier = search.same.with_same(np.array(nodes, dtype=np.int64))
    return len(search.statements.step(frontier, "out" if outward else "in")[0])


def _from_start(search: _Search, start: int, fits: Mask, limit: int, *, outward: bool) -> tuple[list[Derivation], bool]:
    graph = search.graph
    as_subject = outward != search.turned
    here, _ = graph.step(np.array([start]), "out" if as_subject else "in", np.array([search.stored]))
    stored = _Stored(graph, here, (graph.objects if as_subject else graph.subjects)[here])
    levels: list[Level] = []
    found: list[Derivation] = []
    left, reached = int(fits.sum()), 0
    walk = walk_levels(
        search.statements, search.same, [start], "out" if outward else "in", MAX_HOPS if search.chains else 1
    )
    for level in walk:
        levels.append(level)
        reached += len(level.nodes)
        wanted = fits[level.nodes]
        left -= int(wanted.sum())
        if len(levels) == 1:
            continue
        rows = np.flatnonzero(wanted)
        rows = rows[~stored.have(level.nodes[rows], level.since[rows], level.until[rows])].tolist()
        shown = rows[: limit - len(found)]
        first = reached - len(level.nodes)
        found += [_derivation(search, levels, first + row, outward=outward) for row in shown]
        if level.cut or len(found) >= limit or reached > MAX_REACHED:
            return found, level.cut or len(rows) > len(shown) or left > 0
        if not left:
            break
    return found, False


class _Stored:
    """The stored triples of the predicate by key; a derived triple is known if one of them is valid as long."""

    def __init__(self, graph: TripleGraph, slots: Slots, keys: NDArray[np.int64]) -> None:
        since, until = graph.valid_from[slots], graph.valid_to[slots]
        # In a graph as of one moment, every triple is valid at that moment.
        always = (since < -FAR_FUTURE) & (until > FAR_FUTURE) | (graph.moment is not None)
        self._always = keys[always]
        self._dated: dict[int, list[tuple[int, int]]] = {}
        for key, *span in zip(*(column[~always].tolist() for column in (keys, since, until)), strict=True):
            self._dated.setdefault(key, []).append((span[0], span[1]))

    def have(self, keys: NDArray[np.int64], since: Ids, until: Ids) -> Mask:
        """Whether each derived triple, given by key and validity, is stored."""
        found = np.isin(keys, self._always)
        if self._dated:
            for row in np.flatnonzero(~found).tolist():
                spans = self._dated.get(int(keys[row]), ())
                found[row] = any(first <= since[row] and until[row] <= last for first, last in spans)
        return found


def _derivation(search: _Search, levels: Sequence[Level], row: int, *, outward: bool) -> Derivation:
    """The path to a row of all levels together, from subject to object."""
    bounds = np.cumsum([len(level.nodes) for level in levels]).tolist()
    slots: list[int] = []
    nodes: list[int] = []
    confidence = 1.0
    while row >= 0:
        at = bisect.bisect_right(bounds, row)
        level, inside = levels[at], row - (bounds[at - 1] if at else 0)
        confidence = float(level.confidences[inside]) if not nodes else confidence
        nodes.append(int(level.nodes[inside]))
        slots.append(int(level.slots[inside]))
        row = int(level.parents[inside])
    slots.pop()  # the start has none
    hops = len(levels) - 1
    if outward:
        return search.derivation(nodes[-1], nodes[0], slots[::-1], confidence, hops)
    return search.derivation(nodes[0], nodes[-1], slots, confidence, hops)


def _anywhere(search: _Search, goal: Goal) -> tuple[list[Derivation], bool]:
    """What single triples state, between their ends and what is the same as these, the most confident first."""
    graph, same = search.graph, search.same
    slots = np.flatnonzero(is_one_of(graph.predicates, search.statements.predicates))
    slots = slots[graph.holds(slots)]
    slots = slots[same.lead(graph.subjects[slots]) != same.lead(graph.objects[slots])]
    known = slots[graph.predicates[slots] == search.stored]
    stored = _Stored(graph, known, graph.subjects[known] * graph.node_count + graph.objects[known])
    found: list[Derivation] = []
    cut = False
    for as_it_stands in (True, False):
        kept, cut_here = search.statements.matching(slots, np.full(len(slots), as_it_stands))
        here = slots[kept]
        cut = cut or cut_here
        subjects, objects = (graph.subjects, graph.objects) if as_it_stands else (graph.objects, graph.subjects)
        rows, starts, ends, left_out = _between_same(same, subjects[here], objects[here])
        cut = cut or left_out
        here = here[rows]
        for nodes, fits in ((starts, goal.subject_fits), (ends, goal.object_fits)):
            fitting = np.ones(len(nodes), dtype=np.bool_) if fits is None else fits[nodes]
            here, starts, ends = here[fitting], starts[fitting], ends[fitting]
        new = ~stored.have(starts * graph.node_count + ends, graph.valid_from[here], graph.valid_to[here])
        here, starts, ends = here[new], starts[new], ends[new]
        passing = (subjects[here] != starts) | (objects[here] != ends)
        # The confidence of a triple is the most that a derivation from it can have.
        plain = np.flatnonzero(~passing)
        plain = plain[np.lexsort((ends[plain], starts[plain], -graph.confidences[here[plain]]))]
        cut = cut or len(plain) > goal.limit
        for row in (*plain[: goal.limit + 1].tolist(), *np.flatnonzero(passing).tolist()):
            slot = int(here[row])
            before = same.chain(int(starts[row]), int(subjects[slot]))
            after = same.chain(int(objects[slot]), int(ends[row]))
            premises = [*(step for step, _ in before.steps), slot, *(step for step, _ in after.steps)]
            confidence = before.confidence * float(graph.confidences[slot]) * after.confidence
            found.append(search.derivation(int(starts[row]), int(ends[row]), premises, confidence, 1))
    return found, cut


def _between_same(same: SameNodes, subjects: Slots, objects: Slots) -> tuple[Slots, Slots, Slots, bool]:
    """(row, subject, object) for all that is the same as the ends of each row, and whether some rows were left out."""
    inside = same.among(subjects) | same.among(objects)
    alone, rows = np.flatnonzero(~inside), np.flatnonzero(inside)
    most = max(MAX_REACHED // same.largest**2, 1)
    left_out, rows = len(rows) > most, rows[:most]
    at, starts = same.expanded(subjects[rows])
    rows = rows[at]
    at, ends = same.expanded(objects[rows])
    rows, starts = rows[at], starts[at]
    rows = np.concatenate([alone, rows])
    return rows, np.concatenate([subjects[alone], starts]), np.concatenate([objects[alone], ends]), left_out
