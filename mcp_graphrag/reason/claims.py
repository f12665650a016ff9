"""Claims held against the graph: supported, contradicted or unknown, with the triples for and against.

What is not stored is not taken for false: a claim of which nothing is known is unknown, and so is its denial.
"""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.extract.periods import read_date
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
Lasting: TypeAlias = Literal["then", "within", "since", "ever"]

NEGATED = re.compile(
    r"\b(?:(?:do|does|did|is|are|was|were|has|have|had|can|will|would|should|could)(?:n[’']t|[ ]+(?:not|never))|"
    r"not|never|no longer|neither|nor|cannot|without)\b",
    re.IGNORECASE,
)
# What makes a sentence no plain statement; words within stored names do not count.
_HEDGE = re.compile(
    r"(?i:\b(?:if|unless|whether|assuming|provided|only|perhaps|maybe|possibly|probably|presumably|allegedly|supposedly"
    r"|reportedly|apparently|seemingly|likely|unlikely|nearly|almost|hardly|scarcely|barely|rarely|seldom|sometimes"
    r"|nobody|no one|no-one|nothing|none|few|false|untrue|incorrect|not true|formerly|previously|used to|going to"
    r"|ought to|according to|(?:seems?|seemed|appears?|appeared|said|believed|thought|supposed|reported|rumou?red"
    r"|alleged|assumed|expected|plan(?:s|ned)?|wants?|wanted|intends?|intended|needs?) to"
    r"|doubt(?:s|ed|ful)?|(?:says?|said|claim(?:s|ed)?|believe[sd]?|thinks?"
    r"|thought|suspect(?:s|ed)?|report(?:s|ed)?|allege[sd]?|assume[sd]?|hopes?|hoped|fears?|feared|argue[sd]?"
    r"|den(?:y|ies|ied)|suggest(?:s|ed)?|wonders?|pretends?|guess|wish(?:es)?|rumou?rs?) that)\b|\bi (?:believe|think"
    r"|guess|suspect|assume|hope)\b|\b(?:says?|thinks?|believe[sd]?|suspect(?:s|ed)?|insists?|myth|wrong|rumou?r|(?:im)?possible"
    r"|there (?:is|was|are|were) (?:no|little|some)"
    r"|unclear|uncertain|disputed|unproven|unconfirmed|hypothetical(?:ly)?)\b"
    r"|\b(?:said|thought|claim(?:s|ed)?|report(?:s|ed)?)(?= (?:the )?x{2,}.*\bx{2,})|^\W*no\b)"
    r"|\b(?:may|might|could(?:n[’']t)?|can(?:not|[’']t)?|should(?:n[’']t)?|would(?:n[’']t)?|must|will|won[’']t|shall"
    r"|MAY|MUST|SHOULD)\b"
    r"|^\W*(?:Might|Could|Can|Should|Would|Must|Will|Does|Do|Did)\b|\?\W*$"
)
_OR = re.compile(r"\b(?:or|either)\b", re.IGNORECASE)
_OPENING = re.compile(
    r"\W*(?:it\s+(?:is|was)|it[’']s|it\s+(?P<isnt>isn[’']t|wasn[’']t))\s+"
    r"(?:(?P<no>false|untrue|wrong|incorrect|not\s+true|not\s+correct|not\s+the\s+case|not\s+so)|true|correct|the\s+case)\s+that\b",
    re.IGNORECASE,
)
_NEITHER = re.compile(r"\bneither\b(?=.*\bnor\b)|\bnor\b", re.IGNORECASE)
_DATE = re.compile(
    r",?\s*\b(?P<lead>in|on|during|throughout|since|as\s+of)\s+(?:the\s+year\s+)?"
    r"(?P<date>\d{4}-\d\d-\d\d|(?:\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?:[A-Z][a-z]{2,8}\.?\s+)?"
    r"(?:\d{1,2}(?:st|nd|rd|th)?,\s+)?\d{4})(?![\w-]),?",
    re.IGNORECASE,
)

CLEARLY = 0.3 - 1e-6  # by how much the surer side must be surer, where both have something to say
IS_A_NAMES = frozenset({"is_a", "is_an", "is", "type", "has_type", "is_of_type", "instance_of"})


@dataclass(frozen=True)
class Claim:
    """What is claimed, by name, and when it is claimed to hold. `read_by` says how it was read from a sentence.

    It holds at the moment `as_of`; with `lasting` at some moment from then to before `until`, or from then until now,
    or at any time at all.
    """

    subject: str
    predicate: str
    object: str
    negated: bool = False
    as_of: datetime | None = None
    sentence: str = ""
    read_by: str = ""
    until: datetime | None = None
    lasting: Lasting = "then"

    def in_words(self) -> str:
        """The claim in one line: not A -[depends_on]-> B, at 2024-01-01."""
        denied = ("never " if self.lasting == "ever" else "not ") if self.negated else ""
        told = f"{denied}{self.subject} -[{self.predicate}]-> {self.object}"
        if self.as_of is None:
            return told
        if self.lasting == "since":
            return f"{told}, since {self.as_of:%Y-%m-%d}"
        last = self.until - timedelta(microseconds=1) if self.until else self.as_of
        if last.date() <= self.as_of.date():
            return f"{told}, at {self.as_of:%Y-%m-%d}"
        return f"{told}, between {self.as_of:%Y-%m-%d} and {last:%Y-%m-%d}"


@dataclass(frozen=True)
class Stated:
    """What a sentence states: its words with those blank that say whether and when it holds.

    `hedge` is the word that makes it no plain statement, "" for a plain one. `time` is as_of and until of its claims.
    """

    body: str
    negated: bool = False
    hedge: str = ""
    time: tuple[datetime, datetime] | None = None
    lasting: Lasting = "then"
    undated: str = ""  # the body with the date's words


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


def stated(sentence: str, names: Sequence[tuple[int, int]]) -> Stated:
    """How a sentence is put: plainly or not, denied or not, and when it holds. `names` are spans of stored names."""
    bare = sentence
    for start, end in names:
        bare = bare[:start] + "x" * (end - start) + bare[end:]
    negated = False
    opening = _OPENING.match(bare)
    if opening is not None:
        negated = bool(opening["no"]) != bool(opening["isnt"])
        bare, sentence = (_blank(each, *opening.span()) for each in (bare, sentence))
    hedge = _HEDGE.search(bare) or (None if negated or NEGATED.search(bare) else _OR.search(bare))
    if hedge is not None:
        return Stated(sentence, hedge=hedge[0].strip(" .,\"'"), undated=sentence)
    if re.search(r"\bneither\b.*\bnor\b", bare, re.IGNORECASE):
        negated = not negated
        sentence = _without_neither(sentence, bare)
    elif nor := re.search(r"\bnor\b", bare, re.IGNORECASE):
        return Stated(sentence, hedge=nor[0], undated=sentence)
    dated = [
        (each, told)
        for each in _DATE.finditer(sentence)
        if (told := read_date(each["date"])) and not any(start <= each.start("lead") < end for start, end in names)
    ]
    if len(dated) > 1:
        return Stated(sentence, hedge=dated[1][0][0].strip(" ,"), undated=sentence)
    if not dated:
        return Stated(sentence, negated, undated=sentence)
    date, told = dated[0]
    lasting: Lasting = "since" if date["lead"].lower() == "since" else "within"
    return Stated(_blank(sentence, *date.span()), negated, "", told, lasting, sentence)


def _without_neither(sentence: str, bare: str) -> str:
    """The sentence with "and" for "neither … nor"."""
    for found in _NEITHER.finditer(bare):
        word = "and" if found[0].lower() == "nor" else " " * len(found[0])
        sentence = sentence[: found.start()] + word + sentence[found.end() :]
    return sentence


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]


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
    today = when.as_of or when.known_at or now()
    began = claim.as_of if claim.lasting == "since" and claim.as_of and claim.as_of < today else None
    moment = began or when.as_of or claim.as_of or today
    known = predicates(tx)
    ground = Ground(store, tx, graph(store, tx), moment, standards.ontology, known)
    claim = _as_stored(known, claim, standards.ontology)
    notes: list[str] = []
    sides = _sides(ground, embedder, claim, notes)
    if claim.lasting == "ever":
        sides = Sides([*sides.supporting, *sides.elsewhen])
    elif began:
        sides = _throughout(sides, _sides(replace(ground, moment=today), embedder, claim, []))
    elif claim.lasting == "within" and when.as_of is None and not sides.supporting:
        sides = _sometime(ground, embedder, claim, sides)
    if claim.as_of and sides.supporting and not any(_is_dated(each) for each in sides.supporting):
        notes.append("What is stored of it has no dates.")
    return _judged(ground, claim, sides, standards.precedence, notes)


def _sides(ground: Ground, embedder: Embedder, claim: Claim, notes: list[str]) -> Sides:
    """What speaks for and against a claim, not its denial, at the ground's moment."""
    subject = _ends(ground, embedder, claim.subject, notes)
    if claim.predicate == IS_A:
        return _type_and_said(ground, embedder, subject, claim, notes)
    return sides_of(ground, subject, claim.predicate, _ends(ground, embedder, claim.object, notes))


def _throughout(first: Sides, last: Sides) -> Sides:
    """Of what holds from one moment to another: for it is what speaks for it at both, against it what does at one."""
    whole = bool(first.supporting and last.supporting)
    told = {each.triple.id for each in last.contradicting}
    against = [*last.contradicting, *(each for each in first.contradicting if each.triple.id not in told)]
    return Sides(last.supporting if whole else (), against, () if whole else last.elsewhen or first.elsewhen)


def _sometime(ground: Ground, embedder: Embedder, claim: Claim, sides: Sides) -> Sides:
    """Of what began to hold within the claim's time: what speaks for and against it then, else at its first moment."""
    starts = {each.triple.valid_from for each in sides.elsewhen} - {None}
    for start in sorted(each for each in starts if each and claim.until and ground.moment < each < claim.until):
        then = _sides(replace(ground, moment=start), embedder, claim, [])
        if then.supporting:
            return then
    return sides


def _is_dated(reason: Reason) -> bool:
    triples = reason.triple.inferred_from or [reason.triple]
    return any(each.valid_from or each.valid_to for each in triples)


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
