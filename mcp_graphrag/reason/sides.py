"""What the graph says for and against one claim at one moment, each triple with the reason why it counts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.graph import Graph, Slots
from mcp_graphrag.model import Triple
from mcp_graphrag.resolve.infer import Goal, entailed, is_transitive, says
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.retrieve.inferred import derived_triples
from mcp_graphrag.retrieve.triples import fetch_triples
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.entities import EntityHead, type_key

SAME_AS = "same_as"
IS_A = "is_a"
MOST_NAMES = 16  # entities that same_as leads to from one
MOST_REASONS = 10
LONG = 2**62  # microseconds: a time beyond any date


@dataclass(frozen=True)
class Reason:
    """A triple that counts, and why: "direct", "inverse of owned_by", "functional: …"."""

    triple: Triple
    why: str


@dataclass(frozen=True)
class Sides:
    """Reasons for and against, the surest of each kind first and at most `MOST_REASONS` of a kind.

    `elsewhen` would support, but at another time.
    """

    supporting: Sequence[Reason] = ()
    contradicting: Sequence[Reason] = ()
    elsewhen: Sequence[Reason] = ()


@dataclass(frozen=True)
class Ground:
    """What claims are held against: the graph with all its times, the moment asked about, and the vocabulary."""

    store: Store
    tx: Reader
    graph: Graph
    moment: datetime
    ontology: Ontology
    ids: Mapping[str, int]


@dataclass(frozen=True)
class Ends:
    """The entities that a claim is about, more than one for homonyms, and what is the same as they."""

    heads: Sequence[EntityHead]
    nodes: Slots

    @property
    def type(self) -> str:
        """The type of the first, "" where unknown or where there is none."""
        return self.heads[0].type if self.heads else ""


@dataclass(frozen=True)
class _Form:
    """One way to say a claim: between its ends, by another predicate or the other way round."""

    subject: Ends
    predicate: str
    object: Ends
    how: str


def ends_of(ground: Ground, heads: Sequence[EntityHead]) -> Ends:
    """The entities with all that same_as leads to from them."""
    nodes = [node for node in (ground.graph.node(head.id) for head in heads) if node is not None]
    found = np.unique(np.array(nodes, dtype=np.int64))
    same = ground.ids.get(SAME_AS)
    fresh = found
    while same is not None and len(fresh) and len(found) <= MOST_NAMES:
        slots, _ = _now(ground).step(fresh, "both", np.array([same]))
        fresh = np.setdiff1d(np.concatenate([ground.graph.subjects[slots], ground.graph.objects[slots]]), found)
        found = np.union1d(found, fresh[:MOST_NAMES])
    return Ends(heads, found)


def sides_of(ground: Ground, subject: Ends, predicate: str, object_: Ends) -> Sides:
    """What speaks for and against subject, predicate, object."""
    forms = list(_forms(ground.ontology, subject, predicate, object_))
    supporting, elsewhen = _said(ground, forms)
    if not supporting and is_transitive(ground.ontology, predicate):
        supporting = _followed(ground, subject, predicate, object_)
    contradicting: list[Reason] = []
    for form in forms:
        contradicting += _others(ground, form)
        contradicting += _opposed(ground, form)
    contradicting += _unfit(ground, subject, predicate, object_)
    return Sides(_once(supporting), _once(contradicting), _once(elsewhen))


def type_sides(ground: Ground, subject: Ends, wanted: str) -> Sides:
    """What speaks for and against the subject being of a type, by the types of its homonyms and of types above."""
    supporting: list[Reason] = []
    contradicting: list[Reason] = []
    for head in subject.heads:
        if not head.type:
            continue
        triple = Triple(0, head.id, head.name, head.type, IS_A, 0, head.type, "", 1.0)
        if type_key(head.type) == type_key(wanted):
            supporting.append(Reason(triple, "its type"))
        elif ground.ontology.is_a(head.type, wanted):
            supporting.append(Reason(triple, f"every {head.type} is a {wanted}"))
        elif ground.ontology.are_disjoint(head.type, wanted):
            contradicting.append(Reason(triple, f"disjoint types: no {head.type} is a {wanted}"))
    return Sides(supporting, contradicting)


def _forms(ontology: Ontology, subject: Ends, predicate: str, object_: Ends) -> Iterator[_Form]:
    """The claim, then whatever other single triples say the same."""
    said = says(ontology, predicate, subject.type, object_.type)
    for name, forward in sorted(said, key=lambda each: (each != (predicate, True), each)):
        how = "direct" if name == predicate and forward else f"{predicate} is symmetric"
        how = how if name == predicate else f"inverse of {name}"
        yield _Form(subject, name, object_, how) if forward else _Form(object_, name, subject, how)


def _said(ground: Ground, forms: Sequence[_Form]) -> tuple[list[Reason], list[Reason]]:
    """The stored triples that say the claim in any form, at the moment and at other times."""
    now: list[Reason] = []
    then: list[Reason] = []
    for form in forms:
        slots = _between(ground, form)
        holding, elsewhen = _in_time(ground, slots)
        now += [Reason(each, _told(form, each)) for each in _triples(ground, holding)]
        then += [Reason(each, _dated(ground, each)) for each in _triples(ground, elsewhen)]
    return now, then


def _told(form: _Form, triple: Triple) -> str:
    named = {each.id for ends in (form.subject, form.object) for each in ends.heads}
    others = [
        name
        for entity_id, name in ((triple.subject_id, triple.subject), (triple.object_id, triple.object))
        if entity_id not in named
    ]
    return f"{form.how}, of what is the same ({', '.join(others)})" if others else form.how


def _followed(ground: Ground, subject: Ends, predicate: str, object_: Ends) -> list[Reason]:
    """The claim as it follows through a transitive predicate, most directly."""
    if not len(subject.nodes) or not len(object_.nodes):
        return []
    now = _now(ground)
    goal = Goal(predicate, subject.nodes.tolist(), object_.nodes.tolist(), most=1)
    found = entailed(ground.tx, now, ground.ontology, ground.ids, goal)
    return [
        Reason(each, f"follows from {len(each.inferred_from)} triples: {_chain(each)}")
        for each in derived_triples(ground.store, ground.tx, now, found.derivations, most_evidence=2)
    ]


def _chain(triple: Triple) -> str:
    return "; ".join(f"{each.subject} -[{each.predicate}]-> {each.object}" for each in triple.inferred_from)


def _others(ground: Ground, form: _Form) -> Iterator[Reason]:
    """Where the form's predicate is functional: the other objects that its subject has."""
    if not ground.ontology.rule(form.predicate).functional or not len(form.subject.nodes):
        return
    kept: list[NDArray[np.int64]] = []
    for name, forward in says(ground.ontology, form.predicate, form.subject.type, form.object.type):
        if name in ground.ids:
            slots, _ = ground.graph.step(form.subject.nodes, "out" if forward else "in", np.array([ground.ids[name]]))
            other = (ground.graph.objects if forward else ground.graph.subjects)[slots]
            kept.append(slots[~np.isin(other, form.object.nodes)])
    holding, _ = _in_time(ground, np.concatenate(kept) if kept else np.empty(0, dtype=np.int64))
    names = {head.id for head in form.subject.heads}
    for each in _triples(ground, holding):
        other = each.object if each.subject_id in names or each.predicate == form.predicate else each.subject
        yield Reason(each, f"functional: {form.predicate} has one object at a time, here {other}")


def _opposed(ground: Ground, form: _Form) -> Iterator[Reason]:
    """What is said between the same ends by a predicate that was declared the opposite."""
    rules = ground.ontology.predicates
    opposites = {*ground.ontology.rule(form.predicate).opposites}
    opposites |= {name for name, rule in rules.items() if form.predicate in rule.opposites}
    for name in sorted(opposites):
        against, _ = _said(ground, list(_forms(ground.ontology, form.subject, name, form.object)))
        for each in against:
            yield Reason(each.triple, f"{name} is the opposite of {form.predicate}")


def _unfit(ground: Ground, subject: Ends, predicate: str, object_: Ends) -> Iterator[Reason]:
    """The types that no signature of the predicate takes."""
    ends = ((subject, "from"), (object_, "to"))
    signatures = ground.ontology.rule(predicate).signatures
    for at, (end, word) in enumerate(ends):
        wanted = [each.range if at else each.domain for each in signatures]
        if end.type and all(each and ground.ontology.are_disjoint(end.type, each) for each in wanted):
            head = end.heads[0]
            triple = Triple(0, head.id, head.name, head.type, IS_A, 0, head.type, "", 1.0)
            expected = " or ".join(dict.fromkeys(each for each in wanted if each))
            yield Reason(triple, f"disjoint types: {predicate} leads {word} a {expected}, which no {end.type} is")


def _between(ground: Ground, form: _Form) -> Slots:
    """The slots of a form, whenever they hold."""
    if form.predicate not in ground.ids or not len(form.subject.nodes) or not len(form.object.nodes):
        return np.empty(0, dtype=np.int64)
    predicate = np.array([ground.ids[form.predicate]])
    outward, _ = ground.graph.step(form.subject.nodes, "out", predicate)
    return outward[np.isin(ground.graph.objects[outward], form.object.nodes)]


def _in_time(ground: Ground, slots: Slots) -> tuple[Slots, Slots]:
    """The slots that hold at the moment, the surest first, and those that do at another time.

    What is said without dates is passed over where the same is said with dates: those are what is known of its time.
    """
    graph = ground.graph
    slots = np.unique(slots)
    pairs = graph.subjects[slots] * graph.node_count + graph.objects[slots]
    dated = (graph.valid_from[slots] > -LONG) | (graph.valid_to[slots] < LONG)
    slots = slots[dated | ~np.isin(pairs, pairs[dated])]
    holds = _now(ground).holds(slots)
    order = np.lexsort((slots, -graph.confidences[slots]))
    slots, holds = slots[order], holds[order]
    return slots[holds][:MOST_REASONS], slots[~holds][:MOST_REASONS]


def _dated(ground: Ground, triple: Triple) -> str:
    if triple.valid_to is not None and triple.valid_to <= ground.moment:
        return f"held until {triple.valid_to:%Y-%m-%d}"
    return f"holds from {triple.valid_from:%Y-%m-%d}" if triple.valid_from else "holds at another time"


def _triples(ground: Ground, slots: Slots) -> list[Triple]:
    ids = ground.graph.triple_ids[slots].tolist()
    found = fetch_triples(ground.store, ground.tx, ids)
    return [found[each] for each in ids]


def _now(ground: Ground) -> Graph:
    return ground.graph.as_of(ground.moment)


def _once(reasons: Sequence[Reason]) -> list[Reason]:
    """Each triple with its first reason."""
    found: dict[tuple[int, int, str, int], Reason] = {}
    for each in reasons:
        triple = each.triple
        found.setdefault((triple.id, triple.subject_id, triple.predicate, triple.object_id), each)
    return list(found.values())
