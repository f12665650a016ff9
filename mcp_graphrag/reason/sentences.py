"""Claims read from a text, sentence by sentence: by an extractor, else by stored names and the lexicon between them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.extract import Extractor, lexicon_with
from mcp_graphrag.extract.gaps import read_gap
from mcp_graphrag.extract.lexicon import RELATED_TO, Cue, Lexicon
from mcp_graphrag.extract.periods import period_in, read_date
from mcp_graphrag.extract.sentences import split_sentences
from mcp_graphrag.extract.words import load_words
from mcp_graphrag.index.resident import bearers
from mcp_graphrag.model import NOW, Candidate, Chunk, Document, When
from mcp_graphrag.reason.claims import Checked, Claim, Standards, Verdict, check_in, overall
from mcp_graphrag.reason.sides import IS_A
from mcp_graphrag.resolve.names import normal_form
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.entities import entity_types, type_key

LONGEST_CLAIM = 4000
MOST_CLAIMS = 20
MOST_WORDS = 60  # of a sentence in which names are looked for
LONGEST_NAME = 7  # words
BY_NAMES = "names and lexicon"
HOW_TO_ASK = "Give subject, predicate and object instead; find_entities and describe_graph list names and predicates."

_WORD = re.compile(r"[^\s,;:!?()\"“”]*[^\s,;:!?()\"“”.]")
_NEGATED = re.compile(
    r"\b(?:(?:do|does|did|is|are|was|were|has|have|had|can|will|would|should|could)(?:n[’']t|[ ]+(?:not|never))|"
    r"not|never|no longer|neither|nor|cannot|without)\b",
    re.IGNORECASE,
)
_IS_A = re.compile(
    r"\s+(?:is|are|was|were)(?P<no>n[’']t|\s+not|\s+no longer)?\s+(?:an?|the|one of the|a kind of)\s+"
    r"(?P<type>[^,.;!?]{2,60})[.!?]?\s*\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ReadSentence:
    """A sentence and the claims read from it, none where nothing could be read."""

    text: str
    claims: Sequence[Claim]


@dataclass(frozen=True)
class CheckedText:
    """The verdicts on the claims of a text and the one on all of them; `unread` are sentences that no claim was in."""

    verdict: Verdict
    claims: Sequence[Checked]
    unread: Sequence[str] = ()
    more: int = 0


@dataclass(frozen=True)
class _Name:
    """A stored name in a sentence."""

    text: str
    start: int
    end: int


def check_text(
    store: Store,
    embedder: Embedder,
    text: str,
    extractors: Sequence[Extractor],
    standards: Standards | None = None,
    when: When = NOW,
) -> CheckedText:
    """The verdict on each claim of a text. One about a thing that nothing is known of is unknown.

    Raises BadInput for a text that is empty or very long, or names no stored entity. At most `MOST_CLAIMS` are checked,
    `more` counts the rest.
    """
    standards = standards or Standards()
    with store.reading(known_at=when.known_at) as tx:
        sentences = read_claims(store, tx, text, extractors, standards.ontology)
        claims = [claim for sentence in sentences for claim in sentence.claims]
        checked = [_check(store, tx, embedder, claim, standards, when) for claim in claims[:MOST_CLAIMS]]
    unread = [sentence.text for sentence in sentences if not sentence.claims]
    more = max(len(claims) - MOST_CLAIMS, 0)
    verdicts: list[Verdict] = [*(each.verdict for each in checked), *(["unknown"] if unread or more else [])]
    return CheckedText(overall(verdicts), checked, unread, more)


def _check(store: Store, tx: Reader, embedder: Embedder, claim: Claim, standards: Standards, when: When) -> Checked:
    try:
        return check_in(store, tx, embedder, claim, standards, when)
    except UnknownName as unknown:
        return Checked(claim, "unknown", notes=[f"{unknown.fact} {unknown.hint}".strip()])


def read_claims(
    store: Store, tx: Reader, text: str, extractors: Sequence[Extractor], ontology: Ontology
) -> list[ReadSentence]:
    """The claims of each sentence.

    Raises BadInput for a text that is empty or very long, and for one that names no stored entity at all.
    """
    if not text.strip():
        raise BadInput("The claim is empty.", HOW_TO_ASK)
    if len(text) > LONGEST_CLAIM:
        raise BadInput(
            f"The claim has {len(text)} characters; the most is {LONGEST_CLAIM}.", "Check its sentences one by one."
        )
    extracted = _extracted(text, extractors)
    lexicon = lexicon_with(ontology.phrases)
    found: list[ReadSentence] = []
    named = False
    for start, end in split_sentences(text):
        sentence = text[start:end]
        names = _names(store, tx, sentence)
        named = named or bool(names)
        claims = [
            _claim(each, sentence, by)
            for by, each in extracted
            if each.start is not None and start <= each.start < end and not _NEGATED.search(sentence)
        ]
        known = [each for each in claims if _is_known(store, tx, each.subject) and _is_known(store, tx, each.object)]
        by_names = [] if known else list(_between_names(tx, sentence, names, lexicon, ontology))
        found.append(ReadSentence(sentence, _distinct(known or by_names or claims)))
    if not named and not any(each.claims for each in found):
        raise BadInput("The claim names no entity that is stored.", HOW_TO_ASK)
    return found


def _extracted(text: str, extractors: Sequence[Extractor]) -> list[tuple[str, Candidate]]:
    """What each extractor reads in the text, taken for a document of one chunk."""
    document, chunk = Document("claim:", "", text), Chunk(0, 0, len(text), text)
    return [(each.name, triple) for each in extractors for triple in each.extract(document, [chunk])[0].triples]


def _claim(candidate: Candidate, sentence: str, by: str) -> Claim:
    return Claim(
        candidate.subject,
        candidate.predicate,
        candidate.object,
        as_of=_moment(candidate),
        sentence=sentence,
        read_by=by,
    )


def _moment(candidate: Candidate) -> datetime | None:
    """A moment at which the sentence says that it holds."""
    told = read_date(str(candidate.metadata.get("when", "")))
    return _within(candidate.valid_from, candidate.valid_to) or (told[0] if told else None)


def _within(start: datetime | None, end: datetime | None) -> datetime | None:
    """A moment of a time: its first, or its last where it has no beginning."""
    return start or (end - timedelta(microseconds=1) if end else None)


def _names(store: Store, tx: Reader, sentence: str) -> list[_Name]:
    """The stored names in a sentence, the longest from each place on."""
    words = list(_WORD.finditer(sentence))[:MOST_WORDS]
    stop = load_words()
    found: list[_Name] = []
    at = 0
    while at < len(words):
        for size in range(min(LONGEST_NAME, len(words) - at), 0, -1):
            first, last = words[at], words[at + size - 1]
            article = first[0].lower() in stop.articles
            if article or stop.is_stop(last[0]) or (stop.is_stop(first[0]) and (size == 1 or first[0].islower())):
                continue
            name = sentence[first.start() : last.end()]
            if _is_known(store, tx, name):
                found.append(_Name(name, first.start(), last.end()))
                at += size
                break
        else:
            at += 1
    return found


def _between_names(
    tx: Reader, sentence: str, names: Sequence[_Name], lexicon: Lexicon, ontology: Ontology
) -> Iterator[Claim]:
    """What the words between neighbouring names say; a list goes on with what was said of its first member."""
    said: tuple[_Name, Cue, bool] | None = None
    for at, (before, after) in enumerate(pairwise(names)):
        gap = read_gap(sentence[before.end : after.start], lexicon)
        if gap.cue is not None and gap.link == "possessive":
            said = None
            yield _cued(after, gap.cue, before, sentence, negated=gap.negated)
        elif gap.cue is not None and gap.link == "cue":
            said = (before, gap.cue, gap.negated)
        elif gap.link not in {"list", "comma"} or not _ends(sentence, names, at + 1):
            said = None
        if said is not None:
            yield _cued(said[0], said[1], after, sentence, negated=said[2])
    if names and (claim := _of_type(tx, sentence, names, ontology)) is not None:
        yield claim


def _ends(sentence: str, names: Sequence[_Name], at: int) -> bool:
    """Whether a name is the last of its clause or list: in "A calls B and C calls D", C begins another clause."""
    rest = sentence[names[at].end : names[at + 1].start if at + 1 < len(names) else len(sentence)]
    return not rest.strip(" .,;!?)") or rest.split()[0].lower() in {"and", "or", ",", "as"}


def _cued(before: _Name, cue: Cue, after: _Name, sentence: str, *, negated: bool) -> Claim:
    subject, object_ = (after, before) if cue.swap else (before, after)
    period = period_in(sentence, (0, len(sentence)))
    moment = _within(period.start, period.end) if period else None
    return Claim(subject.text, cue.predicate, object_.text, negated, moment, sentence, BY_NAMES)


def _of_type(tx: Reader, sentence: str, names: Sequence[_Name], ontology: Ontology) -> Claim | None:
    """What "X is a Component" claims, where that is a type."""
    found = _IS_A.match(sentence, names[0].end)
    if found is None:
        return None
    key = type_key(found["type"])
    if key not in ontology.types and key not in {type_key(each) for each in entity_types(tx) if each}:
        return None
    type_ = ontology.spelling(found["type"])
    return Claim(names[0].text, IS_A, type_, bool(found["no"]), sentence=sentence, read_by=BY_NAMES)


def _is_known(store: Store, tx: Reader, name: str) -> bool:
    return bool(bearers(store, tx, normal_form(name)))


def _distinct(claims: Sequence[Claim]) -> list[Claim]:
    """Each claim once; what only relates things, where the sentence says more of them, is left out."""
    found: dict[tuple[str, str, str, bool], Claim] = {}
    for each in claims:
        found.setdefault((each.subject, each.predicate, each.object, each.negated), each)
    clear = [each for each in found.values() if each.predicate != RELATED_TO]
    return clear or list(found.values())
