"""Claims checked against the graph: supported, contradicted or unknown, with the triples for and against.

Only triples judge. Open world: what is not stored is not false. A claim about which nothing is known is unknown, and so
is its negation. Where triples speak on both sides, the claim is disputed, unless one side has the more trusted source.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

import numpy as np

from mcp_graphrag.english.dates import whole_date
from mcp_graphrag.english.values import are_equal
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.lookup.find_entities import is_type, link_name
from mcp_graphrag.lookup.query_triples import stored_predicate, unknown_predicate
from mcp_graphrag.model import Triple
from mcp_graphrag.ontology.map_predicates import canonical_predicate
from mcp_graphrag.ontology.readings import implied_readings
from mcp_graphrag.reason.claim_evidence import (
    IS_A,
    MAX_OTHERS,
    MAX_REASONS,
    ClaimContext,
    ClaimEnd,
    ClaimEvidence,
    Reason,
    document_days,
    gather_evidence,
    resolve_end,
    triples_with_other,
    type_evidence,
)
from mcp_graphrag.reason.claim_time import THEN, ClaimTime
from mcp_graphrag.reason.relation_words import is_known
from mcp_graphrag.reason.timed_evidence import evidence_for_time, is_undated
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.conflict_rows import sources_of_triples
from mcp_graphrag.store.rows.triple_rows import predicates
from mcp_graphrag.store.rows.value_rows import ValuePattern, match_values

Verdict: TypeAlias = Literal["supported", "contradicted", "unknown"]

MAX_STORED_OTHERS = 3
IS_A_NAMES = frozenset({"is_a", "is_an", "is", "type", "has_type", "is_of_type", "instance_of"})


@dataclass(frozen=True)
class Claim:
    """A claim by names, and the time for which it is claimed, by default the moment of the snapshot.

    The object may be a date, which is compared as a date, at the precision said.
    """

    subject: str
    predicate: str
    object: str
    negated: bool = False
    time: ClaimTime = THEN

    def in_words(self) -> str:
        """The claim in one line: not A -[depends_on]-> B, within 2024-01-01 to 2024-12-31."""
        denied = ("never " if self.time.duration == "ever" else "not ") if self.negated else ""
        return f"{denied}{self.subject} -[{self.predicate}]-> {self.object}{self.time}"


@dataclass(frozen=True)
class CheckedClaim:
    """The verdict on a claim. `disputed`: there are reasons on both sides, and neither is clearly stronger.

    `other_times` are triples that would support it at another time, `others` a few of its subject with another object:
    where no triple decides, and of later documents beside what supports it.
    """

    claim: Claim
    verdict: Verdict
    supporting: Sequence[Reason] = ()
    contradicting: Sequence[Reason] = ()
    other_times: Sequence[Reason] = ()
    others: Sequence[Reason] = ()
    disputed: bool = False
    notes: Sequence[str] = ()


def check_claim(snapshot: Snapshot, claim: Claim, *, precedence: Sequence[str] = ()) -> CheckedClaim:
    """The verdict on a claim at a moment: that of `snapshot.when`, or now.

    `precedence` lists sources, uris or titles of documents, the most trusted first. Aliases, same_as, the type
    hierarchy, inverses, narrower predicates, symmetry, transitivity, functional predicates and declared opposites are
    applied. Names match exactly: the verdict on a claim about an unknown one is unknown, and a note has the nearest.
    Raises BadInput for a claim without a predicate.
    """
    today = snapshot.when.as_of or snapshot.when.known_at or now()
    known = predicates(snapshot.tx)
    notes: list[str] = []
    context = ClaimContext(snapshot, today, known)
    try:
        claim = _as_stored(snapshot, known, claim)
        subject = _end(context, claim.subject, notes)
    except UnknownName as unknown:
        return CheckedClaim(claim, "unknown", notes=[f"{unknown.fact} {unknown.hint}".strip()])
    said, others = _stated(context, subject, claim)
    try:
        object_ = None if claim.predicate == IS_A else _object(context, claim, notes)
    except UnknownName as unknown:
        if said:
            return replace(_verdict(context, claim, ClaimEvidence(said), precedence, notes), others=others)
        nothing = ClaimEnd(claim.object, [], np.empty(0, dtype=np.int64))
        others = [*_others(context, subject, claim.predicate, nothing), *others]
        return CheckedClaim(claim, "unknown", others=others, notes=[f"{unknown.fact} {unknown.hint}".strip()])

    def evidence_at(moment: datetime) -> ClaimEvidence:
        then = replace(context, moment=moment)
        if object_ is None:
            return _type_evidence(then, subject, claim, notes if moment == today else [])
        return gather_evidence(then, subject, claim.predicate, object_)

    evidence = evidence_for_time(evidence_at, claim.time, today, negated=claim.negated)
    evidence = replace(evidence, supporting=[*evidence.supporting, *said])
    if (claim.time.said or claim.time.ended) and any(is_undated(reason) for reason in evidence.other_times):
        notes.append("It is stored without dates.")
    checked = replace(_verdict(context, claim, evidence, precedence, notes), others=others)
    if object_ is None or checked.disputed or checked.verdict == "contradicted":
        return checked
    days = document_days(snapshot, [each for reason in checked.supporting for each in reason.premises])
    since = max(days.values(), default=None)
    if checked.supporting and since is None:
        return checked
    return replace(checked, others=[*_others(context, subject, claim.predicate, object_, since), *others])


def _stated(context: ClaimContext, subject: ClaimEnd, claim: Claim) -> tuple[list[Reason], list[Reason]]:
    """The values that state a claim of no other time, and the first that state another one."""
    if claim.predicate not in context.ids:
        return [], []
    sure = context.snapshot.min_confidence
    pattern = ValuePattern([head.id for head in subject.heads], [context.ids[claim.predicate]], min_confidence=sure)
    found = match_values(context.snapshot.tx, pattern, after=0, limit=MAX_OTHERS)
    equal = [each for each in found if are_equal(each.object, claim.object)]
    others = [Reason(each, "stored instead") for each in found if each not in equal][:MAX_STORED_OTHERS]
    if claim.time != THEN:
        return [], [*(Reason(each, "stored without a date") for each in equal[:1]), *others]
    return [Reason(each, "stated") for each in equal[:MAX_REASONS]], others


def _others(
    context: ClaimContext, subject: ClaimEnd, predicate: str, object_: ClaimEnd, since: datetime | None = None
) -> list[Reason]:
    """What is stored with another object; with `since`, in later documents, the latest first."""
    found = triples_with_other(context, subject, predicate, object_, limit=MAX_OTHERS if since else MAX_STORED_OTHERS)
    if since is None:
        return [Reason(triple, "stored instead") for triple in found]
    days = {id_: day for id_, day in document_days(context.snapshot, found).items() if day > since}
    later = sorted((triple for triple in found if triple.id in days), key=lambda one: days[one.id], reverse=True)
    return [Reason(triple, f"stored of {days[triple.id]:%Y-%m-%d}") for triple in later[:MAX_STORED_OTHERS]]


def disputes(snapshot: Snapshot, triples: Iterable[Triple], *, precedence: Sequence[str] = ()) -> dict[int, str]:
    """Of stored triples of functional predicates those that others dispute: by id, with what is disputed."""
    found: dict[int, str] = {}
    for triple in triples:
        readings = implied_readings(snapshot.ontology, triple.predicate, triple.subject_type, triple.object_type)
        is_functional = any(snapshot.ontology.rule(name).functional for name, _ in readings)
        if not is_functional or triple.id in found:
            continue
        checked = check_claim(snapshot, Claim(triple.subject, triple.predicate, triple.object), precedence=precedence)
        if checked.disputed:
            others = [one.triple for one in checked.contradicting[:1]]
            against = "".join(f", but {one.subject} -[{one.predicate}]-> {one.object}" for one in others)
            found[triple.id] = f"{triple.subject} -[{triple.predicate}]-> {triple.object}{against}. {checked.notes[-1]}"
    return found


def overall(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on several claims: contradicted if one is, supported only if all are."""
    if "contradicted" in verdicts:
        return "contradicted"
    return "supported" if verdicts and set(verdicts) == {"supported"} else "unknown"


def _as_stored(snapshot: Snapshot, known: Mapping[str, int], claim: Claim) -> Claim:
    """The claim in terms of stored predicates.

    Raises UnknownName for a predicate that neither the file nor the ontology has.
    """
    ontology = snapshot.ontology
    mapped = stored_predicate({**known, **dict.fromkeys(ontology.predicates, 0)}, claim.predicate, ontology)
    name = IS_A if canonical_predicate(claim.predicate) in IS_A_NAMES else mapped.predicate
    if not name:
        raise BadInput("The claim has no predicate.", "Add one; `brief` lists them.")
    if name != IS_A and not is_known(name, known, ontology):
        raise unknown_predicate(snapshot, claim.predicate, name, {**known, **ontology.predicates}, first=known)
    if mapped.swap and name != IS_A:
        return replace(claim, subject=claim.object, predicate=name, object=claim.subject)
    return replace(claim, predicate=name)


def _object(context: ClaimContext, claim: Claim, notes: list[str]) -> ClaimEnd:
    """The object of a claim; where the predicate may have dates, also a date that is the name of nothing."""
    rule = context.ontology.rule(claim.predicate)
    ranges = {signature.range for signature in rule.signatures}
    period = None if rule.dependency or ranges - {None, "Date"} else whole_date(claim.object)
    try:
        return replace(_end(context, claim.object, notes), period=period)
    except UnknownName:
        if period is None:
            raise
        return ClaimEnd(claim.object, [], np.empty(0, dtype=np.int64), period)


def _end(context: ClaimContext, name: str, notes: list[str]) -> ClaimEnd:
    """The entities with exactly a name. Raises UnknownName with the nearest names."""
    linked = link_name(context.snapshot, name)
    if linked.is_ambiguous:
        notes.append(f"{len(linked.entities)} entities have the name {linked.entities[0].name}; all were checked.")
    return resolve_end(context, name, linked)


def _type_evidence(context: ClaimContext, subject: ClaimEnd, claim: Claim, notes: list[str]) -> ClaimEvidence:
    """The evidence for "X is a Y": from the types of X, and from triples if Y is an entity too."""
    typed = is_type(context.snapshot, claim.object)
    by_type = type_evidence(context, subject, context.ontology.spelling(claim.object)) if typed else ClaimEvidence()
    try:
        stated = gather_evidence(context, subject, IS_A, _end(context, claim.object, []))
    except UnknownName as unknown:
        stated = ClaimEvidence()
        if not typed:
            notes.append(f"{unknown.fact} {unknown.hint}".strip())
    if typed and not any(head.type for head in subject.heads):
        notes.append(f"The type of {subject.name} is unknown.")
    return ClaimEvidence(
        [*by_type.supporting, *stated.supporting],
        [*by_type.contradicting, *stated.contradicting],
        [*by_type.other_times, *stated.other_times],
    )


def _verdict(
    context: ClaimContext, claim: Claim, evidence: ClaimEvidence, precedence: Sequence[str], notes: Sequence[str]
) -> CheckedClaim:
    supporting, contradicting, other_times = evidence.supporting, evidence.contradicting, evidence.other_times
    if claim.negated:
        supporting, contradicting = contradicting, supporting
    verdict: Verdict | None = "supported" if supporting else "contradicted" if contradicting else "unknown"
    if supporting and contradicting:
        verdict = _stronger_side(context, supporting, contradicting, precedence)
    if verdict is None:
        sides = [_latest(context, side) for side in (supporting, contradicting)]
        notes = [*notes, f"Disputed: the latest for it is of {sides[0]}, the latest against it of {sides[1]}."]
    if any(len(side) >= MAX_REASONS for side in (supporting, contradicting, other_times)):
        notes = [*notes, f"There may be more: only the {MAX_REASONS} most confident reasons of a kind are listed."]
    return CheckedClaim(
        claim, verdict or "unknown", supporting, contradicting, other_times, disputed=verdict is None, notes=notes
    )


def _stronger_side(
    context: ClaimContext, supporting: Sequence[Reason], contradicting: Sequence[Reason], precedence: Sequence[str]
) -> Verdict | None:
    """The side with the more trusted source, None if there is none."""
    ranks = [_rank(context, side, precedence) for side in (supporting, contradicting)]
    return None if ranks[0] == ranks[1] else "supported" if ranks[0] < ranks[1] else "contradicted"


def _latest(context: ClaimContext, side: Sequence[Reason]) -> str:
    """The day of the latest triple of a side: from when it is valid, or else the date of its document or record."""
    premises = [triple for reason in side for triple in reason.premises]
    dated = document_days(context.snapshot, premises)
    days = [one.valid_from or dated.get(one.id) or one.recorded_at or context.moment for one in premises]
    return f"{max(days):%Y-%m-%d}"


def _rank(context: ClaimContext, side: Sequence[Reason], precedence: Sequence[str]) -> int:
    """The rank of a side's most trusted reason; an inferred triple is trusted like its least trusted premise."""
    place = {name.lower(): at for at, name in reversed(list(enumerate(precedence)))}
    ids = {triple.id for reason in side for triple in reason.premises if triple.id}
    origins = sources_of_triples(context.snapshot.tx, context.snapshot.evidence_ids(ids)) if place else {}
    ranks = {
        triple_id: min((place[name] for name in names if name in place), default=len(precedence))
        for triple_id, names in origins.items()
    }
    return min(max(ranks.get(triple.id, len(precedence)) for triple in reason.premises) for reason in side)
