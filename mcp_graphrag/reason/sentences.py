"""Claims read from a text, sentence by sentence: by an extractor, else by stored names and the lexicon between them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput
from mcp_graphrag.extract import Extractor, lexicon_with
from mcp_graphrag.extract.gaps import Gap, read_gap
from mcp_graphrag.extract.lexicon import RELATED_TO, Cue, Lexicon
from mcp_graphrag.extract.periods import period_in, read_date, tells_time
from mcp_graphrag.extract.sentences import split_sentences
from mcp_graphrag.extract.words import load_words
from mcp_graphrag.index.norms import normal_form
from mcp_graphrag.index.resident import bearers
from mcp_graphrag.model import NOW, Candidate, Chunk, Document, When
from mcp_graphrag.reason.claims import (
    NEGATED,
    Checked,
    Claim,
    Lasting,
    Standards,
    Stated,
    Verdict,
    check_in,
    overall,
    stated,
)
from mcp_graphrag.reason.sides import IS_A
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.resolve.vocabulary import canonical_predicate
from mcp_graphrag.retrieve.triples import stored_predicate
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.entities import entity_types, type_key
from mcp_graphrag.store.transaction import now
from mcp_graphrag.store.triples import predicates

LONGEST_CLAIM = 4000
MOST_CLAIMS = 20
MOST_WORDS = 60  # of a sentence in which names are looked for
LONGEST_NAME = 7  # words
OCCURRED_ON = "occurred_on"
BY_NAMES = "names and lexicon"
HOW_TO_ASK = "Give subject, predicate and object instead; find_entities and describe_graph list names and predicates."

_WORD = re.compile(r"[^\s,;:!?()\"“”]*[^\s,;:!?()\"“”.]")
_BUT = re.compile(r"\W*but\s+(?P<no>not\s+)?(?:(?:on|by|to|in|from|with|of|for)\s+)?(?:the\s+)?", re.IGNORECASE)
_CAPITALISED = re.compile(r"(?<![\w'’.-])[A-Z][\w’-]+(?:[ ][A-Z][\w’-]+)*")
_ARROW = re.compile(r"\s*-\[\s*(?P<predicate>[^\]]+?)\s*\]->\s*")
_IS_A = re.compile(
    r"\s+(?:is|are|was|were)(?P<no>n[’']t|\s+not|\s+no longer)?\s+(?:an?|the|one of the|a kind of)\s+"
    r"(?P<type>[^,.;!?]{2,60})[.!?]?\s*\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ReadSentence:
    """A sentence and the claims read from it, none where nothing could be read; `note` says what was not and why."""

    text: str
    claims: Sequence[Claim]
    note: str = ""


@dataclass(frozen=True)
class CheckedText:
    """The verdicts on the claims of a text and the one on all of them; `unread` are sentences that no claim was in.

    `notes` say what else was not read. With anything unread a text is not supported.
    """

    verdict: Verdict
    claims: Sequence[Checked]
    unread: Sequence[str] = ()
    more: int = 0
    notes: Sequence[str] = ()


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
    unread = [sentence.text for sentence in sentences if not sentence.claims and not sentence.note]
    notes = [sentence.note for sentence in sentences if sentence.note]
    more = max(len(claims) - MOST_CLAIMS, 0)
    verdicts: list[Verdict] = [*(each.verdict for each in checked), *(["unknown"] if unread or more or notes else [])]
    return CheckedText(overall(verdicts), checked, unread, more, notes)


def _check(store: Store, tx: Reader, embedder: Embedder, claim: Claim, standards: Standards, when: When) -> Checked:
    try:
        return check_in(store, tx, embedder, claim, standards, when)
    except BadInput as unknown:
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
    reading = _Reading(store, tx, lexicon_with(ontology.phrases), ontology, predicates(tx))
    spans = list(split_sentences(text))
    names = [_names(store, tx, text[start:end]) for start, end in spans]
    put = [
        stated(text[start:end], [(each.start, each.end) for each in names[at]]) for at, (start, end) in enumerate(spans)
    ]
    bodies = _extracted(_put(text, spans, [each.body for each in put]), extractors)
    undated = _extracted(_put(text, spans, [each.undated for each in put]), extractors)
    found: list[ReadSentence] = []
    named = any(names)
    for at, (start, end) in enumerate(spans):
        said, sentence = put[at], text[start:end]
        if said.hedge:
            note = f"Not read, as '{said.hedge}' makes it no plain statement: {sentence}"
            found.append(ReadSentence(sentence, [], note))
            continue
        tries = [(bodies, said)]
        if said.time:  # a date that dates no claim may be what the sentence is about
            tries.append((undated, replace(said, body=said.undated, time=None, lasting="then")))
        claims: Sequence[Claim] = ()
        for extracted, what in tries:
            of_sentence = [_claim(each, sentence, by) for by, each in extracted if start <= (each.start or 0) < end]
            named = named or bool(of_sentence)
            claims = claims or reading.claims(what, sentence, names[at], of_sentence)
        found.append(ReadSentence(sentence, claims, reading.left(claims, names[at], said.body) if claims else ""))
    if not named:
        raise BadInput("The claim names no entity that is stored.", HOW_TO_ASK)
    return found


@dataclass(frozen=True)
class _Reading:
    """What sentences are read with."""

    store: Store
    tx: Reader
    lexicon: Lexicon
    ontology: Ontology
    predicates: Mapping[str, int]

    def claims(
        self, said: Stated, sentence: str, names: Sequence[_Name], extracted: Sequence[Claim]
    ) -> Sequence[Claim]:
        """The claims of a sentence: those extracted where they are of stored names, with what only the names tell."""
        plain = [] if NEGATED.search(said.body) else [each for each in extracted if self._is_claim(each)]
        known = [each for each in plain if self._bearers(each.subject) and self._bearers(each.object)]
        others = [each for each in plain if each not in known and each.predicate not in {RELATED_TO, OCCURRED_ON, IS_A}]
        left = self._unused(known, names)
        between = [] if known and not left else self._by_names(said.body, names)
        if known:
            between = [each for each in between if {each.subject, each.object} & {name.text for name in left}]
        read = _distinct([*known, *between, *(others if known else ())] or plain)
        if known and between:
            read.sort(key=lambda each: (said.body.find(each.subject), said.body.find(each.object)))
        ever: Lasting = "ever" if re.search(r"\bnever\b", said.body, re.IGNORECASE) else "then"
        return [self._told(each, said, sentence, ever) for each in read]

    def _told(self, claim: Claim, said: Stated, sentence: str, ever: Lasting) -> Claim:
        """The claim as its sentence says it: denied or not, and when."""
        claim = replace(claim, negated=claim.negated != said.negated, sentence=sentence)
        if said.time and claim.as_of is None:
            start, end = said.time
            # What has not been so since then was so at no moment since.
            lasting: Lasting = "within" if claim.negated and said.lasting == "since" else said.lasting
            return replace(claim, as_of=start, until=end if lasting == said.lasting else now(), lasting=lasting)
        return replace(claim, lasting=ever) if claim.negated and claim.as_of is None else claim

    def left(self, claims: Sequence[Claim], names: Sequence[_Name], body: str) -> str:
        """A note on the names in a sentence, stored or not, that no claim is about; "" where there is none."""
        left = [each.text for each in self._unused(claims, names) if not tells_time(each.text)]
        ends = [normal_form(end) for each in claims for end in (each.subject, each.object)]
        left += [each for each in _strange(body, names) if not any(normal_form(each) in end for end in ends)]
        return f"Not read: {', '.join(dict.fromkeys(left))}" if left else ""

    def _unused(self, claims: Sequence[Claim], names: Sequence[_Name]) -> list[_Name]:
        ends = {normal_form(end) for each in claims for end in (each.subject, each.object)}
        used = {entity for end in ends for entity in self._bearers(end)}
        return [
            each
            for each in names
            if not self._bearers(each.text) & used and not any(normal_form(each.text) in end for end in ends)
        ]

    def _bearers(self, name: str) -> set[int]:
        return {entity for entity, _ in bearers(self.store, self.tx, normal_form(name))}

    def _is_claim(self, claim: Claim) -> bool:
        """Whether it has two names and a predicate that the file or the vocabulary has."""
        if not normal_form(claim.subject) or not normal_form(claim.object):
            return False
        return self._has(stored_predicate(self.predicates, claim.predicate, self.ontology).predicate)

    def _has(self, predicate: str) -> bool:
        return predicate in self.predicates or predicate in self.ontology.predicates or predicate == IS_A

    def _by_names(self, sentence: str, names: Sequence[_Name]) -> list[Claim]:
        """What a sentence says of the names in it."""
        of_type = _of_type(self.tx, sentence, names, self.ontology) if names else None
        return [*self._between_names(sentence, names), *([of_type] if of_type else [])]

    def _between_names(self, sentence: str, names: Sequence[_Name]) -> Iterator[Claim]:
        """What the words between neighbouring names say; a list goes on with what was said of its first member."""
        run = list(names[:1])
        said: tuple[list[_Name], Cue, bool] | None = None
        for at, (before, after) in enumerate(pairwise(names)):
            words = sentence[before.end : after.start]
            gap = self._gap(words)
            but = _BUT.fullmatch(words)
            if gap.cue is not None and gap.link == "possessive":
                said = None
                yield _cued(after, gap.cue, before, sentence, negated=gap.negated)
            elif gap.cue is not None and gap.link == "cue":
                said = (_joined(sentence, run), gap.cue, gap.negated)
            elif but is not None and said is not None and bool(but["no"]) != said[2]:
                said = (said[0], said[1], bool(but["no"]))
            elif gap.link not in {"list", "comma"}:
                said = None
            elif said is None:
                run = [*run, after]
                continue
            elif not _ends(sentence, names, at + 1):
                said = None
            run = [after]
            if said is not None:
                subjects, cue, negated = said
                yield from (_cued(subject, cue, after, sentence, negated=negated) for subject in subjects)

    def _gap(self, words: str) -> Gap:
        """What the words between two names say: a predicate as it is stored, else what the lexicon makes of them."""
        arrow = _ARROW.fullmatch(words)
        if arrow is None and re.search(r"[^\w\s’'-]", words):
            return read_gap(words, self.lexicon)
        name = canonical_predicate(arrow["predicate"] if arrow else words)
        if name in self.predicates or name in self.ontology.predicates:
            return Gap("cue", Cue((name,), name, swap=False, form="phrase"))
        gap = read_gap(words, self.lexicon)
        if gap.link in {"cue", "possessive", "list", "comma"}:
            return gap
        known = load_words()
        tokens = canonical_predicate(words.replace("’", "'").replace("n't", " not")).split("_")
        negated = not known.negations.isdisjoint(tokens) or "longer" in tokens
        aside = known.auxiliaries | known.negations | known.articles | {"longer", ""}
        bare = [each for each in tokens if each not in aside and not known.is_adverb(each)]
        for each in ("_".join(bare), "_".join([f"{word}s" for word in bare[:1]] + bare[1:])):
            mapped = stored_predicate(self.predicates, each, self.ontology)
            if each and self._has(mapped.predicate):
                return Gap("cue", Cue((each,), mapped.predicate, swap=mapped.swap, form="phrase"), negated=negated)
        return gap


def _put(text: str, spans: Sequence[tuple[int, int]], bodies: Sequence[str]) -> str:
    """The text with other words of the same length in its sentences."""
    for (start, end), body in zip(spans, bodies, strict=True):
        text = text[:start] + body + text[end:]
    return text


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
            if (
                article
                or stop.is_stop(last[0])
                or (stop.is_stop(first[0]) and (size == 1 or (size == 2 and first[0].islower())))
            ):
                continue
            name = sentence[first.start() : last.end()]
            if _is_known(store, tx, name):
                found.append(_Name(name, first.start(), last.end()))
                at += size
                break
        else:
            at += 1
    return found


def _strange(body: str, names: Sequence[_Name]) -> Iterator[str]:
    """Capitalised words behind the first that neither belong to a stored name nor stand next to one."""
    for found in _CAPITALISED.finditer(body):
        beside = any(each.start <= found.end() + 1 and found.start() <= each.end + 1 for each in names)
        if body[: found.start()].strip() and not beside and not tells_time(found[0]):
            yield found[0]


def _joined(sentence: str, run: list[_Name]) -> list[_Name]:
    """The subjects of a verb behind names with commas or "and" between them: the last, all where it is joined."""
    listed = len(run) > 1 and re.search(r"\band\b|&", sentence[run[-2].end : run[-1].start])
    return run if listed else run[-1:]


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
    """Each claim once; what only relates things, or dates them, is left out where the sentence says more of them."""
    found: dict[tuple[str, str, str, bool], Claim] = {}
    for each in claims:
        found.setdefault((each.subject, each.predicate, each.object, each.negated), each)
    clear = [each for each in found.values() if each.predicate not in {RELATED_TO, OCCURRED_ON}]
    return clear or list(found.values())
