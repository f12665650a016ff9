"""Claims in a text, read sentence by sentence, each checked against the graph."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mcp_graphrag.clean_input import check_length
from mcp_graphrag.english.lexicon import irregular_pasts
from mcp_graphrag.english.sentences import sentence_spans
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.lookup.find_entities import Linked, link_name
from mcp_graphrag.lookup.query_triples import predicates_of_names
from mcp_graphrag.ontology.said_until import MAX_AGE
from mcp_graphrag.reason.check_claim import READ_AROUND, CheckedClaim, Claim, Verdict, check_claim, overall
from mcp_graphrag.reason.claim_evidence import IS_A
from mcp_graphrag.reason.doubts.changes_told import changes_told_of_sentence, naming_its_names
from mcp_graphrag.reason.doubts.denied_triples import false_reports
from mcp_graphrag.reason.parse_sentence import Said, SentenceParser
from mcp_graphrag.reason.relation_words import RelationWords
from mcp_graphrag.reason.stated_in_text import Stated, stated_in_chunk, stated_in_text
from mcp_graphrag.reason.verb_group import PAST
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.engine.transaction import now

MAX_CLAIM_LENGTH, MAX_CLAIMS = 4000, 20
MAX_NEAREST = 2  # unread words for which the nearest names are given
# The present tense of "to be", except of what a thing is for good: "is a film".
# What a thing is lasts, unless it is that of another: "is a city", but "is a member of the club".
_IS_NOW = re.compile(r"\b(?:is|are|isn['’]t|aren['’]t)\b(?!\s+(?:not\s+)?an?\b(?!.*\b(?:of|for|at)\b))", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|are|isn['’]t|aren['’]t)\b", re.IGNORECASE)
_ASKED = re.compile(
    r"(?P<verb>is|are|was|were|has|have|had)\s+(?P<article>the\s+)?(?P<rest>[^?]+?)\s*\?", re.IGNORECASE
)
FORMS = "Not read, as it is not of the form A verb B, A's R is B, or A is a type"
NAME_PARTS_HINT = "Give subject, predicate and object; `find_entities` and `describe_graph` list names and predicates."


@dataclass(frozen=True)
class StatedClaim:
    """The verdict on a sentence by what the stored text says, with the sentences that say it.

    `disputed`: some state it, others its opposite. `uncertain`: others, which the notes quote, may say otherwise.
    """

    sentence: str
    verdict: Verdict
    disputed: bool
    stated: Sequence[Stated]
    notes: Sequence[str] = ()

    @property
    def uncertain(self) -> bool:
        """Whether stored sentences, which the notes quote, may say otherwise."""
        return bool(self.notes)


@dataclass(frozen=True)
class CheckedText:
    """The verdict on a text and on each of its claims; `unread` are the sentences that were not read whole.

    `stated` are sentences that no triple decides, but the stored text. `notes` say which words were not read. A text
    with unread sentences is never supported, unless the stored text states them.
    """

    verdict: Verdict
    claims: Sequence[CheckedClaim]
    unread: Sequence[str] = ()
    more: int = 0
    notes: Sequence[str] = ()
    stated: Sequence[StatedClaim] = ()


def check_text(snapshot: Snapshot, text: str, *, precedence: Sequence[str] = ()) -> CheckedText:
    """The verdict on each claim of a text: on plain statements, and on questions that yes or no answers.

    A sentence is read whole or not at all. Where no triple decides it, and no `as_of` is asked for, the stored text
    may. At most `MAX_CLAIMS` claims are checked; `more` counts the rest.
    Raises BadInput for a text that is empty or longer than `MAX_CLAIM_LENGTH` characters.
    """
    if not text.strip():
        raise BadInput("The claim is empty.", NAME_PARTS_HINT)
    check_length(text, "claim", MAX_CLAIM_LENGTH, "Check its sentences one by one.")
    words = RelationWords(predicates_of_names(snapshot), snapshot.ontology)
    claims: list[CheckedClaim] = []
    stated: list[StatedClaim] = []
    unread: list[str] = []
    notes: list[str] = []
    verdicts: list[Verdict] = []
    more = 0
    for parser, sentence in _parsers(snapshot, words, text):
        room = max(MAX_CLAIMS - len(claims), 0)
        said = parser.claims()
        found = [_check(snapshot, each, precedence) for each in said[:room]]
        if not any(map(_is_decided, found)) and (others := parser.other_claims()):
            by_others = [_check(snapshot, each, precedence) for each in others[:room]]
            if not found or any(map(_is_decided, by_others)):
                said, found = others, by_others
        more += len(said) - len(found)
        by_triples: list[Verdict] = [each.verdict for each in found]
        if any(map(_is_decided, found)):
            claims += found
            verdicts += by_triples
        elif not any(map(_is_of_another_time, found)) and (
            by_text := _by_text(snapshot, sentence, parser.stored_names())
        ):
            stated.append(by_text)
            verdicts.append(by_text.verdict)
        else:
            claims += found
            verdicts.append("unknown")
            if not said:
                unread.append(sentence)
                notes += _why_unread(snapshot, parser, sentence)
                told = "" if snapshot.when.as_of else naming_its_names(snapshot, sentence)
                notes += [f"{READ_AROUND}: {told}"] if told else []
    if more:
        verdicts.append("unknown")
    agreed = _of_one_entity(snapshot, claims)
    if agreed != claims:
        verdicts.append("unknown")
    return CheckedText(overall(verdicts), agreed, unread, more, notes, stated)


def _is_decided(checked: CheckedClaim) -> bool:
    """Whether triples speak for or against a claim."""
    return checked.verdict != "unknown" or checked.disputed


def _is_of_another_time(checked: CheckedClaim) -> bool:
    """Whether triples with dates say that it was so, or will be, but is not so now: the text says so without them."""
    return any(premise.valid_from or premise.valid_to for each in checked.other_times for premise in each.premises)


def _of_one_entity(snapshot: Snapshot, claims: Sequence[CheckedClaim]) -> list[CheckedClaim]:
    """The claims, those unknown that are supported of different entities of one name."""
    supported = [claim for claim in claims if claim.supporting and claim.verdict == "supported"]
    names = Counter(name for each in supported for name in {each.claim.subject, each.claim.object})
    found = list(claims)
    for name in (name for name, count in names.items() if count > 1):
        heads = _heads(snapshot, name)
        if heads is None or not heads.is_ambiguous:
            continue
        about = [each for each in supported if name in {each.claim.subject, each.claim.object}]
        ids = {head.id for head in heads.entities}
        ends = [
            {end for reason in each.supporting for one in reason.premises for end in (one.subject_id, one.object_id)}
            for each in about
        ]
        if not ids.intersection(*ends):
            note = f"{len(ids)} entities have the name {name}; what is claimed holds of no single one."
            found = [
                replace(each, verdict="unknown", notes=[*each.notes, note]) if each in about else each for each in found
            ]
    return found


def _heads(snapshot: Snapshot, name: str) -> Linked | None:
    try:
        return link_name(snapshot, name)
    except UnknownName:
        return None


def _by_text(snapshot: Snapshot, sentence: str, names: Sequence[str]) -> StatedClaim | None:
    """The verdict by the stored text, which is that of today; None if it does not state the sentence.

    Nothing is held against a name of several entities: the text may be about another one.
    """
    sentence = _as_statement(sentence, names)
    stated = [] if snapshot.when.as_of else stated_in_text(snapshot, sentence, names)
    if any(each.agrees for each in stated) and _is_called_wrong(snapshot, sentence):
        stated = [each for each in stated if not each.agrees]
    if not stated:
        return None
    if not all(each.agrees for each in stated):
        linked = (_heads(snapshot, name) for name in names)
        if any(heads.is_ambiguous for heads in linked if heads is not None):
            return None
    sides = {each.agrees for each in stated}
    verdict: Verdict = "unknown" if len(sides) > 1 else "supported" if stated[0].agrees else "contradicted"
    latest = now() - MAX_AGE
    if _is_of_today(sentence) and all(each.dated and each.dated < latest for each in stated):
        verdict = "unknown"  # a mayor of long ago need not be the mayor
        stated = [replace(each, why=f"{each.why}, which is more than a year old") for each in stated]
    notes: list[str] = []
    if verdict == "supported":
        first, of_now = stated[0], _is_of_today(sentence)
        notes = changes_told_of_sentence(snapshot, first.quote, first.citation, first.dated, of_now=of_now)
    return StatedClaim(sentence, verdict, len(sides) > 1, stated, notes)


def _as_statement(sentence: str, names: Sequence[str]) -> str:
    """A question for yes or no as the statement asked about, "Was A built by B?": "A was built by B." Others as is."""
    found = _ASKED.fullmatch(sentence.strip())
    name = next((name for name in names if found and found["rest"].startswith(f"{name} ")), None)
    if found is None or name is None:
        return sentence
    return f"{found['article'] or ''}{name} {found['verb'].lower()} {found['rest'][len(name) :].strip()}."


def _is_called_wrong(snapshot: Snapshot, sentence: str) -> bool:
    """Whether a stored sentence says that what a sentence claims was wrongly reported."""
    reports = false_reports(snapshot, sentence)
    return any(stated.agrees for report in reports for stated in stated_in_chunk(report.chunk, sentence))


def _is_of_today(sentence: str) -> bool:
    """Whether a sentence says what is so at present, and no event: "is owned by", "uses", not "was born" or "wrote"."""
    if _IS.search(sentence):
        return _IS_NOW.search(sentence) is not None
    words = re.findall(r"[\w'’]+", sentence.casefold())
    past = [word in PAST - {"has", "have"} or word.endswith("ed") or word in irregular_pasts() for word in words]
    return not any(past) and "been" not in words


def _parsers(snapshot: Snapshot, words: RelationWords, text: str) -> Iterator[tuple[SentenceParser, str]]:
    """A parser for each sentence; sentences between which a stored name stands are one."""
    spans = list(sentence_spans(text))
    while len(spans) > 1:
        (start, _), (_, end) = spans[0], spans[1]
        joined = SentenceParser(snapshot, words, text[start:end])
        if not joined.has_name_across(spans[0][1] - start):
            yield SentenceParser(snapshot, words, text[slice(*spans[0])]), text[slice(*spans[0])]
            spans = spans[1:]
        else:
            spans[:2] = [(start, end)]
    for start, end in spans:
        yield SentenceParser(snapshot, words, text[start:end]), text[start:end]


def _why_unread(snapshot: Snapshot, parser: SentenceParser, sentence: str) -> Iterator[str]:
    """Which words were not read, and for those written like a name the nearest stored ones."""
    unread = ", ".join(f"'{words}'" for words in parser.unread())
    yield f"Not read because of {unread}: {sentence}" if unread else f"{FORMS}: {sentence}"
    for name in parser.unread_names()[:MAX_NEAREST]:
        try:
            link_name(snapshot, name)
        except UnknownName as unknown:
            yield f"{unknown.fact} {unknown.hint}".strip()


def _check(snapshot: Snapshot, said: Said, precedence: Sequence[str]) -> CheckedClaim:
    """The verdict on a claim by any of the predicates that its words mean."""
    claims = [
        Claim(said.object, predicate, said.subject, said.negated, said.time)
        if swap
        else Claim(said.subject, predicate, said.object, said.negated, said.time)
        for predicate, swap in said.relations
    ] or [Claim(said.subject, IS_A, said.object, said.negated, said.time)]
    checked = [check_claim(snapshot, claim, precedence=precedence) for claim in claims]
    decided = list(filter(_is_decided, checked))
    agree = len({(each.verdict, each.disputed) for each in decided}) == 1
    return decided[0] if agree else checked[0]
