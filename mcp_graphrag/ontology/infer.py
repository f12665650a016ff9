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

    `confidence` is the product of theirs.
    """

    subject: int
    predicate: str
    object: int
    slots: tuple[int, ...]
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
    search = _anywhere if goal.subjects is None and goal.objects is None else _from_ends
    found: list[Derivation] = []
    cut = False
    for name in names:
        steps = _steps(tx, graph, ontology, ids, name)
        if len(steps.all):
            more, cut_here = search(steps, goal)
            found += more
            cut = cut or cut_here
    found.sort(key=lambda one: (len(one.slots), -one.confidence, one.predicate, one.subject, one.object))
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
    found = [(predicate, True)]
    for name, forward in found:
        ends = (subject_type, object_type) if forward else (object_type, subject_type)
        turned = (ontology.inverse_for(name, *ends), name if ontology.rule(name).symmetric else None)
        found += [(other, not forward) for other in turned if other and (other, not forward) not in found]
    return frozenset(found)


@dataclass(frozen=True)
class _Steps:
    """The stored predicates that state one predicate: in the same or other direction, or between some types only."""

    tx: Reader
    graph: TripleGraph
    ontology: Ontology
    predicate: str
    id: int
    straight: Sequence[int]
    turned: Sequence[int]
    checked: Mapping[int, str]
    all: Ids


def _steps(tx: Reader, graph: TripleGraph, ontology: Ontology, ids: Mapping[str, int], goal: str) -> _Steps:
    stored = {name: equivalent_readings(ontology, name) for name in related_by_inverses(ontology, goal) if name in ids}
    straight = [ids[name] for name, readings in stored.items() if (goal, True) in readings]
    turned = [ids[name] for name, readings in stored.items() if (goal, False) in readings]
    checked = {
        ids[name]: name
        for name in stored
        if any(
            len({inverse for _, inverse in ontology.inverses(other)}) > 1
            for other in related_by_inverses(ontology, name)
        )
    }
    every = np.unique(np.array([*straight, *turned, *checked], dtype=np.int64))
    return _Steps(tx, graph, ontology, goal, ids.get(goal, -1), straight, turned, checked, every)


def related_by_inverses(ontology: Ontology, predicate: str) -> list[str]:
    """The predicate and all predicates that inverses lead to."""
    found = [predicate]
    for name in found:
        found += [inverse for _, inverse in ontology.inverses(name) if inverse not in found]
    return list(dict.fromkeys(found))


def _only_inverse(ontology: Ontology, predicate: str) -> str | None:
    names = {inverse for _, inverse in ontology.inverses(predicate)}
    return next(iter(names)) if len(names) == 1 else None


def _steps_around(steps: _Steps, frontier: Slots, *, outward: bool) -> tuple[Slots, Mask, bool]:
    """The slots that state the predicate of the frontier, whether each leads away from its subject, and whether cut.

    The frontier nodes are subjects of the predicate if `outward`, or else its objects.
    """
    if steps.checked or (steps.straight and steps.turned):
        direction = "both"
    else:
        direction = "out" if bool(steps.straight) == outward else "in"
    slots, lead = steps.graph.step(frontier, direction, steps.all)
    kept, cut = _matching_slots(steps, slots, lead == outward)
    return slots[kept], lead[kept], cut


def _matching_slots(steps: _Steps, slots: Slots, as_it_stands: Mask) -> tuple[Mask, bool]:
    """Which slots state the predicate, read in the given direction, and whether some were not checked."""
    graph = steps.graph
    predicates = graph.predicates[slots]
    kept = np.where(as_it_stands, np.isin(predicates, steps.straight), np.isin(predicates, steps.turned))
    if not steps.checked:
        return kept, False
    candidates = np.flatnonzero(~kept & np.isin(predicates, list(steps.checked)))
    rows = candidates[:MAX_TYPED]
    subjects, objects = (graph.entities(ends[slots[rows]]).tolist() for ends in (graph.subjects, graph.objects))
    types = {head.id: head.type for head in entity_labels(steps.tx, [*subjects, *objects]).values()}
    known: dict[tuple[str, str, str], Readings] = {}
    for row, subject, object_ in zip(rows.tolist(), subjects, objects, strict=True):
        key = steps.checked[int(predicates[row])], types.get(subject, ""), types.get(object_, "")
        if key not in known:
            known[key] = equivalent_readings(steps.ontology, *key)
        kept[row] = (steps.predicate, bool(as_it_stands[row])) in known[key]
    return kept, len(candidates) > len(rows)


@dataclass(frozen=True)
class _Level:
    """The nodes first reached at one distance from the start, the most confident first, one row each.

    `parents` are rows of the previous level. `since` and `until` bound the time in which all slots of the path hold.
    """

    nodes: Slots
    slots: Slots
    parents: Slots
    confidences: NDArray[np.float64]
    since: Ids
    until: Ids


def _levels(steps: _Steps, start: int, *, outward: bool) -> Iterator[tuple[_Level, bool]]:
    """Each level with whether it was cut."""
    graph = steps.graph
    row_of = np.zeros(graph.node_count, dtype=np.int64)
    row_of[start] = 1
    none, bounds = np.empty(0, dtype=np.int64), np.iinfo(np.int64)
    last = _Level(np.array([start]), none, none, np.ones(1), np.array([bounds.min]), np.array([bounds.max]))
    left = MAX_REACHED
    for _ in range(MAX_HOPS if is_transitive(steps.ontology, steps.predicate) else 1):
        row_of[last.nodes] = np.arange(1, len(last.nodes) + 1)
        slots, lead, cut = _steps_around(steps, np.sort(last.nodes), outward=outward)
        subjects, objects = graph.subjects[slots], graph.objects[slots]
        reached = np.where(lead, objects, subjects)
        parents = row_of[np.where(lead, subjects, objects)] - 1
        since = np.maximum(last.since[parents], graph.valid_from[slots])
        until = np.minimum(last.until[parents], graph.valid_to[slots])
        kept = np.flatnonzero((row_of[reached] == 0) & (since < until))
        confidences = last.confidences[parents] * graph.confidences[slots]
        kept = kept[np.lexsort((slots[kept], -confidences[kept], reached[kept]))]
        kept = kept[np.unique(reached[kept], return_index=True)[1]]
        kept = kept[np.lexsort((reached[kept], -confidences[kept]))]
        cut = cut or len(kept) > left
        kept = kept[:left]
        if not len(kept):
            return
        left -= len(kept)
        last = _Level(reached[kept], slots[kept], parents[kept], confidences[kept], since[kept], until[kept])
        yield last, cut


def _from_ends(steps: _Steps, goal: Goal) -> tuple[list[Derivation], bool]:
    """The derivations between given ends, searched from the side with fewer triples."""
    count = steps.graph.node_count
    outward = goal.objects is None or (
        goal.subjects is not None
        and _step_count(steps, goal.subjects, outward=True) <= _step_count(steps, goal.objects, outward=False)
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
            more, cut_here = _from_start(steps, start, fits, goal.limit, outward=outward)
            found += more
            cut = cut or cut_here
    return found, cut


def _step_count(steps: _Steps, nodes: Sequence[int], *, outward: bool) -> int:
    return len(_steps_around(steps, np.unique(np.array(nodes, dtype=np.int64)), outward=outward)[0])


def _from_start(steps: _Steps, start: int, fits: Mask, limit: int, *, outward: bool) -> tuple[list[Derivation], bool]:
    graph = steps.graph
    here, _ = graph.step(np.array([start]), "out" if outward else "in", np.array([steps.id]))
    stored = _Stored(graph, here, (graph.objects if outward else graph.subjects)[here])
    levels: list[_Level] = []
    found: list[Derivation] = []
    left = int(fits.sum())
    for level, cut in _levels(steps, start, outward=outward):
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
    slots: list[int] = []
    for level in reversed(levels):
        slots.append(int(level.slots[row]))
        row = int(level.parents[row])
    if outward:
        return Derivation(start, predicate, end, tuple(reversed(slots)), confidence)
    return Derivation(end, predicate, start, tuple(slots), confidence)


def _anywhere(steps: _Steps, goal: Goal) -> tuple[list[Derivation], bool]:
    """What single triples state by an inverse or by symmetry, in the order in which they were stored."""
    graph = steps.graph
    slots = np.flatnonzero(np.isin(graph.predicates, steps.all))
    slots = slots[graph.holds(slots) & (graph.subjects[slots] != graph.objects[slots])]
    same = slots[graph.predicates[slots] == steps.id]
    stored = _Stored(graph, same, graph.subjects[same] * graph.node_count + graph.objects[same])
    found: dict[tuple[int, int], Derivation] = {}
    cut = False
    for as_it_stands in (True, False):
        here = slots[graph.predicates[slots] != steps.id] if as_it_stands else slots
        subjects, objects = (graph.subjects, graph.objects) if as_it_stands else (graph.objects, graph.subjects)
        for nodes, fits in ((subjects, goal.subject_fits), (objects, goal.object_fits)):
            here = here if fits is None else here[fits[nodes[here]]]
        readings, cut_here = _matching_slots(steps, here, np.full(len(here), as_it_stands))
        here = here[readings]
        pairs = subjects[here] * graph.node_count + objects[here]
        here = here[~stored.have(pairs, graph.valid_from[here], graph.valid_to[here])]
        for slot in here[: goal.limit + 1].tolist():
            subject, object_ = int(subjects[slot]), int(objects[slot])
            one = Derivation(subject, steps.predicate, object_, (slot,), float(graph.confidences[slot]))
            found.setdefault((subject, object_), one)
        cut = cut or cut_here or len(here) > goal.limit
    return list(found.values()), cut
