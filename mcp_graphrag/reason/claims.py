"""Claims held against the graph: supported, contradicted or unknown, with the triples for and against.

What is not stored is not taken for false: a claim of which nothing is known is unknown, and so is its denial.
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeAlias

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.index.resident import graph
from mcp_graphrag.model import NOW, When
from mcp_graphrag.reason.sides import (
    IS_A,
    MOST_REASONS,
    Ends,
    Ground,
    Reason,
    Sides,
    ends_of,
    sides_of,
    type_sides,
)
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.resolve.vocabulary import canonical_predicate
from mcp_graphrag.resolve.vocabulary_files import default_ontology
from mcp_graphrag.retrieve.entities import link_name
from mcp_graphrag.retrieve.triples import stored_predicate
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.conflicts import origins_of
from mcp_graphrag.store.entities import entity_types, type_key
from mcp_graphrag.store.transaction import now
from mcp_graphrag.store.triples import predicates

Verdict: TypeAlias = Literal["supported", "contradicted", "unknown"]

CLEARLY = 0.3 - 1e-6  # by how much the surer side must be surer, where both have something to say
IS_A_NAMES = frozenset({"is_a", "is_an", "is", "type", "has_type", "is_of_type", "instance_of"})


@dataclass(frozen=True)
class Claim:
    """What is claimed, by name, and when it is claimed to hold. `read_by` says how it was read from a sentence."""

    subject: str
    predicate: str
    object: str
    negated: bool = False
    as_of: datetime | None = None
    sentence: str = ""
    read_by: str = ""

    def in_words(self) -> str:
        """The claim in one line: not A -[depends_on]-> B, at 2024-01-01."""
        told = f"{'not ' if self.negated else ''}{self.subject} -[{self.predicate}]-> {self.object}"
        return f"{told}, at {self.as_of:%Y-%m-%d}" if self.as_of else told


@dataclass(frozen=True)
class Checked:
    """The verdict on a claim. `disputed`: there are reasons on both sides, and none is clearly the better.

    `elsewhen` are triples that would support it at another time.
    """

    claim: Claim
    verdict: Verdict
    supporting: Sequence[Reason] = ()
    contradicting: Sequence[Reason] = ()
    elsewhen: Sequence[Reason] = ()
    disputed: bool = False
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Standards:
    """By what claims are judged: the vocabulary, and sources, uris or titles of documents, the most trusted first."""

    ontology: Ontology = field(default_factory=default_ontology)
    precedence: Sequence[str] = ()


def check_claim(
    store: Store, embedder: Embedder, claim: Claim, standards: Standards | None = None, when: When = NOW
) -> Checked:
    """The verdict on a claim at a moment: that of `when`, else its own, else now.

    Through aliases and same_as, types and their hierarchy, inverses, symmetry, transitivity, functional predicates and
    declared opposites. Raises UnknownName for an entity or predicate that nothing is known of.
    """
    with store.reading(known_at=when.known_at) as tx:
        return check_in(store, tx, embedder, claim, standards or Standards(), when)


def check_in(
    store: Store, tx: Reader, embedder: Embedder, claim: Claim, standards: Standards, when: When = NOW
) -> Checked:
    """The same within a snapshot that was opened with the `known_at` asked for."""
    moment = when.as_of or claim.as_of or when.known_at or now()
    known = predicates(tx)
    ground = Ground(store, tx, graph(store, tx), moment, standards.ontology, known)
    claim = _as_stored(known, claim, standards.ontology)
    notes: list[str] = []
    subject = _ends(ground, embedder, claim.subject, notes)
    if claim.predicate == IS_A:
        sides = _type_and_said(ground, embedder, subject, claim, notes)
    else:
        sides = sides_of(ground, subject, claim.predicate, _ends(ground, embedder, claim.object, notes))
    return _judged(ground, claim, sides, standards.precedence, notes)


def overall(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on several claims together: contradicted if any is, supported only if all are."""
    if "contradicted" in verdicts:
        return "contradicted"
    return "supported" if verdicts and set(verdicts) == {"supported"} else "unknown"


def _as_stored(known: Mapping[str, int], claim: Claim, ontology: Ontology) -> Claim:
    """The claim in the words in which triples are stored.

    Raises UnknownName for a predicate that neither the file nor the ontology has.
    """
    mapped = stored_predicate({**known, **dict.fromkeys(ontology.predicates, 0)}, claim.predicate, ontology)
    name = IS_A if canonical_predicate(claim.predicate) in IS_A_NAMES else mapped.predicate
    if not name:
        raise BadInput("The claim has no predicate.", "Name one; describe_graph lists them.")
    if name not in known and name not in ontology.predicates and name != IS_A:
        near = difflib.get_close_matches(name, {**known, **ontology.predicates}, n=5, cutoff=0.4) or sorted(known)[:5]
        raise UnknownName("predicate", claim.predicate, near, "describe_graph lists the predicates.")
    if mapped.swap and name != IS_A:
        return replace(claim, subject=claim.object, predicate=name, object=claim.subject)
    return replace(claim, predicate=name)


def _ends(ground: Ground, embedder: Embedder, name: str, notes: list[str]) -> Ends:
    """What a name stands for, by spelling: a name that only means something alike is another thing."""
    try:
        linked = link_name(ground.store, ground.tx, name)
    except UnknownName as unknown:
        linked = link_name(ground.store, ground.tx, name, embedder=embedder)
        if linked.how != "fuzzy":
            raise unknown from None
        notes.append(f"'{name}' was taken for {linked.entities[0].name}.")
    if len(linked.entities) > 1:
        notes.append(f"{len(linked.entities)} entities are called {linked.entities[0].name}; all are meant.")
    return ends_of(ground, linked.entities)


def _type_and_said(ground: Ground, embedder: Embedder, subject: Ends, claim: Claim, notes: list[str]) -> Sides:
    """Of "X is a Y": by the types of X, and by triples where Y is an entity too."""
    key = type_key(claim.object)
    is_type = key in ground.ontology.types or key in {type_key(each) for each in entity_types(ground.tx) if each}
    by_type = type_sides(ground, subject, ground.ontology.spelling(claim.object)) if is_type else Sides()
    try:
        said = sides_of(ground, subject, IS_A, _ends(ground, embedder, claim.object, []))
    except UnknownName:
        if not is_type:
            raise
        said = Sides()
    if is_type and not any(head.type for head in subject.heads):
        notes.append(f"The type of {subject.heads[0].name} is not known.")
    return Sides(
        [*by_type.supporting, *said.supporting],
        [*by_type.contradicting, *said.contradicting],
        [*by_type.elsewhen, *said.elsewhen],
    )


def _judged(ground: Ground, claim: Claim, sides: Sides, precedence: Sequence[str], notes: Sequence[str]) -> Checked:
    supporting, contradicting = sides.supporting, sides.contradicting
    if claim.negated:
        supporting, contradicting = contradicting, supporting
    verdict: Verdict = "unknown"
    disputed = False
    if supporting and contradicting:
        better = _better(ground, supporting, contradicting, precedence)
        disputed = better is None
        verdict = "unknown" if better is None else better
    elif supporting or contradicting:
        verdict = "supported" if supporting else "contradicted"
    many = any(len(side) >= MOST_REASONS for side in (supporting, contradicting, sides.elsewhen))
    told = [*notes, *([f"There may be more: the surest {MOST_REASONS} reasons of a kind are told."] if many else [])]
    return Checked(claim, verdict, supporting, contradicting, sides.elsewhen, disputed, told)


def _better(
    ground: Ground, supporting: Sequence[Reason], contradicting: Sequence[Reason], precedence: Sequence[str]
) -> Verdict | None:
    """The side whose best source is trusted more, else the clearly surer one, else none."""
    ranks = [_rank(ground, side, precedence) for side in (supporting, contradicting)]
    if ranks[0] != ranks[1]:
        return "supported" if ranks[0] < ranks[1] else "contradicted"
    sure = [max(each.triple.confidence for each in side) for side in (supporting, contradicting)]
    if abs(sure[0] - sure[1]) < CLEARLY:
        return None
    return "supported" if sure[0] > sure[1] else "contradicted"


def _rank(ground: Ground, side: Sequence[Reason], precedence: Sequence[str]) -> int:
    """The place of a side's best reason in the order of trust; what was inferred is trusted as its weakest premise."""
    place = {name.lower(): at for at, name in reversed(list(enumerate(precedence)))}
    premises = [each.triple.inferred_from or [each.triple] for each in side]
    ids = {triple.id for each in premises for triple in each if triple.id}
    if not place or not ids:
        return len(precedence)
    origins = origins_of(ground.tx, ids)
    ranks = {
        triple_id: min((place[name] for name in names if name in place), default=len(precedence))
        for triple_id, names in origins.items()
    }
    return min(max(ranks.get(triple.id, len(precedence)) for triple in each) for each in premises)
