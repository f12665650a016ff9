"""What follows from the stored triples by the ontology: worked out at the time of asking, never stored.

Three rules: an inverse says a triple the other way round, a symmetric predicate holds both ways, a transitive one
reaches through. They are applied together, so that the inverse of a transitive predicate is transitive too. Nothing is
derived of a thing and itself, and nothing that is stored as it stands.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.graph import Graph, Slots
from mcp_graphrag.model import Ids
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.store.entities import entity_heads
from mcp_graphrag.store.transaction import Reader

Mask = NDArray[np.bool_]
Said = frozenset[tuple[str, bool]]

MOST_HOPS = 32
MOST_REACHED = 100_000
LONG = 2**62  # microseconds: a time beyond any date
MOST_TYPED = 5_000  # triples around a node whose ends' types are looked up


@dataclass(frozen=True)
class Goal:
    """What triples to derive; None holds for all. Subjects and objects are nodes, `fits` masks over all nodes."""

    predicate: str | None = None
    subjects: Sequence[int] | None = None
    objects: Sequence[int] | None = None
    subject_fits: Mask | None = None
    object_fits: Mask | None = None
    most: int = 100


@dataclass(frozen=True)
class Derivation:
    """A triple that follows: its ends as nodes, and the slots it follows from, in order from subject to object.

    `forward` says of each slot whether it leads from subject to object. `confidence` is the product of theirs.
    """

    subject: int
    predicate: str
    object: int
    slots: tuple[int, ...]
    forward: tuple[bool, ...]
    confidence: float


@dataclass(frozen=True)
class Entailed:
    """Derivations, the most direct first and the surest among equals. `cut` says that there may be more."""

    derivations: Sequence[Derivation]
    cut: bool


def entailed(tx: Reader, graph: Graph, ontology: Ontology, ids: Mapping[str, int], goal: Goal) -> Entailed:
    """What follows and fits the goal, each triple once, by a shortest derivation.

    `ids` are those of the predicates that the file has. Through transitive predicates only where the goal names a
    subject or an object. A derivation holds while all that it follows from does.
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
    found.sort(key=lambda each: (len(each.slots), -each.confidence, each.predicate, each.subject, each.object))
    return Entailed(found[: goal.most], cut or len(found) > goal.most)


def inferable(ontology: Ontology) -> list[str]:
    """The predicates of which anything can follow."""
    return [
        name
        for name, rule in ontology.predicates.items()
        if rule.symmetric or rule.transitive or ontology.inverses(name)
    ]


def is_transitive(ontology: Ontology, predicate: str) -> bool:
    """Whether the predicate reaches through: by its own rule, or by that of the one inverse that it surely has."""
    if ontology.rule(predicate).transitive:
        return True
    inverse = _only_inverse(ontology, predicate)
    return inverse is not None and ontology.rule(inverse).transitive and _only_inverse(ontology, inverse) == predicate


def says(ontology: Ontology, predicate: str, subject_type: str = "", object_type: str = "") -> Said:
    """What one triple says: (predicate, whether from its subject to its object), its own included."""
    found = {(predicate, True)}
    waiting = [(predicate, True)]
    while waiting:
        name, forward = waiting.pop()
        ends = (subject_type, object_type) if forward else (object_type, subject_type)
        inverse = ontology.inverse_for(name, *ends)
        turned = [inverse] if inverse else []
        for each in (*turned, *([name] if ontology.rule(name).symmetric else ())):
            if (each, not forward) not in found:
                found.add((each, not forward))
                waiting.append((each, not forward))
    return frozenset(found)


@dataclass(frozen=True)
class _Steps:
    """Ids of the predicates that say one predicate as they stand, turned round, or only between certain types."""

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
    for name in _related(ontology, goal):
        if name not in ids:
            continue
        said = says(ontology, name)
        if (goal, True) in said:
            straight.append(ids[name])
        if (goal, False) in said:
            turned.append(ids[name])
        if any(len({inverse for _, inverse in ontology.inverses(each)}) > 1 for each in _related(ontology, name)):
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


def _related(ontology: Ontology, predicate: str) -> list[str]:
    """The predicate and all that inverses lead to from it."""
    found = [predicate]
    for name in found:
        found += [inverse for _, inverse in ontology.inverses(name) if inverse not in found]
    return list(dict.fromkeys(found))


def _only_inverse(ontology: Ontology, predicate: str) -> str | None:
    names = {inverse for _, inverse in ontology.inverses(predicate)}
    return next(iter(names)) if len(names) == 1 else None


def _around(
    tx: Reader, graph: Graph, steps: _Steps, frontier: Slots, *, outward: bool
) -> tuple[Slots, NDArray[np.bool_], bool]:
    """The slots that say the predicate of the frontier, whether each leads away from its subject, and whether cut.

    The frontier are subjects of the predicate where `outward`, else its objects.
    """
    if steps.checked or (len(steps.straight) and len(steps.turned)):
        direction = "both"
    else:
        direction = "out" if bool(len(steps.straight)) == outward else "in"
    slots, lead = graph.step(frontier, direction, steps.all)
    kept, cut = _saying(tx, graph, steps, slots, lead == outward)
    return slots[kept], lead[kept], cut


def _saying(tx: Reader, graph: Graph, steps: _Steps, slots: Slots, as_it_stands: Mask) -> tuple[Mask, bool]:
    """Which slots say the predicate, read as they stand or turned round, and whether some were not looked at."""
    predicates = graph.predicates[slots]
    kept = np.where(as_it_stands, np.isin(predicates, steps.straight), np.isin(predicates, steps.turned))
    if not steps.checked:
        return kept, False
    open_ = np.flatnonzero(~kept & np.isin(predicates, list(steps.checked)))
    looked_at = open_[:MOST_TYPED]
    ends = graph.entities(np.concatenate([graph.subjects[slots[looked_at]], graph.objects[slots[looked_at]]])).tolist()
    types = {each.id: each.type for each in entity_heads(tx, ends).values()}
    known: dict[tuple[str, str, str], Said] = {}
    for row, subject, object_ in zip(looked_at.tolist(), ends[: len(looked_at)], ends[len(looked_at) :], strict=True):
        asked = steps.checked[int(predicates[row])], types.get(subject, ""), types.get(object_, "")
        if asked not in known:
            known[asked] = says(steps.ontology, *asked)
        kept[row] = (steps.predicate, bool(as_it_stands[row])) in known[asked]
    return kept, len(open_) > len(looked_at)


@dataclass(frozen=True)
class _Level:
    """The nodes first reached after as many slots as there are levels, the surest first, one row each.

    `parents` are rows of the level before. `since` and `until` bound the time in which all slots of the way hold.
    """

    nodes: Slots
    slots: Slots
    lead: Mask
    parents: Slots
    confidences: NDArray[np.float64]
    since: Ids
    until: Ids


def _levels(tx: Reader, graph: Graph, steps: _Steps, start: int, *, outward: bool) -> Iterator[tuple[_Level, bool]]:
    """Each level, and whether it was cut."""
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
    for _ in range(MOST_HOPS if steps.reaches else 1):
        row_of[last.nodes] = np.arange(1, len(last.nodes) + 1)
        slots, lead, cut = _around(tx, graph, steps, np.sort(last.nodes), outward=outward)
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
        cut = cut or len(kept) > MOST_REACHED - total
        kept = kept[: MOST_REACHED - total]
        if not len(kept):
            return
        total += len(kept)
        last = _Level(
            reached[kept], slots[kept], lead[kept], parents[kept], confidences[kept], since[kept], until[kept]
        )
        yield last, cut


def _from_ends(tx: Reader, graph: Graph, steps: _Steps, goal: Goal) -> tuple[list[Derivation], bool]:
    """What follows about the named ends, searched from that side around which there is less."""
    outward = goal.objects is None or (
        goal.subjects is not None
        and _size(tx, graph, steps, goal.subjects, outward=True) <= _size(tx, graph, steps, goal.objects, outward=False)
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
        more, cut_here = _from_start(tx, graph, steps, start, fits, goal.most, outward=outward)
        found += more
        cut = cut or cut_here
    return found, cut


def _size(tx: Reader, graph: Graph, steps: _Steps, nodes: Sequence[int], *, outward: bool) -> int:
    return len(_around(tx, graph, steps, np.unique(np.array(nodes, dtype=np.int64)), outward=outward)[0])


def _from_start(
    tx: Reader, graph: Graph, steps: _Steps, start: int, fits: Mask, most: int, *, outward: bool
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
        shown = rows[: most - len(found)]
        found += [_derivation(levels, row, start, steps.predicate, outward=outward) for row in shown]
        if cut or len(found) >= most:
            return found, cut or len(rows) > len(shown) or left > 0
        if not left:
            break
    return found, False


class _Stored:
    """Triples that are stored as they stand, by a key of each; a derived one is known where one holds as long."""

    def __init__(self, graph: Graph, slots: Slots, keys: NDArray[np.int64]) -> None:
        since, until = graph.valid_from[slots], graph.valid_to[slots]
        # At one moment all that is stored holds just then.
        always = (since < -LONG) & (until > LONG) | (graph.moment is not None)
        self._always = keys[always]
        self._dated: dict[int, list[tuple[int, int]]] = {}
        for key, *span in zip(*(each[~always].tolist() for each in (keys, since, until)), strict=True):
            self._dated.setdefault(key, []).append((span[0], span[1]))

    def have(self, keys: NDArray[np.int64], since: Ids, until: Ids) -> Mask:
        """Of each derived triple, by its key and the time in which it holds, whether it is stored."""
        found = np.isin(keys, self._always)
        if self._dated:
            for row in np.flatnonzero(~found).tolist():
                spans = self._dated.get(int(keys[row]), ())
                found[row] = any(first <= since[row] and until[row] <= last for first, last in spans)
        return found


def _derivation(levels: Sequence[_Level], row: int, start: int, predicate: str, *, outward: bool) -> Derivation:
    """The way to a row of the last level, told from subject to object."""
    end, confidence = int(levels[-1].nodes[row]), float(levels[-1].confidences[row])
    way: list[tuple[int, bool]] = []
    for level in reversed(levels):
        way.append((int(level.slots[row]), bool(level.lead[row]) == outward))
        row = int(level.parents[row])
    if outward:
        way.reverse()
    slots, forward = tuple(slot for slot, _ in way), tuple(each for _, each in way)
    return Derivation(*((start, predicate, end) if outward else (end, predicate, start)), slots, forward, confidence)


def _anywhere(tx: Reader, graph: Graph, steps: _Steps, goal: Goal) -> tuple[list[Derivation], bool]:
    """What single triples say by an inverse or by symmetry, in the order in which they were stored."""
    slots = np.flatnonzero(np.isin(graph.predicates, steps.all))
    slots = slots[graph.holds(slots) & (graph.subjects[slots] != graph.objects[slots])]
    as_said = slots[graph.predicates[slots] == steps.id]
    stored = _Stored(graph, as_said, _pair(graph, graph.subjects[as_said], graph.objects[as_said]))
    found: dict[tuple[int, int], Derivation] = {}
    cut = False
    for as_it_stands in (True, False):
        here = slots[graph.predicates[slots] != steps.id] if as_it_stands else slots
        subjects, objects = (graph.subjects, graph.objects) if as_it_stands else (graph.objects, graph.subjects)
        for nodes, fits in ((subjects, goal.subject_fits), (objects, goal.object_fits)):
            here = here if fits is None else here[fits[nodes[here]]]
        said, cut_here = _saying(tx, graph, steps, here, np.full(len(here), as_it_stands))
        here = here[said]
        pairs = _pair(graph, subjects[here], objects[here])
        here = here[~stored.have(pairs, graph.valid_from[here], graph.valid_to[here])]
        for slot in here[: goal.most + 1].tolist():
            subject, object_ = int(subjects[slot]), int(objects[slot])
            one = Derivation(
                subject, steps.predicate, object_, (slot,), (as_it_stands,), float(graph.confidences[slot])
            )
            found.setdefault((subject, object_), one)
        cut = cut or cut_here or len(here) > goal.most
    return list(found.values()), cut


def _pair(graph: Graph, subjects: Slots, objects: Slots) -> NDArray[np.int64]:
    """One number for each pair of nodes."""
    return subjects * graph.node_count + objects
