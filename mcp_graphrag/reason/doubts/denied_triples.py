"""Triples that are denied: a stored sentence calls a report wrong, or says that it is not so, or no longer.

Or a later document tells of an event that ended it: what was owned was sold, what was somewhere moved.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from mcp_graphrag.english.dates import document_date
from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.extract import LiteExtractor
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.lookup.find_entities import nodes_of_ids
from mcp_graphrag.lookup.query_triples import fetch_triples, stored_predicate
from mcp_graphrag.model import Chunk, Document, StoredChunk, Triple
from mcp_graphrag.reason.doubts.later_holders import SINGLE
from mcp_graphrag.reason.doubts.stored_sentences import StoredSentence, dates_of_documents, sentences_with
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.triple_rows import predicates

MAX_TRIPLES = 50  # looked at for one answer
MAX_EVENTS = 200
# What ends by the events below: being owned, being somewhere, and what a thing does while it is there.
OWNED = frozenset({"owned_by", "parent"})
PLACED = frozenset(
    {"located_in", "based_in", "headquartered_in", "hosted_in", "hosted_on", "hosted_by", "runs_on", "stored_in"}
)
PRESENT = frozenset({"depends_on", "uses", "requires", "calls", "maintained_by", "operated_by"})
_CLOSING = frozenset({"retired_on", "closed_on", "dissolved_on"})
_EVENTS = _CLOSING | {"acquired_by", "sells", "transfers", "moved_to", "moved_from", "died_on", "left", "resigned_from"}
_WRONGLY = ("wrongly", "falsely", "mistakenly", "incorrectly", "erroneously")
_SOUGHT = " ".join(_WRONGLY)
_REPORT = re.compile(
    rf"\b(?:{'|'.join(_WRONGLY)})\s+(?:said|says?|stat(?:ed|es?)|report(?:ed|s)?|claim(?:ed|s)?|not(?:ed|es?)|wr(?:ote|ites?)"
    r"|written|announced?|asserted|alleged|suggested|believed|assumed)\s+(?:that\s+)?(?P<said>[^;:?\n]{5,300})",
    re.IGNORECASE,
)


# What is taken out of a sentence so that it states what it denied: "does not depend on", "is no longer hosted in".
# "Not the same as A, which …" denies nothing of A.
_KEEPING = r"(?!\s+(?:only|just|merely|identical|(?:quite\s+)?the\s+same|to\s+be\s+(?:confused|mistaken|mixed))\b)"
_AUXILIARY = "|".join(rf"(?<=\b{word})" for word in "is are was were does do did has have had".split())  # noqa: SIM905
NEGATION = re.compile(
    rf"(?:{_AUXILIARY})\s+not\b{_KEEPING}|\s+(?:no\s+longer|never)\b|(?<=[a-z])n['’]t\b"
    r"|\s+(?:any\s?more|any\s+longer)\b",
    re.IGNORECASE,
)
# What a negation is about: up to the next clause.
_CLAUSE = re.compile(r"(?:(?!,?\s(?:but|and|while|whereas|it|he|she|they)\b)[^;:])*")
_PRONOUNS = frozenset({"it", "them", "him", "her", "that", "this", "these", "those", "one", "either", "both"})
_TIMES = frozenset(map(str.capitalize, (*WORDS.months, *WORDS.weekdays)))


@dataclass(frozen=True)
class FalseReport:
    """A sentence that calls a report wrong, with its citation, and its chunk with what the report says as its text."""

    quote: str
    chunk: StoredChunk


def denied_triples(snapshot: Snapshot, triples: Sequence[Triple], *, of_now: bool = True) -> dict[int, str]:
    """The triples, by id, that stored sentences deny, each with what is said against it, quoted and cited.

    That something is not so, or no longer, counts only `of_now`, a wrong report always. Of the stored triples, and of
    those from which an inferred one follows, the first `MAX_TRIPLES` are looked at.
    """
    stored = {one.id: one for triple in triples for one in (triple.inferred_from or [triple]) if one.id}
    first = dict(list(stored.items())[:MAX_TRIPLES])
    wrong = {number: f"Said to be wrong: {quote}" for number, quote in _said_to_be_wrong(snapshot, first).items()}
    left = {number: triple for number, triple in first.items() if of_now and number not in wrong}
    return {**wrong, **denied_today(snapshot, left)}


def denied_today(snapshot: Snapshot, triples: Mapping[int, Triple]) -> dict[int, str]:
    """What says of triples, by id, that they do not hold today."""
    denied = {number: f"Denied: {quote}" for number, quote in _denied_in_text(snapshot, triples).items()}
    left = {number: triple for number, triple in triples.items() if number not in denied}
    return {**denied, **_ended(snapshot, left)}


def _ended(snapshot: Snapshot, triples: Mapping[int, Triple]) -> dict[int, str]:
    """The event after which a triple does not hold, by its id: both have dates, and that of the event is later."""
    known = predicates(snapshot.tx)
    wanted = {known[name]: name for name in _EVENTS if name in known}
    if not wanted or not triples:
        return {}
    ends = {number for triple in triples.values() for number in (triple.subject_id, triple.object_id)}
    graph = snapshot.triple_graph
    nodes = np.array(sorted(nodes_of_ids(graph, ends)), dtype=np.int64)
    slots, _ = graph.step(nodes, "out", np.array(sorted(wanted), dtype=np.int64))
    ids = graph.triple_ids[slots][:MAX_EVENTS].tolist()
    if not ids:
        return {}
    events = fetch_triples(snapshot, ids)
    said = dates_of_documents(snapshot, [*triples, *ids])
    found: dict[int, str] = {}
    for number, triple in triples.items():
        before = triple.valid_from or said[number]
        for event in events.values():
            after = event.valid_from or said[event.id]
            if before and after and before < after and _ends(event, triple):
                told = f"{event.subject} {event.predicate} {event.object}"
                found[number] = f"Ended: {told}, of {after:%Y-%m-%d}"
    return found


def _ends(event: Triple, triple: Triple) -> bool:
    """Whether a triple does not hold after an event, which is told of its subject or of its object."""
    subject, object_ = triple.subject_id, triple.object_id
    of_subject, is_other = event.subject_id == subject, event.object_id not in {subject, object_}
    if event.predicate in _CLOSING:
        return triple.predicate in PRESENT | PLACED | OWNED
    if event.predicate == "acquired_by":
        return triple.predicate in OWNED and of_subject and is_other
    if event.predicate in {"sells", "transfers"}:
        return triple.predicate in OWNED and event.subject_id == object_ and event.object_id == subject
    if event.predicate in {"moved_to", "moved_from"}:
        return (
            triple.predicate in PLACED
            and of_subject
            and (event.object_id == object_) == (event.predicate == "moved_from")
        )
    is_of_holder = triple.predicate in SINGLE and event.subject_id == object_
    return is_of_holder and (event.predicate == "died_on" or event.object_id == subject)


def _said_to_be_wrong(snapshot: Snapshot, triples: Mapping[int, Triple]) -> dict[int, str]:
    """The sentence that says of a triple that it was wrongly reported, by the triple's id."""
    found: dict[int, str] = {}
    for triple in triples.values():
        for report in false_reports(snapshot, f"{triple.subject} {triple.object}"):
            if states(snapshot, triple, report.chunk.text):
                found[triple.id] = report.quote
    return found


def _denied_in_text(snapshot: Snapshot, triples: Mapping[int, Triple]) -> dict[int, str]:
    """The sentence that states the negation of a triple, by the triple's id.

    Not one of a document that is dated before those of the triple.
    """
    said: dict[int, datetime | None] = {}
    found: dict[int, str] = {}
    for triple in triples.values():
        ends = triple.subject.casefold(), triple.object.casefold()
        for sentence in _denying(snapshot, *ends):
            if not said:
                said = dates_of_documents(snapshot, triples)
            denied_on, said_on = document_date(sentence.chunk.document.metadata), said[triple.id]
            is_earlier = denied_on is not None and said_on is not None and denied_on < said_on
            if is_earlier or not _denies(snapshot, triple, sentence.text):
                continue
            found[triple.id] = sentence.quoted()
            break
    return found


def _denying(snapshot: Snapshot, subject: str, object_: str) -> Iterator[StoredSentence]:
    """The sentences with both names and a negation."""
    for sentence in sentences_with(snapshot, f"{subject} {object_}", NEGATION):
        folded = " ".join(sentence.text.casefold().split())
        if subject in folded and object_ in folded:
            yield sentence


def _denies(snapshot: Snapshot, triple: Triple, text: str) -> bool:
    """Whether a sentence states a triple without its negation, which is not of another thing.

    "A borders B; it does not border C" does not deny that A borders B.
    """
    if not states(snapshot, triple, " ".join(NEGATION.sub("", text).split())):
        return False
    return not (_is_of_others(triple, text) and states(snapshot, triple, text))


def _is_of_others(triple: Triple, text: str) -> bool:
    """Whether what is negated names other things alone, neither an end of a triple nor a pronoun for one."""
    for negation in NEGATION.finditer(text):
        said = _CLAUSE.match(text, negation.end())
        words = set(said[0].split()) if said is not None else set[str]()
        ends = {word for name in (triple.subject, triple.object) for word in name.split()}
        named = {word.strip(".,") for word in words if word[0].isupper()} - _TIMES
        if not named or not named.isdisjoint(ends) or not _PRONOUNS.isdisjoint(words):
            return False
    return True


def states(snapshot: Snapshot, triple: Triple, text: str) -> bool:
    """Whether a text states a stored triple."""
    ends = normal_form(triple.subject), normal_form(triple.object)
    return (ends[0], triple.predicate, ends[1]) in _triples_in(snapshot, text)


def false_reports(snapshot: Snapshot, words: str) -> Iterator[FalseReport]:
    """The stored sentences that call a report wrong in the chunks that have most of the words."""
    for sentence in sentences_with(snapshot, f"{words} {_SOUGHT}", _REPORT):
        report = _REPORT.search(sentence.text)
        chunk = sentence.chunk
        said = report["said"].strip(" .") + "." if report is not None else ""
        alone = replace(chunk, document=replace(chunk.document, title=""), text=said, headings=(), context="")
        yield FalseReport(sentence.quoted(), alone)


def _triples_in(snapshot: Snapshot, text: str) -> set[tuple[str, str, str]]:
    """The triples of a sentence, by normal forms and stored predicates."""
    document = Document("memory://report", "", text, "text/plain")
    known = predicates(snapshot.tx)
    found: set[tuple[str, str, str]] = set()
    for extraction in LiteExtractor().extract(document, [Chunk(0, 0, len(text), text)]):
        for triple in extraction.triples:
            mapped = stored_predicate(known, triple.predicate, snapshot.ontology)
            ends = normal_form(triple.subject), normal_form(triple.object)
            first, second = reversed(ends) if mapped.swap else ends
            found.add((first, mapped.predicate, second))
    return found
