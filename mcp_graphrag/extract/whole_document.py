"""What the chunks of a document say, in the light of the whole document.

Some of it the document takes back, dates elsewhere, or says of another time; names have one type in all of it.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime

from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.english.spans import Span
from mcp_graphrag.extract.english.periods import EVENTS
from mcp_graphrag.extract.english.unasserted.headings import (
    is_of_past,
    is_unreal,
    led_in_spans,
    past_spans,
    unreal_spans,
)
from mcp_graphrag.extract.english.unasserted.quoted_mail import quoted_spans
from mcp_graphrag.extract.english.unasserted.retractions import is_void
from mcp_graphrag.extract.layout.changelogs.release_sections import date_entries
from mcp_graphrag.extract.layout.defaults import HAS_DEFAULT
from mcp_graphrag.extract.layout.topics import named_otherwise
from mcp_graphrag.extract.top_k import Findings
from mcp_graphrag.mentions.find_mentions import DraftMention, is_passing_phrase
from mcp_graphrag.mentions.guessed_types import is_guess, is_named_thing, no_persons, no_places
from mcp_graphrag.mentions.type_by_shape import type_of_name
from mcp_graphrag.model import Candidate, Chunk, Document
from mcp_graphrag.processor_time import check_time

_PAST_TENSE = re.compile(r"\b(?:was|were|had|did|(?<!is )(?<!are )[a-z]{2,}ed)\b")
_OVER = re.compile(r"\b(?:no longer|any ?more|any longer|stop(?:s|ped)|ceased?s?)\b")
_BREAK = re.compile(r"[;:!?\n]|\.(?!\w)")
MAX_CLAUSE = 200  # characters on either side of such words
_WORKS = frozenset(
    {
        "novel",
        "book",
        "film",
        "movie",
        "play",
        "musical",
        "opera",
        "song",
        "album",
        "series",
        "game",
        "poem",
        "painting",
    }
)
_LIFE = re.compile(
    # Words of bounded length: a text without spaces would be searched to its end from each of its names.
    r"(?<![\w.])(?P<name>(?:[^\W\d_a-z][\w.’'-]{,40}[ \xa0]){1,4}[^\W\d_a-z][\w’'-]{,40})[ \xa0]"
    r"\((?:[^()\n]{0,20}?\b(?:born|b\.)[^()\n]{0,20}?)?(?:c\.\s*)?(?P<year>1\d{3}|20\d\d)(?!\d)(?=\s*[-–—)])"
)
# "Fern may also refer to:"
_DISAMBIGUATION = re.compile(
    r"^(?P<name>[^\n]{1,60}?)(?: or [^\n]{1,60})? may (?:also )?refer to\b[^\n]{0,20}:", re.MULTILINE
)
MAX_OPENING = 1_000  # characters in which a list of namesakes says so
MIN_DEFINED = 3  # terms
_DEFINED = re.compile(
    r"[\"“](?:[Tt]he\s|[Aa]n?\s)?([A-Z][^\"“”\n]{1,40})[\"”]\s+(?:(?:shall|will)\s+)?"
    r"(?:means?|refers?\s+to|denotes?|(?:is|are)\s+(?:any|each|a|an|the))\b"
)
_USED = re.compile(r"\b(?:us(?:es?|ing)|adopts?|keeps?|to|on|with|choos(?:es?|ing))\s+(?:the\s+)?`?\Z", re.IGNORECASE)
_NUMBER = r"\W*(?:\d[\d.]*[.)]?\s+)?"
_DECISION = re.compile(
    rf"{_NUMBER}(?:the\s+)?(?:decisions?|resolution)(?:\s+(?:outcome|made|taken))?\W*\Z", re.IGNORECASE
)
_BACKGROUND = re.compile(
    rf"{_NUMBER}(?:context(?:\s+and\s+problem(?:\s+statement)?)?|background|problem(?:\s+statement)?|motivation|status\s+quo"
    r"|current\s+(?:state|situation|setup|solution)|today|as[- ]is)\W*\Z",
    re.IGNORECASE,
)


def read_as_one(
    document: Document, chunks: Sequence[Chunk], found: Sequence[Findings], elsewhere: Set[str], lexicon: Lexicon
) -> dict[str, str]:
    """The type of each name that has one, after `found` was mended, with an item per chunk.

    `elsewhere` are names whose types are known from other documents.
    """
    defaults = [
        chunk.start + (triple.start or 0)
        for findings, chunk in zip(found, chunks, strict=True)
        for triple in findings.triples
        if triple.predicate == HAS_DEFAULT
    ]
    unreal = spans_not_so(document, defaults)
    past = past_spans(document)
    for findings, chunk in zip(found, chunks, strict=True):
        _drop_unreal(findings, document, chunk, unreal)
        _drop_states_of_past(findings, document, chunk, past, lexicon)
    _drop_namesakes(document.text, found)
    _drop_defined_terms(document.text, found)
    _drop_other_works(document.text, found)
    _share_periods(found)
    if not date_entries(document, chunks, found, lexicon):
        _drop_taken_back(document, chunks, found, lexicon)
    if elsewhere:
        _without_types(found, elsewhere)
    no_classes = {(name, "Class") for name in named_otherwise(document)}
    things = no_places(triple for findings in found for triple in findings.all_triples)
    types = dict(_most_frequent_types(found).items() - no_classes)
    types = {name: type_ for name, type_ in types.items() if name not in things or not is_guess(name, type_)}
    used = no_persons(triple for findings in found for triple in findings.all_triples)
    named_things = _named_things(chunks, found, types)
    types = {
        name: type_
        for name, type_ in types.items()
        if name not in named_things and not (type_ == "Person" and name in used)
    }
    _drop_heading_names(document, chunks, found, types)
    _drop_passing_phrases(chunks, found, types)
    return types


def spans_not_so(document: Document, defaults: Sequence[int] = ()) -> list[Span]:
    """Where a document says that something is not so, not yet, or in another one: all of it where it is void.

    `defaults` are the places that give an option its default.
    """
    if is_void(document):
        return [(0, len(document.text))]
    return [*unreal_spans(document, defaults), *led_in_spans(document), *quoted_spans(document.text)]


def _named_things(chunks: Sequence[Chunk], found: Sequence[Findings], types: Mapping[str, str]) -> set[str]:
    """The names with the form of a person's that the document gives to a thing: "the yacht Albertine"."""
    return {
        one.name
        for findings, chunk in zip(found, chunks, strict=True)
        for one in findings.mentions
        if types.get(one.name) == "Person"
        and is_named_thing(chunk.text[max(one.start - 40, 0) : one.start], chunk.text[one.end : one.end + 20])
    }


def _drop_unreal(findings: Findings, document: Document, chunk: Chunk, unreal: Sequence[Span]) -> None:
    """Drop the triples of a chunk that stand where the document says that something is not so."""
    everything = not document.blocks and is_unreal(chunk.headings)  # blocks have headings of their own

    def holds(triple: Candidate) -> bool:
        at = chunk.start + (triple.start or 0)
        return not everything and not any(start <= at < end for start, end in unreal)

    if everything or unreal:
        findings.triples = [triple for triple in findings.triples if holds(triple)]
        findings.row_triples = [triple for triple in findings.row_triples if holds(triple)]


def _drop_namesakes(text: str, found: Sequence[Findings]) -> None:
    """Drop the triples about a name that the document gives to two persons, by the years of their lives, or to many."""
    born: dict[str, set[str]] = {}
    for life in _LIFE.finditer(text):
        born.setdefault(life["name"], set()).add(life["year"])
    shared = {name for name, years in born.items() if len(years) > 1}
    for page in _DISAMBIGUATION.finditer(text[:MAX_OPENING]):
        shared.add(page["name"])
    _drop_about(shared, found)


def _drop_defined_terms(text: str, found: Sequence[Findings]) -> None:
    """Drop the triples about the terms that a contract or licence defines: "“Licensor” means …" is nobody's name."""
    terms = {term[1] for term in _DEFINED.finditer(text)}
    if len(terms) >= MIN_DEFINED:
        _drop_about({*terms, *(f"{term}s" for term in terms)}, found)


def _drop_other_works(text: str, found: Sequence[Findings]) -> None:
    """Drop what is said of "the film A" where the document is about the novel A: two works of one name."""
    kinds = {
        (one.subject.casefold().removeprefix("the "), one.object.casefold().split()[-1])
        for findings in found
        for one in findings.all_triples
        if one.predicate == "is_a" and not _WORKS.isdisjoint(one.object.casefold().split()[-1:])
    }
    for name, kind in kinds:
        check_time()
        others = re.compile(
            rf"\b(?:{'|'.join(sorted(_WORKS - {kind}))})[ \xa0][\"“*_]{{0,3}}(?:the )?{re.escape(name)}(?!\w)",
            re.IGNORECASE,
        )
        if others.search(text) is None:
            continue
        for findings in found:
            for triples in (findings.triples, findings.row_triples):
                triples[:] = [one for one in triples if not _is_of_other(one, name, others)]


def _is_of_other(triple: Candidate, name: str, others: re.Pattern[str]) -> bool:
    ends = {end.casefold().removeprefix("the ") for end in (triple.subject, triple.object)}
    return name in ends and others.search(triple.quote or "") is not None


def _drop_about(names: Set[str], found: Sequence[Findings]) -> None:
    for findings in found if names else ():
        for triples in (findings.triples, findings.row_triples):
            triples[:] = [one for one in triples if names.isdisjoint((one.subject, one.object))]


def _drop_states_of_past(
    findings: Findings, document: Document, chunk: Chunk, past: Sequence[Span], lexicon: Lexicon
) -> None:
    """Drop undated states in the present tense that stand under a heading for the past."""
    whole = not document.blocks and is_of_past(chunk.headings)
    if not past and not whole:
        return

    def holds(triple: Candidate) -> bool:
        at = chunk.start + (triple.start or 0)
        is_dated = triple.valid_from or triple.valid_to or "when" in triple.metadata
        is_event = triple.predicate in EVENTS or triple.predicate in lexicon.events
        is_inside = whole or any(start <= at < end for start, end in past)
        return bool(is_dated) or is_event or not is_inside or _PAST_TENSE.search(triple.quote or "") is not None

    findings.triples = [triple for triple in findings.triples if holds(triple)]


def _drop_taken_back(document: Document, chunks: Sequence[Chunk], found: Sequence[Findings], lexicon: Lexicon) -> None:
    """Drop undated states that the document elsewhere says to be over, or that stand in front of a decision on them."""
    endings = [_clause(document.text, found.start()) for found in _OVER.finditer(document.text)]
    headed = [(block, block.headings[-1]) for block in document.blocks if block.headings and block.kind != "heading"]
    decided = " ".join(document.text[block.start : block.end] for block, head in headed if _DECISION.match(head))
    background = [(block.start, block.end) for block, head in headed if decided and _BACKGROUND.match(head)]
    if not endings and not background:
        return

    def holds(triple: Candidate, chunk: Chunk) -> bool:
        if triple.valid_from or triple.valid_to or triple.predicate in EVENTS or triple.predicate in lexicon.events:
            return True
        if any(_ends(ending, triple.subject, triple.object) for ending in endings):
            return False
        at = chunk.start + (triple.start or 0)
        is_before = any(start <= at < end for start, end in background)
        is_changed = is_before and (_changes(decided, triple.subject) or _changes(decided, triple.object))
        return not is_changed or _PAST_TENSE.search(triple.quote or "") is not None

    for findings, chunk in zip(found, chunks, strict=True):
        findings.triples = [triple for triple in findings.triples if holds(triple, chunk)]
        findings.row_triples = [triple for triple in findings.row_triples if holds(triple, chunk)]


def _clause(text: str, at: int) -> str:
    """The clause around an offset, as far as it is within `MAX_CLAUSE` characters."""
    before = _BREAK.split(text[max(at - MAX_CLAUSE, 0) : at])[-1]
    return before + _BREAK.split(text[at : at + MAX_CLAUSE], maxsplit=1)[0]


def _changes(decided: str, name: str) -> bool:
    """Whether a decision names something otherwise than as what is used from then on."""
    named = re.finditer(re.escape(name), decided) if name in decided else ()
    return any(_USED.search(decided, max(found.start() - 20, 0), found.start()) is None for found in named)


def _ends(clause: str, subject: str, object_: str) -> bool:
    """Whether a clause says that something between two names is over, in either order."""
    if subject not in clause or object_ not in clause:
        return False
    first, last = sorted((clause.find(subject), clause.rfind(object_)))
    return _OVER.search(clause, first, last) is not None


def _share_periods(found: Sequence[Findings]) -> None:
    """Give an undated triple the time that the document states elsewhere, where it states only one."""
    periods: dict[tuple[str, str, str], set[tuple[datetime | None, datetime | None]]] = {}
    for triple in (triple for findings in found for triple in findings.all_triples):
        if triple.valid_from or triple.valid_to:
            key = (triple.subject, triple.predicate, triple.object)
            periods.setdefault(key, set()).add((triple.valid_from, triple.valid_to))
    for triples in (triples for findings in found for triples in (findings.triples, findings.row_triples)):
        for index, triple in enumerate(triples):
            stated = periods.get((triple.subject, triple.predicate, triple.object), ())
            if len(stated) == 1 and not (triple.valid_from or triple.valid_to):
                ((valid_from, valid_to),) = stated
                triples[index] = replace(triple, valid_from=valid_from, valid_to=valid_to)


def _without_types(found: Iterable[Findings], names: Set[str]) -> None:
    """Give names that are known from elsewhere the types that they have by themselves.

    The graph has their other types already, and may lose them again.
    """

    def own(name: str, type_: str | None) -> str | None:
        return type_of_name(name, "", "") if name in names else type_

    def with_own(triple: Candidate) -> Candidate:
        if names.isdisjoint((triple.subject, triple.object)):
            return triple
        types = own(triple.subject, triple.subject_type), own(triple.object, triple.object_type)
        return replace(triple, subject_type=types[0], object_type=types[1])

    for findings in found:
        findings.mentions = [one._replace(type=own(one.name, one.type)) for one in findings.mentions]
        findings.triples = [with_own(triple) for triple in findings.triples]
        findings.row_triples = [with_own(triple) for triple in findings.row_triples]


def _drop_heading_names(
    document: Document, chunks: Sequence[Chunk], found: Sequence[Findings], types: Mapping[str, str]
) -> None:
    """Drop untyped names that occur only in headings: they name a section, not an entity."""
    headings = [(block.start, block.end) for block in document.blocks if block.kind == "heading"]
    starts = [start for start, _ in headings]

    def in_heading(mention: DraftMention, chunk: Chunk) -> bool:
        at = bisect_right(starts, chunk.start + mention.start) - 1
        return at >= 0 and chunk.start + mention.end <= headings[at][1]

    triples = [triple for findings in found for triple in findings.all_triples]
    used = types.keys() | {name for triple in triples for name in (triple.subject, triple.object)}
    for findings, chunk in zip(found, chunks, strict=True):
        used |= {mention.name for mention in findings.mentions if not in_heading(mention, chunk)}
    for findings in found:
        findings.mentions = [mention for mention in findings.mentions if mention.name in used]


def _drop_passing_phrases(chunks: Sequence[Chunk], found: Sequence[Findings], types: Mapping[str, str]) -> None:
    """Drop untyped names of ordinary words that the document says once and states nothing of."""
    said = Counter(mention.name for findings in found for mention in findings.mentions)
    stated = {name for findings in found for one in findings.all_triples for name in (one.subject, one.object)}
    for findings, chunk in zip(found, chunks, strict=True):
        findings.mentions = [
            one
            for one in findings.mentions
            if said[one.name] > 1 or one.name in types or one.name in stated or not is_passing_phrase(chunk.text, one)
        ]


def _most_frequent_types(found: Sequence[Findings]) -> dict[str, str]:
    """The type that the document gives to a name most often, none for two equally frequent ones.

    What the predicates of triples expect counts only for names that have no type of their own.
    """
    own = [(mention.name, mention.type) for findings in found for mention in findings.mentions if mention.type]
    named = {name for name, _ in own}
    triples = [triple for findings in found for triple in findings.all_triples]
    ends = [(triple.subject, triple.subject_type) for triple in triples]
    ends += [(triple.object, triple.object_type) for triple in triples]
    return _majority((name, type_) for name, type_ in ends if type_ and name not in named) | _majority(own)


def _majority(typed: Iterable[tuple[str, str | None]]) -> dict[str, str]:
    best: dict[str, tuple[int, str | None]] = {}
    for (name, type_), count in Counter(typed).items():
        most = best.get(name, (0, None))[0]
        if count >= most:
            best[name] = (count, type_ if count > most else None)
    return {name: type_ for name, (_, type_) in best.items() if type_ is not None}
