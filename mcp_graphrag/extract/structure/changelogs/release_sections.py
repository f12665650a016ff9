"""Sections of changelogs: what an entry says was so when its release came out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from mcp_graphrag.english.dates import FULL_DATE, MONTH, read_date
from mcp_graphrag.english.lexicon import Lexicon
from mcp_graphrag.extract.periods import EVENTS
from mcp_graphrag.extract.top_k import Findings
from mcp_graphrag.model import Candidate, Chunk, Document

_DATE = rf"(?:{FULL_DATE}|{MONTH} \d{{4}})"
_RELEASE = re.compile(
    r"(?P<name>(?:[A-Za-z@][\w./@-]{0,40} ){0,3}?)(?:(?:[Vv]ersion|[Rr]elease) )?"
    r"\[?v?(?P<version>\d{1,5}(?:\.\d{1,6}){1,3})(?:[-.+~]?[a-z]{1,5}[.-]?\d{0,4})?\]?(?:\([^()\s]*\))?"
    rf"(?: *(?:[-–—:,|]|\() *(?:[Rr]eleased (?:on )?)?(?P<date>{_DATE})\)?| (?P<day>\d{{4}}-\d\d-\d\d))?"
    r"(?: *\[[A-Z]+\])?\s*"
)
_CHANGELOG = re.compile(
    r"\b(?:change ?-?log|changes|release notes|releases|release history|version history|what['’]s new|news)\b",
    re.IGNORECASE,
)
_REVERTS = r"revert(?:s|ed|ing)?|roll(?:s|ed|ing)?[ -]back|back(?:s|ed) out|undo(?:es|ne)?|undid|restor(?:es|ed)"
_STOPS = (
    r"no longer|dropp?(?:s|ed)|remov(?:es|ed)|stop(?:s|ped)|ceases?d?|discontinue[sd]|abandon(?:s|ed)"
    rf"|{_REVERTS}"
)
_REVERTED = re.compile(rf"\W*(?:{_REVERTS})\b", re.IGNORECASE)
_ENDS = re.compile(rf"\b(?:{_STOPS})\b", re.IGNORECASE)
_MAY_END = re.compile(
    rf"\b(?:{_STOPS}|not|never|without|instead|from|remov\w+|replac\w+|retir\w+|switch\w*|mov(?:es?|ed)|migrat\w+)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
# What a changelog says of its releases holds for good.
_OF_RELEASES = EVENTS | {"included_in", "updates", "patched_by", "reported_by", "released_on", "released_by"}


@dataclass(frozen=True)
class _Section:
    """The span of a release in a document, the numbers of its version, and its first moment, None without a date.

    `endings` are its lines that may end what an earlier release states.
    """

    start: int
    end: int
    name: str
    version: tuple[int, ...]
    date: datetime | None
    endings: Sequence[str]


def date_entries(document: Document, chunks: Sequence[Chunk], found: Sequence[Findings], lexicon: Lexicon) -> bool:
    """Give what the entries of a changelog state the date of their release, and end what a later entry ends.

    What an earlier release without a date states is dropped, and what an entry says to be reverted. Returns whether the
    document is a changelog.
    """
    sections = _sections(document)
    if not sections:
        return False
    for findings, chunk in zip(found, chunks, strict=True):
        for triples in (findings.triples, findings.row_triples):
            dated = (_dated(triple, chunk.start + (triple.start or 0), sections, lexicon) for triple in triples)
            triples[:] = [triple for triple in dated if triple is not None]
    return True


def _dated(triple: Candidate, at: int, sections: Sequence[_Section], lexicon: Lexicon) -> Candidate | None:
    """A triple that is stated at an offset of the document, with its time; None where it may be over by now."""
    section = next((one for one in sections if one.start <= at < one.end), None)
    is_state = triple.predicate not in _OF_RELEASES and triple.predicate not in lexicon.events
    if section is None or not is_state or triple.valid_from or triple.valid_to:
        return triple
    if _REVERTED.match(triple.quote or ""):
        return None
    later = [one for one in sections if one.name == section.name and _age(one) > _age(section)]
    changed = min((one for one in later if _mentions(one.endings, triple.object)), key=_age, default=None)
    if changed is None:
        return triple if section.date or not later else None
    is_ended = any(triple.subject in line and triple.object in line and _ENDS.search(line) for line in changed.endings)
    if is_ended and changed.date and section.date and section.date < changed.date:
        return replace(triple, valid_to=changed.date)
    return None


def _mentions(lines: Sequence[str], name: str) -> bool:
    return any(name in line for line in lines)


def _sections(document: Document) -> list[_Section]:
    """The sections of releases, none if the document is no changelog."""
    headings = [block for block in document.blocks if block.kind == "heading" and block.headings]
    found: list[_Section] = []
    for index, block in enumerate(headings):
        head = _RELEASE.fullmatch(block.headings[-1].strip())
        if head is None:
            continue
        following = (one.start for one in headings[index + 1 :] if one.level <= block.level)
        date = read_date(head["date"] or head["day"] or "")
        numbers = tuple(map(int, head["version"].split(".")))
        end = next(following, len(document.text))
        endings = [line for line in document.text[block.start : end].splitlines() if _MAY_END.search(line)]
        found.append(_Section(block.start, end, head["name"].strip(), numbers, date[0] if date else None, endings))
    titles = [document.title, *(block.headings[-1] for block in headings[:1])]
    return found if any(map(_CHANGELOG.search, titles)) or any(one.date for one in found) else []


def _age(section: _Section) -> tuple[tuple[int, ...], int]:
    """A key by which later releases sort behind earlier ones."""
    return section.version, -section.start
