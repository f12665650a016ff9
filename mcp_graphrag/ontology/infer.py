"""Triples that follow from the stored ones by the ontology, computed for each query and never stored.

Three rules: an inverse states a triple in the other direction, a symmetric predicate holds in both directions, a
transitive one chains. They are applied together, so that the inverse of a transitive predicate is transitive too. No
triple of an entity with itself is derived, and none that is stored already.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.triple_graph import Slots, TripleGraph
from mcp_graphrag.model import Ids
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.entity_rows import entity_labels

Mask = NDArray[np.bool_]
Readings = frozenset[tuple[str, bool]]

MAX_HOPS = 32
MAX_REACHED = 100_000
FAR_FUTURE = 2**62  # microseconds, beyond any date
MAX_TYPED = 5_000  # triples around a node whose ends' types are looked up


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

    `forward` says for each slot whether it leads from subject to object. `confidence` is the product of theirs.
    """

    subject: int
    predicate: str
    object: int
    slots: tuple[int, ...]
    forward: tuple[bool, ...]
    confidence: float


@dataclass(frozen=True)
class Inferred:
    """Derivations, the most direct first, among equals the most confident. `cut` says that there may be more."""

    derivations: Sequence[Derivation]
    cut: bool


def infer(tx: Reader, graph: TripleGraph, ontology: Ontology, ids: Mapping[str, int], goal: Goal) -> Inferred:
    """The derived triples that match the goal, each once, by a shortest derivation.

    `ids` are those of the stored predicates. Transitive predicates are chained only if the goal has subjects or
    objects. A derivation is valid while all its premises are.
    """
    names = [goal.predicate] if goal.predicate is not None else inferable(ontology)
    found: list[Derivation] = []
    cut = False
    for name in names:
        steps = _steps(ontology, ids, name)
        if not len(steps.all):
            continue
        if goal.subjects is None and goal.objects is None:
            more, cut_here = _anywhere(tx, graph, steps, goal)
        else:
            more, cut_here = _from_ends(tx, graph, steps, goal)
        found += more
        cut = cut or cut_here
    found.sort(
        key=lambda derivation: (
            len(derivation.slots),
            -derivation.confidence,
            derivation.predicate,
            derivation.subject,
            derivation.object,
        )
    )
    return Inferred(found[: goal.limit], cut or len(found) > goal.limit)


def inferable(ontology: Ontology) -> list[str]:
    """The predicates of which triples can be derived."""
    return [
        name
        for name, rule in ontology.predicates.items()
        if rule.symmetric or rule.transitive or ontology.inverses(name)
    ]


def is_transitive(ontology: Ontology, predicate: str) -> bool:
    """Whether the predicate is transitive, by its own rule or by that of its only inverse."""
    if ontology.rule(predicate).transitive:
        return True
    inverse = _only_inverse(ontology, predicate)
    return inverse is not None and ontology.rule(inverse).transitive and _only_inverse(ontology, inverse) == predicate


def equivalent_readings(ontology: Ontology, predicate: str, subject_type: str = "", object_type: str = "") -> Readings:
    """What a triple states, by inverses and symmetry too, as (predicate, whether from subject to object)."""
    found = {(predicate, True)}
    waiting = [(predicate, True)]
    while waiting:
        name, forward = waiting.pop()
        ends = (subject_type, object_type) if forward else (object_type, subject_type)
        inverse = ontology.inverse_for(name, *ends)
        turned = [inverse] if inverse else []
        for other in (*turned, *([name] if ontology.rule(name).symmetric else ())):
            if (other, not forward) not in found:
                found.add((other, not forward))
                waiting.append((other, not forward))
    return frozenset(found)


@dataclass(frozen=True)
class _Steps:
    """The stored predicates that state one predicate: in the same or other direction, or between some types only."""

    predicate: str
    id: int
    straight: Ids
    turned: Ids
    checked: Mapping[int, str]
    all: Ids
    ontology: Ontology
    reaches: bool


def _steps(ontology: Ontology, ids: Mapping[str, int], goal: str) -> _Steps:
    straight: list[int] = []
    turned: list[int] = []
    checked: dict[int, str] = {}
    for name in related_by_inverses(ontology, goal):
        if name not in ids:
            continue
        readings = equivalent_readings(ontology, name)
        if (goal, True) in readings:
            straight.append(ids[name])
        if (goal, False) in readings:
            turned.append(ids[name])
        if any(
            len({inverse for _, inverse in ontology.inverses(related)}) > 1
            for related in related_by_inverses(ontology, name)
        ):
            checked[ids[name]] = name
    every = np.unique(np.array([*straight, *turned, *checked], dtype=np.int64))
    return _Steps(
        goal,
        ids.get(goal, -1),
        np.array(straight, dtype=np.int64),
        np.array(turned, dtype=np.int64),
        checked,
        every,
        ontology,
        is_transitive(ontology, goal),
    )


def related_by_inverses(ontology: Ontology, predicate: str) -> list[str]:
    """The predicate and all predicates that inverses lead to."""
    found = [predicate]
    for name in found:
        found += [inverse for _, inverse in ontology.inverses(name) if inverse not in found]
    return list(dict.fromkeys(found))


def _only_inverse(ontology: Ontology, predicate: str) -> str | None:
    names = {inverse for _, inverse in ontology.inverses(predicate)}
    return next(iter(names)) if len(names) == 1 else None


def _steps_around(
    tx: Reader, graph: TripleGraph, steps: _Steps, frontier: Slots, *, outward: bool
) -> tuple[Slots, NDArray[np.bool_], bool]:
    """The slots that state the predicate of the frontier, whether each leads away from its subject, and whether cut.

    The frontier nodes are subjects of the predicate if `outward`, or else its objects.
    """
    if steps.checked or (len(steps.straight) and len(steps.turned)):
        direction = "both"
    else:
        direction = "out" if bool(len(steps.straight)) == outward else "in"
    slots, lead = graph.step(frontier, direction, steps.all)
    kept, cut = _matching_slots(tx, graph, steps, slots, lead == outward)
    return slots[kept], lead[kept], cut


def _matching_slots(
    tx: Reader, graph: TripleGraph, steps: _Steps, slots: Slots, as_it_stands: Mask
) -> tuple[Mask, bool]:
    """Which slots state the predicate, read in the given direction, and whether some were not checked."""
    predicates = graph.predicates[slots]
    kept = np.where(as_it_stands, np.isin(predicates, steps.straight), np.isin(predicates, steps.turned))
    if not steps.checked:
        return kept, False
    candidates = np.flatnonzero(~kept & np.isin(predicates, list(steps.checked)))
    checked_slots = candidates[:MAX_TYPED]
    ends = graph.entities(
        np.concatenate([graph.subjects[slots[checked_slots]], graph.objects[slots[checked_slots]]])
    ).tolist()
    types = {head.id: head.type for head in entity_labels(tx, ends).values()}
    known: dict[tuple[str, str, str], Readings] = {}
    for row, subject, object_ in zip(
        checked_slots.tolist(), ends[: len(checked_slots)], ends[len(checked_slots) :], strict=True
    ):
        key = steps.checked[int(predicates[row])], types.get(subject, ""), types.get(object_, "")
        if key not in known:
            known[key] = equivalent_readings(steps.ontology, *key)
        kept[row] = (steps.predicate, bool(as_it_stands[row])) in known[key]
    return kept, len(candidates) > len(checked_slots)


@dataclass(frozen=True)
class _Level:
    """The nodes first reached at one distance from the start, the most confident first, one row each.

    `parents` are rows of the previous level. `since` and `until` bound the time in which all slots of the path hold.
    """

    nodes: Slots
    slots: Slots
    lead: Mask
    parents: Slots
    confidences: NDArray[np.float64]
    since: Ids
    until: Ids


def _levels(
    tx: Reader, graph: TripleGraph, steps: _Steps, start: int, *, outward: bool
) -> Iterator[tuple[_Level, bool]]:
    """Each level with whether it was cut."""
    row_of = np.zeros(graph.node_count, dtype=np.int64)
    row_of[start] = 1
    bounds = np.iinfo(np.int64)
    last = _Level(
        np.array([start], dtype=np.int64),
        *(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.bool_), np.empty(0, dtype=np.int64)),
        np.ones(1),
        *(np.array([bounds.min]), np.array([bounds.max])),
    )
    total = 0
    for _ in range(MAX_HOPS if steps.reaches else 1):
        row_of[last.nodes] = np.arange(1, len(last.nodes) + 1)
        slots, lead, cut = _steps_around(tx, graph, steps, np.sort(last.nodes), outward=outward)
        ends = graph.subjects[slots], graph.objects[slots]
        reached = np.where(lead, ends[1], ends[0])
        parents = row_of[np.where(lead, ends[0], ends[1])] - 1
        since = np.maximum(last.since[parents], graph.valid_from[slots])
        until = np.minimum(last.until[parents], graph.valid_to[slots])
        kept = np.flatnonzero((row_of[reached] == 0) & (since < until))
        confidences = last.confidences[parents] * graph.confidences[slots]
        kept = kept[np.lexsort((slots[kept], -confidences[kept], reached[kept]))]
        kept = kept[np.unique(reached[kept], return_index=True)[1]]
        kept = kept[np.lexsort((reached[kept], -confidences[kept]))]
        cut = cut or len(kept) > MAX_REACHED - total
        kept = kept[: MAX_REACHED - total]
        if not len(kept):
            return
        total += len(kept)
        last = _Level(
            reached[kept], slots[kept], lead[kept], parents[kept], confidences[kept], since[kept], until[kept]
        )
        yield last, cut


def _from_ends(tx: Reader, graph: TripleGraph, steps: _Steps, goal: Goal) -> tuple[list[Derivation], bool]:
    """The derivations between given ends, searched from the side with fewer triples."""
    outward = goal.objects is None or (
        goal.subjects is not None
        and _step_count(tx, graph, steps, goal.subjects, outward=True)
        <= _step_count(tx, graph, steps, goal.objects, outward=False)
    )
    starts, ends = (goal.subjects, goal.objects) if outward else (goal.objects, goal.subjects)
    mine, theirs = (goal.subject_fits, goal.object_fits) if outward else (goal.object_fits, goal.subject_fits)
    fits = np.ones(graph.node_count, dtype=np.bool_) if theirs is None else theirs
    if ends is not None:
        fits = fits & np.isin(np.arange(graph.node_count), np.array(ends, dtype=np.int64))
    found: list[Derivation] = []
    cut = False
    for start in starts or ():
        if mine is not None and not mine[start]:
            continue
        more, cut_here = _from_start(tx, graph, steps, start, fits, goal.limit, outward=outward)
        found += more
        cut = cut or cut_here
    return found, cut


def _step_count(tx: Reader, graph: TripleGraph, steps: _Steps, nodes: Sequence[int], *, outward: bool) -> int:
    return len(_steps_around(tx, graph, steps, np.unique(np.array(nodes, dtype=np.int64)), outward=outward)[0])


def _from_start(
    tx: Reader, graph: TripleGraph, steps: _Steps, start: int, fits: Mask, limit: int, *, outward: bool
) -> tuple[list[Derivation], bool]:
    here, _ = graph.step(np.array([start]), "out" if outward else "in", np.array([steps.id]))
    stored = _Stored(graph, here, (graph.objects if outward else graph.subjects)[here])
    levels: list[_Level] = []
    found: list[Derivation] = []
    left = int(fits.sum())
    for level, cut in _levels(tx, graph, steps, start, outward=outward):
        levels.append(level)
        fitting = np.flatnonzero(fits[level.nodes])
        left -= len(fitting)
        known = stored.have(level.nodes[fitting], level.since[fitting], level.until[fitting])
        rows = fitting[~known].tolist()
        shown = rows[: limit - len(found)]
        found += [_derivation(levels, row, start, steps.predicate, outward=outward) for row in shown]
        if cut or len(found) >= limit:
            return found, cut or len(rows) > len(shown) or left > 0
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


def _derivation(levels: Sequence[_Level], row: int, start: int, predicate: str, *, outward: bool) -> Derivation:
    """The path to a row of the last level, from subject to object."""
    end, confidence = int(levels[-1].nodes[row]), float(levels[-1].confidences[row])
    path: list[tuple[int, bool]] = []
    for level in reversed(levels):
        path.append((int(level.slots[row]), bool(level.lead[row]) == outward))
        row = int(level.parents[row])
    if outward:
        path.reverse()
    slots, forward = tuple(slot for slot, _ in path), tuple(step for _, step in path)
    return Derivation(*((start, predicate, end) if outward else (end, predicate, start)), slots, forward, confidence)


def _anywhere(tx: Reader, graph: TripleGraph, steps: _Steps, goal: Goal) -> tuple[list[Derivation], bool]:
    """What single triples state by an inverse or by symmetry, in the order in which they were stored."""
    slots = np.flatnonzero(np.isin(graph.predicates, steps.all))
    slots = slots[graph.holds(slots) & (graph.subjects[slots] != graph.objects[slots])]
    same = slots[graph.predicates[slots] == steps.id]
    stored = _Stored(graph, same, _pair(graph, graph.subjects[same], graph.objects[same]))
    found: dict[tuple[int, int], Derivation] = {}
    cut = False
    for as_it_stands in (True, False):
        here = slots[graph.predicates[slots] != steps.id] if as_it_stands else slots
        subjects, objects = (graph.subjects, graph.objects) if as_it_stands else (graph.objects, graph.subjects)
        for nodes, fits in ((subjects, goal.subject_fits), (objects, goal.object_fits)):
            here = here if fits is None else here[fits[nodes[here]]]
        readings, cut_here = _matching_slots(tx, graph, steps, here, np.full(len(here), as_it_stands))
        here = here[readings]
        pairs = _pair(graph, subjects[here], objects[here])
        here = here[~stored.have(pairs, graph.valid_from[here], graph.valid_to[here])]
        for slot in here[: goal.limit + 1].tolist():
            subject, object_ = int(subjects[slot]), int(objects[slot])
            one = Derivation(
                subject, steps.predicate, object_, (slot,), (as_it_stands,), float(graph.confidences[slot])
            )
            found.setdefault((subject, object_), one)
        cut = cut or cut_here or len(here) > goal.limit
    return list(found.values()), cut


def _pair(graph: TripleGraph, subjects: Slots, objects: Slots) -> NDArray[np.int64]:
    """One number for each pair of nodes."""
    return subjects * graph.node_count + objects
