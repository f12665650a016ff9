"""The triples for and against one claim at one moment, each with the reason why it counts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.english.dates import Period, date_and_source, whole_date
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.index.triple_graph import Slots, TripleGraph
from mcp_graphrag.lookup.find_entities import Linked, nodes_of, nodes_of_ids
from mcp_graphrag.lookup.inferred_triples import derived_triples
from mcp_graphrag.lookup.query_triples import fetch_triples
from mcp_graphrag.mentions.type_by_shape import is_guess
from mcp_graphrag.model import Ids, Triple
from mcp_graphrag.ontology.infer import Goal, infer
from mcp_graphrag.ontology.map_predicates import denial_of
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.ontology.past_tense import PAST_TENSE
from mcp_graphrag.ontology.readings import (
    equivalent_readings,
    explain_reading,
    follows_from_chains,
    implied_readings,
)
from mcp_graphrag.ontology.stating import same_things
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.conflict_rows import documents_of_triples
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels, type_key

IS_A = "is_a"
MAX_REASONS = 10
MAX_OTHERS = 100  # other objects, or dates, that are compared with that of the claim
# What is in the other is no other place, and who owns the owner no other owner.
WHOLES = ("located_in", "part_of", "owned_by", "acquired_by", "subsidiary_of")


@dataclass(frozen=True)
class Reason:
    """A triple for or against a claim, and why it counts: "direct", "inverse of owned_by", "functional: …"."""

    triple: Triple
    why: str

    @property
    def premises(self) -> Sequence[Triple]:
        """The stored triples that it follows from: itself if it is stored."""
        return self.triple.inferred_from or [self.triple]

    def __str__(self) -> str:
        return f"{self.why}: {_in_words(self.triple)}"


@dataclass(frozen=True)
class ClaimEvidence:
    """Reasons for and against a claim, of each kind the `MAX_REASONS` most confident, in that order.

    `other_times` would support it at another time.
    """

    supporting: Sequence[Reason] = ()
    contradicting: Sequence[Reason] = ()
    other_times: Sequence[Reason] = ()


@dataclass(frozen=True)
class ClaimContext:
    """What a claim is checked against: a snapshot, a moment, and the ids of the stored predicates."""

    snapshot: Snapshot
    moment: datetime
    ids: Mapping[str, int]

    @property
    def graph(self) -> TripleGraph:
        """The triples of all times."""
        return self.snapshot.triple_graph

    @property
    def present(self) -> TripleGraph:
        """The triples that hold at the moment."""
        return self.graph.as_of(self.moment)

    @property
    def ontology(self) -> Ontology:
        """The ontology in force."""
        return self.snapshot.ontology

    def predicate(self, name: str) -> Ids:
        """The id of a predicate in an array of one, -1 if it is not stored."""
        return np.array([self.ids.get(name, -1)])

    def triples(self, slots: Slots) -> list[Triple]:
        """The triples of the slots, in their order."""
        ids = self.graph.triple_ids[slots].tolist()
        found = fetch_triples(self.snapshot, ids)
        return [found[triple_id] for triple_id in ids]


@dataclass(frozen=True)
class ClaimEnd:
    """One end of a claim: the entities with the name, and the nodes of all that are the same.

    `period` is that of an object that is a date, which may be the name of no entity.
    """

    name: str
    heads: Sequence[EntityLabel]
    nodes: Slots
    period: Period | None = None
    is_ambiguous: bool = False

    @property
    def type(self) -> str:
        """The type of the entity, "" if it is unknown or several entities have the name."""
        return self.heads[0].type if len(self.heads) == 1 else ""


@dataclass(frozen=True)
class _Formulation:
    """A triple that states a claim or follows from it, and how."""

    subject: ClaimEnd
    predicate: str
    object: ClaimEnd
    how: str


def resolve_end(context: ClaimContext, name: str, linked: Linked) -> ClaimEnd:
    """The entities with a name, with all that are the same as they, by same_as."""
    nodes = np.unique(np.array(nodes_of(context.graph, linked.entities), dtype=np.int64))
    same = same_things(context.present, context.ontology, context.ids)
    return ClaimEnd(name, linked.entities, same.with_same(nodes), is_ambiguous=linked.is_ambiguous)


def gather_evidence(context: ClaimContext, subject: ClaimEnd, predicate: str, object_: ClaimEnd) -> ClaimEvidence:
    """The evidence for and against a triple.

    Nothing is held against a name of several entities: it may be about the other one.
    """
    supporting: list[Reason] = []
    contradicting: list[Reason] = []
    other_times: list[Reason] = []
    for formulation in _formulations(context.ontology, subject, predicate, object_):
        holding, then = _stored_evidence(context, formulation)
        supporting += holding
        other_times += then
    for formulation in _implied(context.ontology, subject, predicate, object_):
        contradicting += _functional_conflicts(context, formulation)
        contradicting += _opposite_conflicts(context, formulation)
    if not supporting and follows_from_chains(context.ontology, predicate):
        supporting += _transitive_evidence(context, subject, predicate, object_)
    contradicting += _type_conflicts(context, subject, predicate, object_)
    if subject.is_ambiguous or object_.is_ambiguous:
        contradicting = []
    return ClaimEvidence(_distinct(supporting), _distinct(contradicting), _distinct(other_times))


def type_evidence(context: ClaimContext, subject: ClaimEnd, wanted: str) -> ClaimEvidence:
    """The evidence for and against the subject being of a type, by its stored type and the type hierarchy.

    A type that only a word of the name suggests is none.
    """
    supporting: list[Reason] = []
    contradicting: list[Reason] = []
    for head in subject.heads:
        if not head.type or is_guess(head.name, head.type):
            continue
        triple = _type_triple(head)
        if type_key(head.type) == type_key(wanted):
            supporting.append(Reason(triple, "its type"))
        elif context.ontology.is_a(head.type, wanted):
            supporting.append(Reason(triple, f"every {head.type} is a {wanted}"))
        elif context.ontology.are_disjoint(head.type, wanted):
            contradicting.append(Reason(triple, f"disjoint types: no {head.type} is a {wanted}"))
    return ClaimEvidence(supporting, contradicting)


def _type_triple(head: EntityLabel) -> Triple:
    return Triple(0, head.id, head.name, head.type, IS_A, 0, head.type, "", 1.0)


def _formulations(ontology: Ontology, subject: ClaimEnd, predicate: str, object_: ClaimEnd) -> Iterator[_Formulation]:
    """The claim itself, then the other single triples that state it."""
    readings = equivalent_readings(ontology, predicate, subject.type, object_.type)
    for name, forward in sorted(readings, key=lambda reading: (reading != (predicate, True), reading)):
        ends = (subject.type, object_.type) if forward else (object_.type, subject.type)
        how = explain_reading(ontology, name, [(predicate, forward)], *ends) or "direct"
        yield _Formulation(subject, name, object_, how) if forward else _Formulation(object_, name, subject, how)


def _implied(ontology: Ontology, subject: ClaimEnd, predicate: str, object_: ClaimEnd) -> Iterator[_Formulation]:
    """The claim itself and what it implies; what contradicts one of these contradicts the claim."""
    for name, forward in sorted(implied_readings(ontology, predicate, subject.type, object_.type)):
        ends = (subject, object_) if forward else (object_, subject)
        yield _Formulation(ends[0], name, ends[1], "")


def _stored_evidence(context: ClaimContext, formulation: _Formulation) -> tuple[list[Reason], list[Reason]]:
    """The stored triples that state a formulation, at the moment and at other times."""
    graph, subject, object_ = context.graph, formulation.subject, formulation.object
    predicate = context.predicate(formulation.predicate)
    if len(subject.nodes):
        slots, _ = graph.step(subject.nodes, "out", predicate)
        there, said = graph.objects[slots], object_
    else:
        slots, _ = graph.step(object_.nodes, "in", predicate)
        there, said = graph.subjects[slots], subject
    same = np.isin(there, said.nodes)
    if said.period is not None:
        same |= _are_within(context, there, said.period)
    holding, other_times = _split_by_time(context, slots[same])
    now = [Reason(triple, _direct_reason(formulation, triple)) for triple in context.triples(holding)]
    then = [Reason(triple, _period_reason(context, triple)) for triple in context.triples(other_times)]
    return now, then


def _are_within(context: ClaimContext, nodes: Slots, said: Period) -> NDArray[np.bool_]:
    """Which of the first `MAX_OTHERS` nodes are dates within that said: 14 May 1961 is in 1961, not the reverse."""
    ids = context.graph.entities(nodes).tolist()
    names = entity_labels(context.snapshot.tx, set(ids[:MAX_OTHERS]))
    dates = [whole_date(names[each].name) if each in names else None for each in ids]
    return np.array([date is not None and said[0] <= date[0] and date[1] <= said[1] for date in dates], dtype=np.bool_)


def _direct_reason(formulation: _Formulation, triple: Triple) -> str:
    named = {head.id for ends in (formulation.subject, formulation.object) for head in ends.heads}
    ends = ((triple.subject_id, triple.subject), (triple.object_id, triple.object))
    dated = formulation.subject.period or formulation.object.period
    others = [name for entity_id, name in ends if entity_id not in named and not (dated and whole_date(name))]
    return f"{formulation.how}, by same_as ({', '.join(others)})" if others else formulation.how


def _transitive_evidence(context: ClaimContext, subject: ClaimEnd, predicate: str, object_: ClaimEnd) -> list[Reason]:
    """The shortest derivation of the claim by a transitive predicate."""
    goal = Goal(predicate, subject.nodes.tolist(), object_.nodes.tolist(), limit=1)
    found = infer(context.snapshot.tx, context.present, context.ontology, context.ids, goal)
    return [
        Reason(triple, f"follows from {len(triple.inferred_from)} triples: {_in_words(*triple.inferred_from)}")
        for triple in derived_triples(context.snapshot, context.present, found.derivations, max_evidence=2)
    ]


def _in_words(*triples: Triple) -> str:
    return "; ".join(f"{triple.subject} -[{triple.predicate}]-> {triple.object}" for triple in triples)


def _functional_conflicts(context: ClaimContext, formulation: _Formulation) -> Iterator[Reason]:
    """The other objects of the subject, if the predicate is functional."""
    subject, predicate, object_ = formulation.subject, formulation.predicate, formulation.object
    if not context.ontology.rule(predicate).functional or not len(subject.nodes):
        return
    nodes = set(context.graph.entities(subject.nodes).tolist())
    for triple in triples_with_other(context, subject, predicate, object_):
        forward = triple.subject_id in nodes
        other_id, other = (triple.object_id, triple.object) if forward else (triple.subject_id, triple.subject)
        other_type = triple.object_type if forward else triple.subject_type
        if _is_other_kind(context.ontology, other_type, object_.type):
            continue  # a company of somebody may be one of a place too
        if not _may_be_same(context, other_id, other, object_):
            yield Reason(triple, f"functional: {predicate} has one object at a time, here {other}")


def triples_with_other(
    context: ClaimContext, subject: ClaimEnd, predicate: str, object_: ClaimEnd, *, limit: int = MAX_REASONS
) -> list[Triple]:
    """The triples that hold with another object for the subject, the most confident first."""
    found: list[Slots] = []
    for name, forward in equivalent_readings(context.ontology, predicate, subject.type, object_.type):
        slots, _ = context.graph.step(subject.nodes, "out" if forward else "in", context.predicate(name))
        there = (context.graph.objects if forward else context.graph.subjects)[slots]
        found.append(slots[~np.isin(there, object_.nodes)])
    holding, _ = _split_by_time(context, np.concatenate(found), limit)
    return context.triples(holding)


def document_days(snapshot: Snapshot, triples: Iterable[Triple], *, by_file: bool = False) -> dict[int, datetime]:
    """The latest day that the documents which state a triple give, by its id; without those that have none.

    With `by_file` that of its file dates a document that gives none.
    """
    documents = documents_of_triples(snapshot.tx, snapshot.evidence_ids({triple.id for triple in triples if triple.id}))
    dated = {
        id_: [day for each in found if (day := date_and_source(each.metadata, each.file_time if by_file else None)[0])]
        for id_, found in documents.items()
    }
    return {id_: max(days) for id_, days in dated.items() if days}


def _is_other_kind(ontology: Ontology, type_: str, other: str) -> bool:
    """Whether two types are known and neither is one of the other, so that entities of them exclude nothing."""
    if not type_ or not other or type_key(type_) == type_key(other):
        return False
    return not (ontology.is_a(type_, other) or ontology.is_a(other, type_))


def _may_be_same(context: ClaimContext, other_id: int, other: str, end: ClaimEnd) -> bool:
    """Whether another object may be that of the claim: by a longer name, as a place in it, or as a less exact date."""
    date = whole_date(other)
    if end.period is not None:
        return date is None or (date[0] < end.period[1] and end.period[0] < date[1])
    if date is not None:
        return True
    words, said = (set(normal_form(name).split()) for name in (other, end.name))
    if words <= said or said <= words:
        return True
    others, ends = nodes_of_ids(context.graph, [other_id]), end.nodes.tolist()
    return any(
        infer(
            context.snapshot.tx, context.graph, context.ontology, context.ids, Goal(name, subjects, objects, limit=1)
        ).derivations
        or _is_stored(context, subjects, name, objects)
        for name in WHOLES
        for subjects, objects in ((others, ends), (ends, others))
    )


def _is_stored(context: ClaimContext, subjects: Sequence[int], predicate: str, objects: Sequence[int]) -> bool:
    slots, _ = context.graph.step(np.array(sorted(subjects), dtype=np.int64), "out", context.predicate(predicate))
    return bool(np.isin(context.graph.objects[slots], objects).any())


def _opposite_conflicts(context: ClaimContext, formulation: _Formulation) -> Iterator[Reason]:
    """The triples between the same ends with a predicate that is declared the opposite, or that deny this one."""
    rules = context.ontology.predicates
    opposites = {*context.ontology.rule(formulation.predicate).opposites}
    opposites |= {name for name, rule in rules.items() if formulation.predicate in rule.opposites}
    for name in sorted(opposites):
        for opposite in _formulations(context.ontology, formulation.subject, name, formulation.object):
            for reason in _stored_evidence(context, opposite)[0]:
                yield Reason(reason.triple, f"{name} is the opposite of {formulation.predicate}")
    denied = replace(formulation, predicate=denial_of(formulation.predicate))
    yield from (replace(reason, why="denied") for reason in _stored_evidence(context, denied)[0])


def _type_conflicts(context: ClaimContext, subject: ClaimEnd, predicate: str, object_: ClaimEnd) -> Iterator[Reason]:
    """The types that no signature of the predicate allows."""
    ends = ((subject, "from"), (object_, "to"))
    signatures = context.ontology.rule(predicate).signatures
    for at, (end, word) in enumerate(ends):
        wanted = [signature.range if at else signature.domain for signature in signatures]
        is_read = end.type and not is_guess(end.heads[0].name, end.type)
        if is_read and all(type_ and context.ontology.are_disjoint(end.type, type_) for type_ in wanted):
            expected = " or ".join(dict.fromkeys(type_ for type_ in wanted if type_))
            yield Reason(
                _type_triple(end.heads[0]),
                f"disjoint types: {predicate} leads {word} a {expected}, which no {end.type} is",
            )


def _split_by_time(context: ClaimContext, slots: Slots, limit: int = MAX_REASONS) -> tuple[Slots, Slots]:
    """The slots that hold at the moment, the most confident first, and those that hold at another time.

    A triple without dates is ignored if the same triple is stored with dates.
    """
    graph = context.graph
    slots = np.unique(slots)
    pairs = graph.subjects[slots] * graph.node_count + graph.objects[slots]
    dated = graph.has_dates(slots)
    slots = slots[dated | ~np.isin(pairs, pairs[dated])]
    holds = context.present.holds(slots)
    order = np.lexsort((slots, -graph.confidences[slots]))
    slots, holds = slots[order], holds[order]
    return slots[holds][:limit], slots[~holds][:limit]


def _period_reason(context: ClaimContext, triple: Triple) -> str:
    if triple.is_over:
        return PAST_TENSE
    if triple.valid_to is not None and triple.valid_to <= context.moment:
        return f"held until {triple.valid_to:%Y-%m-%d}"
    return f"holds from {triple.valid_from:%Y-%m-%d}" if triple.valid_from else "holds at another time"


def _distinct(reasons: Sequence[Reason]) -> list[Reason]:
    """Each triple with its first reason."""
    found: dict[tuple[int, int, str, int], Reason] = {}
    for reason in reasons:
        triple = reason.triple
        found.setdefault((triple.id, triple.subject_id, triple.predicate, triple.object_id), reason)
    return list(found.values())
