"""Claims in a text, read sentence by sentence: by extractors, or else from stored names and the words between them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise

from mcp_graphrag.clean_input import check_length
from mcp_graphrag.errors import BadInput
from mcp_graphrag.extract import Extractor, lexicon_with
from mcp_graphrag.extract.english.between_mentions import Gap, read_gap
from mcp_graphrag.extract.english.dates import is_time_expression, period_in, read_date
from mcp_graphrag.extract.english.lexicon import RELATED_TO, Cue, Lexicon
from mcp_graphrag.extract.english.word_lists import WORDS
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.lookup.find_entities import is_type, longest_runs
from mcp_graphrag.lookup.query_triples import stored_predicate
from mcp_graphrag.model import Candidate, Chunk, Document
from mcp_graphrag.ontology.map_predicates import canonical_predicate
from mcp_graphrag.reason.check_claim import CheckedClaim, Claim, Verdict, check_claim, overall
from mcp_graphrag.reason.claim_evidence import IS_A
from mcp_graphrag.reason.parse_statement import NEGATED, Duration, Statement, parse_statement
from mcp_graphrag.sentences import sentence_spans
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.triple_rows import predicates

MAX_CLAIM_LENGTH, MAX_CLAIMS = 4000, 20
MAX_WORDS = 60  # of a sentence in which names are looked for
OCCURRED_ON = "occurred_on"
BY_NAMES = "names and lexicon"
NAME_PARTS_HINT = "Give subject, predicate and object; `find_entities` and `describe_graph` list names and predicates."

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
class CheckedText:
    """The verdict on a text and on each of its claims; `unread` are sentences without a claim.

    `notes` say what else was not read. A text with unread parts is never supported.
    """

    verdict: Verdict
    claims: Sequence[CheckedClaim]
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
    snapshot: Snapshot, text: str, extractors: Sequence[Extractor], *, precedence: Sequence[str] = ()
) -> CheckedText:
    """The verdict on each claim of a text; a claim about an unknown entity is unknown.

    Raises BadInput for a text that is empty, very long, or names no stored entity. At most `MAX_CLAIMS` claims are
    checked; `more` counts the rest.
    """
    if not text.strip():
        raise BadInput("The claim is empty.", NAME_PARTS_HINT)
    check_length(text, "claim", MAX_CLAIM_LENGTH, "Check its sentences one by one.")
    spans = list(sentence_spans(text))
    names = [_names(snapshot, text[start:end]) for start, end in spans]
    statements = [
        parse_statement(text[start:end], [(name.start, name.end) for name in among])
        for (start, end), among in zip(spans, names, strict=True)
    ]
    bodies = _extracted(text, spans, [statement.body for statement in statements], extractors)
    undated: list[tuple[str, Candidate]] = []
    if any(statement.time for statement in statements):
        undated = _extracted(text, spans, [statement.undated or statement.body for statement in statements], extractors)
    reader = _Reader(snapshot, lexicon_with(snapshot.ontology.phrases), predicates(snapshot.tx))
    claims: list[Claim] = []
    unread: list[str] = []
    notes: list[str] = []
    named = any(names)
    for (start, end), statement, among in zip(spans, statements, names, strict=True):
        sentence = text[start:end]
        if statement.hedge:
            notes.append(f"Not read, because of '{statement.hedge}' it is not a plain statement: {sentence}")
            continue
        tries = [(bodies, statement)]
        if statement.time:  # a date that dates no claim may be what the sentence is about
            tries.append((undated, replace(statement, body=statement.undated, time=None, duration="then")))
        found: Sequence[Claim] = ()
        for extracted, what in tries:
            inside = [_claim(triple, by) for by, triple in extracted if start <= (triple.start or 0) < end]
            named = named or bool(inside)
            found = found or reader.claims(what, among, inside)
        claims += found
        if not found:
            unread.append(sentence)
        elif note := reader.unread_names(found, among, statement.body):
            notes.append(note)
    if not named:
        raise BadInput("The claim names no stored entity.", NAME_PARTS_HINT)
    checked = [_check(snapshot, claim, precedence) for claim in claims[:MAX_CLAIMS]]
    more = max(len(claims) - MAX_CLAIMS, 0)
    verdicts: list[Verdict] = [*(claim.verdict for claim in checked), *(["unknown"] if unread or more or notes else [])]
    return CheckedText(overall(verdicts), checked, unread, more, notes)


def _check(snapshot: Snapshot, claim: Claim, precedence: Sequence[str]) -> CheckedClaim:
    try:
        return check_claim(snapshot, claim, precedence=precedence)
    except BadInput as unknown:
        return CheckedClaim(claim, "unknown", notes=[f"{unknown.fact} {unknown.hint}".strip()])


@dataclass(frozen=True)
class _Reader:
    """Reads claims with a snapshot, its lexicon and the ids of its predicates."""

    snapshot: Snapshot
    lexicon: Lexicon
    predicates: Mapping[str, int]

    def claims(self, statement: Statement, names: Sequence[_Name], extracted: Sequence[Claim]) -> Sequence[Claim]:
        """The claims of a sentence: the extracted ones about stored names, and those between further stored names."""
        plain = [] if NEGATED.search(statement.body) else [claim for claim in extracted if self._is_claim(claim)]
        known = [claim for claim in plain if self._entity_ids(claim.subject) and self._entity_ids(claim.object)]
        others = [
            claim for claim in plain if claim not in known and claim.predicate not in {RELATED_TO, OCCURRED_ON, IS_A}
        ]
        unused = {name.text for name in self._unused(known, names)}
        between = self._by_names(statement.body, names) if unused or not known else []
        if known:
            between = [claim for claim in between if {claim.subject, claim.object} & unused]
        read = _distinct_claims([*known, *between, *(others if known else ())] or plain)
        if known and between:
            read.sort(key=lambda claim: (statement.body.find(claim.subject), statement.body.find(claim.object)))
        ever: Duration = "ever" if re.search(r"\bnever\b", statement.body, re.IGNORECASE) else "then"
        return [self._with_time(claim, statement, ever) for claim in read]

    def _with_time(self, claim: Claim, statement: Statement, ever: Duration) -> Claim:
        """The claim with the negation and the time of its sentence."""
        claim = replace(claim, negated=claim.negated != statement.negated)
        if statement.time and claim.as_of is None:
            start, end = statement.time
            if claim.negated and statement.duration == "since":  # "not since" negates every moment since
                return replace(claim, as_of=start, until=now(), duration="within")
            return replace(claim, as_of=start, until=end, duration=statement.duration)
        return replace(claim, duration=ever) if claim.negated and claim.as_of is None else claim

    def unread_names(self, claims: Sequence[Claim], names: Sequence[_Name], body: str) -> str:
        """A note on the names in a sentence, stored or not, that no claim is about; "" if there are none."""
        unread_names = [name.text for name in self._unused(claims, names) if not is_time_expression(name.text)]
        ends = [normal_form(end) for claim in claims for end in (claim.subject, claim.object)]
        unread_names += [
            name for name in _unknown_capitalised(body, names) if not any(normal_form(name) in end for end in ends)
        ]
        return f"Not read: {', '.join(dict.fromkeys(unread_names))}" if unread_names else ""

    def _unused(self, claims: Sequence[Claim], names: Sequence[_Name]) -> list[_Name]:
        ends = {normal_form(end) for claim in claims for end in (claim.subject, claim.object)}
        used = {entity for end in ends for entity in self._entity_ids(end)}
        return [
            name
            for name in names
            if not self._entity_ids(name.text) & used and not any(normal_form(name.text) in end for end in ends)
        ]

    def _entity_ids(self, name: str) -> set[int]:
        form = normal_form(name)
        return {entity for entity, _ in self.snapshot.entities_named([form]).get(form, ())}

    def _is_claim(self, claim: Claim) -> bool:
        """Whether a claim has two names and a predicate that the file or the ontology has."""
        if not normal_form(claim.subject) or not normal_form(claim.object):
            return False
        return self._has(stored_predicate(self.predicates, claim.predicate, self.snapshot.ontology).predicate)

    def _has(self, predicate: str) -> bool:
        return predicate in self.predicates or predicate in self.snapshot.ontology.predicates or predicate == IS_A

    def _by_names(self, sentence: str, names: Sequence[_Name]) -> list[Claim]:
        """The claims that a sentence states about the names in it, of "X is a Component" too if that is a type."""
        claims = list(self._between_names(sentence, names))
        found = _IS_A.match(sentence, names[0].end) if names else None
        if found is not None and is_type(self.snapshot, found["type"]):
            type_ = self.snapshot.ontology.spelling(found["type"])
            claims.append(Claim(names[0].text, IS_A, type_, bool(found["no"]), read_by=BY_NAMES))
        return claims

    def _between_names(self, sentence: str, names: Sequence[_Name]) -> Iterator[Claim]:
        """The claims that the words between neighbouring names state; members of a list share the predicate."""
        run = list(names[:1])
        last: tuple[list[_Name], Cue, bool] | None = None
        for at, (before, after) in enumerate(pairwise(names)):
            words = sentence[before.end : after.start]
            gap = self._gap(words)
            but = _BUT.fullmatch(words)
            if gap.cue is not None and gap.link == "possessive":
                last = None
                yield _claim_from_cue(after, gap.cue, before, sentence, negated=gap.negated)
            elif gap.cue is not None and gap.link == "cue":
                last = (_subjects(sentence, run), gap.cue, gap.negated)
            elif but is not None and last is not None and bool(but["no"]) != last[2]:
                last = (last[0], last[1], bool(but["no"]))
            elif gap.link not in {"list", "comma"}:
                last = None
            elif last is None:
                run = [*run, after]
                continue
            elif not _ends_clause(sentence, names, at + 1):
                last = None
            run = [after]
            if last is not None:
                subjects, cue, negated = last
                yield from (_claim_from_cue(subject, cue, after, sentence, negated=negated) for subject in subjects)

    def _gap(self, words: str) -> Gap:
        """The meaning of the words between two names: a stored predicate, or else what the lexicon reads."""
        arrow = _ARROW.fullmatch(words)
        if arrow is None and re.search(r"[^\w\s’'-]", words):
            return read_gap(words, self.lexicon)
        name = canonical_predicate(arrow["predicate"] if arrow else words)
        if name in self.predicates or name in self.snapshot.ontology.predicates:
            return Gap("cue", Cue((name,), name, swap=False, form="phrase"))
        gap = read_gap(words, self.lexicon)
        if gap.link in {"cue", "possessive", "list", "comma"}:
            return gap
        tokens = canonical_predicate(words.replace("’", "'").replace("n't", " not")).split("_")
        negated = not WORDS.negations.isdisjoint(tokens) or "longer" in tokens
        aside = WORDS.auxiliaries | WORDS.negations | WORDS.articles | {"longer", ""}
        bare = [token for token in tokens if token not in aside and not WORDS.is_adverb(token)]
        for form in ("_".join(bare), "_".join([f"{word}s" for word in bare[:1]] + bare[1:])):
            mapped = stored_predicate(self.predicates, form, self.snapshot.ontology)
            if form and self._has(mapped.predicate):
                return Gap("cue", Cue((form,), mapped.predicate, swap=mapped.swap, form="phrase"), negated=negated)
        return gap


def _extracted(
    text: str, spans: Sequence[tuple[int, int]], bodies: Sequence[str], extractors: Sequence[Extractor]
) -> list[tuple[str, Candidate]]:
    """The triples that each extractor reads in a text with other sentences, of the same lengths, at the spans."""
    for (start, end), body in zip(spans, bodies, strict=True):
        text = text[:start] + body + text[end:]
    document, chunk = Document("claim:", "", text), Chunk(0, 0, len(text), text)
    return [
        (extractor.name, triple)
        for extractor in extractors
        for triple in extractor.extract(document, [chunk])[0].triples
    ]


def _claim(candidate: Candidate, by: str) -> Claim:
    """The claim of a triple, at a moment at which it holds according to the sentence."""
    period = read_date(str(candidate.metadata.get("when", "")))
    moment = _moment_in(candidate.valid_from, candidate.valid_to) or (period[0] if period else None)
    return Claim(candidate.subject, candidate.predicate, candidate.object, as_of=moment, read_by=by)


def _moment_in(start: datetime | None, end: datetime | None) -> datetime | None:
    """A moment of a period: its first, or its last if it has no start."""
    return start or (end - timedelta(microseconds=1) if end else None)


def _names(snapshot: Snapshot, sentence: str) -> list[_Name]:
    """The stored names in a sentence, the longest at each position."""
    words = list(_WORD.finditer(sentence))[:MAX_WORDS]

    def name_at(at: int, to: int) -> _Name | None:
        first, last = words[at], words[to - 1]
        lower = to - at == 1 or (to - at == 2 and first[0].islower())
        if first[0].lower() in WORDS.articles or WORDS.is_stop(last[0]) or (WORDS.is_stop(first[0]) and lower):
            return None
        name = sentence[first.start() : last.end()]
        return _Name(name, first.start(), last.end()) if snapshot.entities_named([normal_form(name)]) else None

    return list(longest_runs(len(words), name_at))


def _unknown_capitalised(body: str, names: Sequence[_Name]) -> Iterator[str]:
    """Capitalised words, except the first, that are neither part of a stored name nor next to one."""
    for found in _CAPITALISED.finditer(body):
        beside = any(name.start <= found.end() + 1 and found.start() <= name.end + 1 for name in names)
        if body[: found.start()].strip() and not beside and not is_time_expression(found[0]):
            yield found[0]


def _subjects(sentence: str, run: list[_Name]) -> list[_Name]:
    """The subjects of a verb after a list of names: all if the last is joined by "and", or else the last."""
    listed = len(run) > 1 and re.search(r"\band\b|&", sentence[run[-2].end : run[-1].start])
    return run if listed else run[-1:]


def _ends_clause(sentence: str, names: Sequence[_Name], at: int) -> bool:
    """Whether a name ends its clause or list: in "A calls B and C calls D", C begins another clause."""
    rest = sentence[names[at].end : names[at + 1].start if at + 1 < len(names) else len(sentence)]
    return not rest.strip(" .,;!?)") or rest.split()[0].lower() in {"and", "or", ",", "as"}


def _claim_from_cue(before: _Name, cue: Cue, after: _Name, sentence: str, *, negated: bool) -> Claim:
    subject, object_ = (after, before) if cue.swap else (before, after)
    period = period_in(sentence, (0, len(sentence)))
    moment = _moment_in(period.start, period.end) if period else None
    return Claim(subject.text, cue.predicate, object_.text, negated, moment, read_by=BY_NAMES)


def _distinct_claims(claims: Sequence[Claim]) -> list[Claim]:
    """Each claim once; related_to and occurred_on only if the sentence has no other claim."""
    found: dict[tuple[str, str, str, bool], Claim] = {}
    for claim in claims:
        found.setdefault((claim.subject, claim.predicate, claim.object, claim.negated), claim)
    clear = [claim for claim in found.values() if claim.predicate not in {RELATED_TO, OCCURRED_ON}]
    return clear or list(found.values())
