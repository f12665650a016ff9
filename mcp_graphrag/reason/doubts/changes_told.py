"""Sentences that may tell that a triple is wrong or over, and that no reader took apart: to be read by whoever asks.

They are found by the words of changes and corrections beside a name of the triple, or right behind its evidence; so
they decide nothing, and an answer that rests on the triple is marked as uncertain.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from itertools import islice
from typing import TypeAlias

from mcp_graphrag.english.dates import dates_in, document_date, read_date
from mcp_graphrag.index.triple_graph import MAX_AGE
from mcp_graphrag.model import StoredChunk, Triple
from mcp_graphrag.reason.doubts.denied_triples import NEGATION, OWNED, PLACED, PRESENT, denied_today, states
from mcp_graphrag.reason.doubts.later_holders import MAY_CHANGE
from mcp_graphrag.reason.doubts.stored_sentences import StoredSentence, chunks_about, dates_of_documents, sentences_of
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.engine.transaction import now

MAX_TRIPLES, MAX_TOLD = 5, 2  # triples that are looked at for one answer, sentences told of each
MAX_DOUBTED = 20  # triples of paths, of which there may be many
NEAR = 6  # words between a name and what it does
BEHIND = 2  # sentences behind the evidence that may take it back without its names

_GONE = (
    r"shut(?:ting)?|switch(?:es|ed|ing)|clos(?:es|ed|ing)|decommission\w{0,5}|retire[sd]?"
    r"|retiring|dissolved|dismantled"
)
_HANDED = r"hand(?:s|ed|ing)\s+(?:[^\s.;]{1,40}\s+){0,5}?(?:over|to|off|back)"
_GIVEN = (
    rf"sold|sells|selling|{_HANDED}|transfer(?:s|red|ring)|t(?:akes|ook|aken|aking)\s+over"
    r"|bought|buys|acquire[sd]?"
)
_OUT = r"replac(?:es|ed|ing)|migrat(?:es|ed|ing)|mov(?:es|ed|ing)|left|leaves|leaving"
_DROPPED = r"dropp?(?:s|ed|ing)|remov(?:es|ed|ing)|superseded|swapped|phased\s+out|scrapped|abandoned"
_HOLDER = (
    r"left|leaves?|leaving|resign(?:s|ed|ing)?|retire[sd]?|retiring|died|dies|passed\s+away|step(?:s|ped|ping)?\s+down"
    rf"|st(?:ands?|ood|anding)\s+down|{_HANDED}|succeeded|replaced|fired|dismissed|ousted|depart(?:s|ed)?"
)
_ROLES = frozenset({"leads", "works_for", "employed_by", "member_of", "has_role", "affiliated_with"})
_ENDS_OF = (
    (MAY_CHANGE - OWNED | _ROLES, rf"{_HOLDER}|new|next|incoming|interim|acting"),
    (OWNED | {"owns", "belongs_to", "subsidiary"}, rf"{_GIVEN}|{_GONE}|annulled|merged"),
    (PLACED, rf"{_OUT}|{_GONE}|relocat\w{{1,4}}|demolished|transferred"),
    (PRESENT, rf"{_OUT}|{_GONE}|{_DROPPED}"),
)
_ANY_END = rf"{_HOLDER}|{_GIVEN}|{_GONE}|{_OUT}|{_DROPPED}"
_NAMES = re.compile(r"(?<![.!?] )(?!The\b|An?\b)[A-Z][\w-]{0,40}(?: [A-Z\d][\w-]{0,40}){0,5}")
_Span: TypeAlias = tuple[str, int, int]
_OVER = r"no\s+longer|any\s?more|any\s+longer|used\s+to|former(?:ly)?|previously|outdated|obsolete"
_WRONG = (
    r"wrong(?:ly)?|mistake[ns]?|mistaken(?:ly)?|incorrect(?:ly)?|correction|corrected|retract\w{0,5}|scratch\s+that|oops"
    r"|mixed\s+up|untrue|erroneous(?:ly)?|misread|misheard|misremembered|confused"
)
_CALLED_WRONG = re.compile(rf"\b(?:{_WRONG})\b", re.IGNORECASE)
_STILL = re.compile(rf"\b(?:{_OVER}|{_WRONG})\b|{NEGATION.pattern}", re.IGNORECASE)
_WORD = r"[^\s.;:!?]{1,40}"
_TURN = r"(?:\[?\d\d?:\d\d[^\w\n]{0,5})?(?:[\w.'’-]{1,30}(?: [\w.'’-]{1,30})?\W{0,3}:)"
# What the next sentences may say of the one before: "that's what the contract says, but they moved out".
_TAKES_BACK = re.compile(
    rf"[\W_]*(?:{_TURN})?[\W_]*(?:(?:no|nope|sorry|oops|wrong|actually|scratch\s+that|correction"
    r"|not\s+(?:any\s?more|so|quite|true|right|yet))\b"
    r"|(?:that|this)(?:['’]s|\s+(?:is|was))\s+(?:what|not|no\s+longer|wrong|how|outdated|old|the\s+old)\b"
    r"|(?:it|they|that|he|she)\s+(?:isn|aren|wasn|doesn|don)['’]t\b"
    r"|.{0,200}\b(?:my\s+(?:mistake|bad)|i\s+was\s+wrong|mixed\s+(?:that|it|them)\s+up|take\s+(?:that|it)\s+back"
    r"|stand\s+corrected)\b)",
    re.IGNORECASE,
)


def changes_told(snapshot: Snapshot, triples: Iterable[Triple], *, of_now: bool = True) -> list[str]:
    """The sentences, quoted and cited, that may tell that triples are wrong or, `of_now`, that they are over.

    Of stored triples with evidence in documents, the first `MAX_TRIPLES`. What is dated before the triple is left out.
    """
    stored = {one.id: one for triple in triples for one in (triple.inferred_from or [triple]) if one.id}
    first = dict([(number, triple) for number, triple in stored.items() if triple.evidence][:MAX_TRIPLES])
    said = dates_of_documents(snapshot, first) if first else {}
    found: list[str] = []
    for number, triple in first.items():
        over = _end_of(triple.predicate) if of_now and triple.valid_to is None else None
        told = _Told(snapshot, (triple.subject, triple.object), spans_of(triple), said[number], over, triple)
        found += told.marked()
    return list(dict.fromkeys(found))


def changes_told_of_sentence(
    snapshot: Snapshot, sentence: str, citation: str, said: datetime | None, *, of_now: bool
) -> list[str]:
    """Likewise of a stored sentence with a citation, in a document of a date, by the names that it has."""
    names = [found[0] for found in _NAMES.finditer(sentence)]
    over = _cue(_ANY_END) if of_now else None
    ends = (names[0], names[-1]) if len(names) > 1 else (names[0],) if names else ()
    uri, _, span = citation.rpartition("#chunk:")
    start, _, end = span.partition("@")[0].partition("-")
    return _Told(snapshot, ends, ((uri, int(start), int(end)),), said, over).marked() if ends else []


def naming_both(snapshot: Snapshot, subject: str, object_: str, triples: Iterable[Triple] = ()) -> str:
    """A sentence, quoted and cited, that has both names and is no evidence of the triples; "" if there is none."""
    ends = _named(subject), _named(object_)
    known = [span for triple in triples for span in spans_of(triple)]
    for chunk in chunks_about(snapshot, f"{subject} {object_}"):
        if not all(end.search(chunk.text) for end in ends):
            continue
        for sentence in sentences_of(chunk):
            if all(end.search(sentence.text) for end in ends) and not is_within(sentence, known):
                return sentence.quoted()
    return ""


def naming_its_names(snapshot: Snapshot, claim: str) -> str:
    """A sentence, quoted and cited, that has the first and the last name of a claim; "" if there is none."""
    names = [found[0] for found in _NAMES.finditer(claim)]
    return naming_both(snapshot, names[0], names[-1]) if len(set(names)) > 1 else ""


def doubts_about(snapshot: Snapshot, triples: Sequence[Triple]) -> list[str]:
    """What stored sentences say, or may say, against triples today, of the first `MAX_DOUBTED`."""
    moment = snapshot.when.as_of or snapshot.when.known_at or now()
    if moment < now() - MAX_AGE:
        return []  # what is denied today may have been so then
    first = {triple.id: triple for triple in islice((triple for triple in triples if triple.id), MAX_DOUBTED)}
    denied = denied_today(snapshot, first)
    left = [triple for number, triple in first.items() if number not in denied]
    return [*dict.fromkeys(denied.values()), *changes_told(snapshot, left)]


@dataclass(frozen=True)
class _Cue:
    """The words of an end, alone and near a name."""

    or_wrong: re.Pattern[str]  # or of a correction, anywhere in a sentence
    behind: re.Pattern[str]  # from the end of a name
    before: re.Pattern[str]  # to the beginning of a name


@cache
def _cue(words: str) -> _Cue:
    end = rf"\b(?:{words})\b"
    return _Cue(
        re.compile(rf"{_STILL.pattern}|{end}", re.IGNORECASE),
        re.compile(rf"(?:\s+{_WORD}){{0,{NEAR}}}?\s+{end}", re.IGNORECASE),
        re.compile(rf"{end}(?:\s+{_WORD}){{0,3}}\s+\Z", re.IGNORECASE),
    )


@dataclass(frozen=True)
class _Told:
    """What the text tells of a statement by its names. `over`: what may tell of its end, None for what lasts."""

    snapshot: Snapshot
    names: Sequence[str]
    spans: Sequence[_Span]  # where it is stated
    said: datetime | None  # the date of its documents
    over: _Cue | None
    triple: Triple | None = None

    def marked(self) -> list[str]:
        """The first `MAX_TOLD` sentences that may tell that it is wrong or over."""
        return [f"May be over or wrong: {sentence.quoted()}" for sentence in islice(self._sentences(), MAX_TOLD)]

    def _sentences(self) -> Iterator[StoredSentence]:
        for chunk in chunks_about(self.snapshot, " ".join(self.names)):
            if not self._is_earlier(chunk):
                yield from self._of_chunk(chunk)

    @cached_property
    def _ends(self) -> Sequence[re.Pattern[str]]:
        """What finds each name."""
        return [_named(name) for name in self.names]

    def _of_chunk(self, chunk: StoredChunk) -> Iterator[StoredSentence]:
        behind = 0  # how many of the next sentences may speak of the evidence
        after = not self._is_of_evidence(chunk)  # whether the evidence stands before, or in another document
        for sentence in sentences_of(chunk):
            text = sentence.text
            if is_within(sentence, self.spans):
                behind, after = (0 if _ends_paragraph(text) else BEHIND), True
                continue
            named = [end.search(text) is not None for end in self._ends]
            if (behind and not all(named) and _TAKES_BACK.match(text)) or (
                any(named) and after and not self._is_of_before(text) and self._may_end(text, named)
            ):
                yield sentence
            behind = 0 if _ends_paragraph(text) else max(behind - 1, 0)

    def _may_end(self, text: str, named: Sequence[bool]) -> bool:
        """Whether a sentence with a name of it may tell that it is over, or wrong."""
        over = self.over
        if all(named) and len(named) > 1:
            cue = over.or_wrong if over else _CALLED_WRONG
            return cue.search(text) is not None and not (self.triple and states(self.snapshot, self.triple, text))
        if not named[0] and self.triple and self.triple.predicate in _ROLES:
            return False  # what becomes of an office says nothing of one that has it
        end = self._ends[0] if named[0] else self._ends[-1]
        return over is not None and _is_near(end, over, text)

    def _is_earlier(self, chunk: StoredChunk) -> bool:
        date = document_date(chunk.document.metadata)
        return date is not None and self.said is not None and date < self.said and not self._is_of_evidence(chunk)

    def _is_of_evidence(self, chunk: StoredChunk) -> bool:
        return any(uri == chunk.document.uri for uri, _, _ in self.spans)

    def _is_of_before(self, text: str) -> bool:
        """Whether all dates of a sentence lie before a triple began."""
        since = self.triple.valid_from if self.triple else None
        dates = [date for start, end in dates_in(text) if (date := read_date(text[start:end]))]
        return since is not None and bool(dates) and all(date[1] <= since for date in dates)


def spans_of(triple: Triple) -> list[_Span]:
    """Where a triple is stated: uri, start and end."""
    return [
        (one.citation.rpartition("#chunk:")[0], one.start, one.end)
        for one in triple.evidence
        if one.start is not None and one.end is not None
    ]


def is_within(sentence: StoredSentence, spans: Iterable[_Span]) -> bool:
    """Whether a sentence has something of the spans."""
    uri, first, last = sentence.chunk.document.uri, sentence.start, sentence.start + len(sentence.text.rstrip())
    return any(where == uri and start < last and first < end for where, start, end in spans)


def _named(name: str) -> re.Pattern[str]:
    """Finds a name as whole words, and not as the beginning of a longer one: "Plover" in "Plover II"."""
    words = r"\s+".join(re.escape(word) for word in name.split())
    is_word = name.islower() or len(name.split()) > 1  # "Must" is no "must"
    flags = re.IGNORECASE if is_word else 0
    return re.compile(rf"(?<![\w-]){words}(?![\w]|[ -](?:[IVX]{{1,4}}|\d[\w.]*)\b)", flags)


def _end_of(predicate: str) -> _Cue | None:
    """What may tell of the end of a state of a predicate, None for what lasts."""
    words = "|".join(cues for predicates, cues in _ENDS_OF if predicate in predicates)
    return _cue(words) if words else None


def _ends_paragraph(text: str) -> bool:
    return "\n\n" in text[len(text.rstrip()) :]


def _is_near(name: re.Pattern[str], cue: _Cue, text: str) -> bool:
    """Whether a word of an end stands near a name in a sentence, with no other clause between."""
    return any(
        cue.behind.match(text, found.end()) or cue.before.search(text[max(found.start() - 80, 0) : found.start()])
        for found in name.finditer(text)
    )
