"""Claims checked against the graph: supported, contradicted or unknown, with the triples for and against.

Open world: what is not stored is not false. A claim about which nothing is known is unknown, and so is its negation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.lookup.find_entities import is_type, link_name
from mcp_graphrag.lookup.query_triples import stored_predicate, unknown_predicate
from mcp_graphrag.ontology.map_predicates import canonical_predicate
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.reason.claim_evidence import (
    IS_A,
    MAX_REASONS,
    ClaimContext,
    ClaimEnd,
    ClaimEvidence,
    Reason,
    gather_evidence,
    resolve_end,
    type_evidence,
)
from mcp_graphrag.reason.parse_statement import Duration
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.conflict_rows import sources_of_triples
from mcp_graphrag.store.rows.triple_rows import predicates

Verdict: TypeAlias = Literal["supported", "contradicted", "unknown"]

CLEAR_MARGIN = 0.3 - 1e-6  # by how much the surer side must be surer, where both have something to say
IS_A_NAMES = frozenset({"is_a", "is_an", "is", "type", "has_type", "is_of_type", "instance_of"})


@dataclass(frozen=True)
class Claim:
    """A claim by names, and the time for which it is claimed. `read_by` says how it was read from a sentence.

    It is claimed for the moment `as_of`. By `duration`, this is that moment (then), some moment up to before `until`
    (within), all the time until now (since), or any time (ever).
    """

    subject: str
    predicate: str
    object: str
    negated: bool = False
    as_of: datetime | None = None
    read_by: str = ""
    until: datetime | None = None
    duration: Duration = "then"

    def in_words(self) -> str:
        """The claim in one line: not A -[depends_on]-> B, at 2024-01-01."""
        denied = ("never " if self.duration == "ever" else "not ") if self.negated else ""
        text = f"{denied}{self.subject} -[{self.predicate}]-> {self.object}"
        if self.as_of is None:
            return text
        if self.duration == "since":
            return f"{text}, since {self.as_of:%Y-%m-%d}"
        last = self.until - timedelta(microseconds=1) if self.until else self.as_of
        if last.date() <= self.as_of.date():
            return f"{text}, at {self.as_of:%Y-%m-%d}"
        return f"{text}, between {self.as_of:%Y-%m-%d} and {last:%Y-%m-%d}"


@dataclass(frozen=True)
class CheckedClaim:
    """The verdict on a claim. `disputed`: there are reasons on both sides, and neither is clearly stronger.

    `other_times` are triples that would support it at another time.
    """

    claim: Claim
    verdict: Verdict
    supporting: Sequence[Reason] = ()
    contradicting: Sequence[Reason] = ()
    other_times: Sequence[Reason] = ()
    disputed: bool = False
    notes: Sequence[str] = ()


def check_claim(snapshot: Snapshot, claim: Claim, *, precedence: Sequence[str] = ()) -> CheckedClaim:
    """The verdict on a claim at a moment: that of `snapshot.when`, or its own, or now.

    `precedence` lists sources, uris or titles of documents, the most trusted first. Aliases, same_as, the type
    hierarchy, inverses, symmetry, transitivity, functional predicates and declared opposites are applied. Raises
    UnknownName for an unknown entity or predicate.
    """
    when = snapshot.when
    today = when.as_of or when.known_at or now()
    began = claim.as_of if claim.duration == "since" and claim.as_of and claim.as_of < today else None
    moment = began or when.as_of or claim.as_of or today
    known = predicates(snapshot.tx)
    context = ClaimContext(snapshot, moment, known)
    claim = _as_stored(known, claim, snapshot.ontology)
    notes: list[str] = []
    evidence = _evidence(context, claim, notes)
    if claim.duration == "ever":
        evidence = ClaimEvidence([*evidence.supporting, *evidence.other_times])
    elif began:
        evidence = _held_throughout(evidence, _evidence(replace(context, moment=today), claim, []))
    elif claim.duration == "within" and when.as_of is None and not evidence.supporting:
        evidence = _held_within(context, claim, evidence)
    premises = [triple for reason in evidence.supporting for triple in reason.premises]
    if claim.as_of and premises and not any(triple.valid_from or triple.valid_to for triple in premises):
        notes.append("The stored triples for it have no dates.")
    return _verdict(context, claim, evidence, precedence, notes)


def _evidence(context: ClaimContext, claim: Claim, notes: list[str]) -> ClaimEvidence:
    """The evidence for and against a claim, without its negation, at the moment of the context."""
    subject = _end(context, claim.subject, notes)
    if claim.predicate == IS_A:
        return _type_evidence(context, subject, claim, notes)
    return gather_evidence(context, subject, claim.predicate, _end(context, claim.object, notes))


def _held_throughout(first: ClaimEvidence, last: ClaimEvidence) -> ClaimEvidence:
    """Evidence for a period from that at its ends: support must hold at both, contradiction at either."""
    whole = bool(first.supporting and last.supporting)
    known = {reason.triple.id for reason in last.contradicting}
    against = [*last.contradicting, *(reason for reason in first.contradicting if reason.triple.id not in known)]
    return ClaimEvidence(
        last.supporting if whole else (), against, () if whole else last.other_times or first.other_times
    )


def _held_within(context: ClaimContext, claim: Claim, evidence: ClaimEvidence) -> ClaimEvidence:
    """The evidence when support began to hold within the period of the claim, or else at its first moment."""
    starts = {reason.triple.valid_from for reason in evidence.other_times} - {None}
    for start in sorted(start for start in starts if start and claim.until and context.moment < start < claim.until):
        then = _evidence(replace(context, moment=start), claim, [])
        if then.supporting:
            return then
    return evidence


def overall(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on several claims: contradicted if one is, supported only if all are."""
    if "contradicted" in verdicts:
        return "contradicted"
    return "supported" if verdicts and set(verdicts) == {"supported"} else "unknown"


def _as_stored(known: Mapping[str, int], claim: Claim, ontology: Ontology) -> Claim:
    """The claim in terms of stored predicates.

    Raises UnknownName for a predicate that neither the file nor the ontology has.
    """
    mapped = stored_predicate({**known, **dict.fromkeys(ontology.predicates, 0)}, claim.predicate, ontology)
    name = IS_A if canonical_predicate(claim.predicate) in IS_A_NAMES else mapped.predicate
    if not name:
        raise BadInput("The claim has no predicate.", "Add one; `describe_graph` lists them.")
    if name not in known and name not in ontology.predicates and name != IS_A:
        raise unknown_predicate(claim.predicate, name, {**known, **ontology.predicates}, first=known)
    if mapped.swap and name != IS_A:
        return replace(claim, subject=claim.object, predicate=name, object=claim.subject)
    return replace(claim, predicate=name)


def _end(context: ClaimContext, name: str, notes: list[str]) -> ClaimEnd:
    """The entities with exactly a name. Raises UnknownName with the nearest names."""
    linked = link_name(context.snapshot, name)
    if len(linked.entities) > 1:
        notes.append(f"{len(linked.entities)} entities have the name {linked.entities[0].name}; all were checked.")
    return resolve_end(context, linked.entities)


def _type_evidence(context: ClaimContext, subject: ClaimEnd, claim: Claim, notes: list[str]) -> ClaimEvidence:
    """The evidence for "X is a Y": from the types of X, and from triples if Y is an entity too."""
    typed = is_type(context.snapshot, claim.object)
    by_type = type_evidence(context, subject, context.ontology.spelling(claim.object)) if typed else ClaimEvidence()
    try:
        stated = gather_evidence(context, subject, IS_A, _end(context, claim.object, []))
    except UnknownName:
        if not typed:
            raise
        stated = ClaimEvidence()
    if typed and not any(head.type for head in subject.heads):
        notes.append(f"The type of {subject.heads[0].name} is unknown.")
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
    if any(len(side) >= MAX_REASONS for side in (supporting, contradicting, other_times)):
        notes = [*notes, f"There may be more: only the {MAX_REASONS} most confident reasons of a kind are listed."]
    return CheckedClaim(
        claim, verdict or "unknown", supporting, contradicting, other_times, disputed=verdict is None, notes=notes
    )


def _stronger_side(
    context: ClaimContext, supporting: Sequence[Reason], contradicting: Sequence[Reason], precedence: Sequence[str]
) -> Verdict | None:
    """The side with the more trusted source, or else the clearly more confident one, or else None."""
    ranks = [_rank(context, side, precedence) for side in (supporting, contradicting)]
    if ranks[0] != ranks[1]:
        return "supported" if ranks[0] < ranks[1] else "contradicted"
    sure = [max(reason.triple.confidence for reason in side) for side in (supporting, contradicting)]
    if abs(sure[0] - sure[1]) < CLEAR_MARGIN:
        return None
    return "supported" if sure[0] > sure[1] else "contradicted"


def _rank(context: ClaimContext, side: Sequence[Reason], precedence: Sequence[str]) -> int:
    """The rank of a side's most trusted reason; an inferred triple is trusted like its least trusted premise."""
    place = {name.lower(): at for at, name in reversed(list(enumerate(precedence)))}
    ids = {triple.id for reason in side for triple in reason.premises if triple.id}
    origins = sources_of_triples(context.snapshot.tx, ids) if place else {}
    ranks = {
        triple_id: min((place[name] for name in names if name in place), default=len(precedence))
        for triple_id, names in origins.items()
    }
    return min(max(ranks.get(triple.id, len(precedence)) for triple in reason.premises) for reason in side)
