"""Dates in English and ISO 8601: days, months and years as periods, at the precision in which they are written."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TypeAlias

from mcp_graphrag.english.word_lists import WORDS
from mcp_graphrag.model import Metadata

Period: TypeAlias = tuple[datetime, datetime]  # from the first moment to the one behind the last

_MONTH_STARTS = [month[:3] for month in WORDS.months]
_MONTHS = {name.lower(): _MONTH_STARTS.index(name[:3]) + 1 for name in (*WORDS.months, *WORDS.short_months)}
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?)?")
_YEAR = re.compile(r"(?<!\d)(\d{4})(?![\ds])")
_DAY = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th|d)?(?!\d)")
_LETTERS = re.compile(r"[A-Za-z]{3,9}")
MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
DOTTED_DATE = (
    r"(?<![\w.])\d{1,2}\.[ ]?\d{1,2}\.[ ]?\d{4}(?![\d.]*\d)"  # the day first: "24.06.2025", as many languages have it
)
FULL_DATE = rf"(?:\d{{4}}-\d\d-\d\d|\d{{1,2}} {MONTH},? \d{{4}}|{MONTH} \d{{1,2}},? \d{{4}})"
_NAMED_MONTH = "|".join(f"{month}\\.?" for month in (*WORDS.months, *WORDS.short_months))
_DAY_NUMBER = r"\d{1,2}(?:st|nd|rd|th)?"
DATE = (
    rf"(?:\d{{4}}-\d\d-\d\d|(?:{_DAY_NUMBER}\s+(?:of\s+)?)?(?:{_NAMED_MONTH}),?\s+(?:of\s+)?\d{{4}}|(?:{_NAMED_MONTH})\s+{_DAY_NUMBER},?\s+\d{{4}}|\d{{4}})"
    r"(?![\w-])"
)
WHOLE_DATE = re.compile(DATE, re.IGNORECASE)
_IN_TEXT = re.compile(rf"(?<![\w-]){DATE}", re.IGNORECASE)
_DOTTED = re.compile(DOTTED_DATE)
_ISO_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])")
_KEYS = re.compile(r"(?:last)?(?:date|updated|modified|mod|reviewed|publish(?:ed)?|created)(?:at|on|date)?|dateupdated")


def read_date(words: str, *, year: int | None = None) -> Period | None:
    """The start (inclusive) and end (exclusive) of a date in a common form: of a day, month, year or moment.

    `year` is that of a date without one. None for what is no date: "the 1990s", "14 May", "Monday".
    """
    iso = _ISO.search(words)
    try:
        if iso is not None:
            start = _moment(*(int(part or 0) for part in iso.groups()))
            return start, start if iso[4] else start + timedelta(days=1)
        if (dotted := _DOTTED.search(words)) is not None:
            day, month, own_year = map(int, dotted[0].split("."))
            return _moment(own_year, month, day), _moment(own_year, month, day) + timedelta(days=1)
        return _read_words(words, year)
    except (ValueError, OverflowError):  # no such day, or none behind it
        return None


def _read_words(words: str, year: int | None) -> Period | None:
    own_year = _YEAR.search(words)
    if own_year is not None:
        year = int(own_year[1])
        words = words[: own_year.start()] + words[own_year.end() :]
    if year is None:
        return None
    names = (name.lower() for name in _LETTERS.findall(words))
    month = next((_MONTHS[name] for name in names if name in _MONTHS), None)
    if month is None:
        return (_moment(year), _moment(year + 1)) if not words.strip() else None
    day = _DAY.search(words)
    if day is not None:
        start = _moment(year, month, int(day[1]))
        return start, start + timedelta(days=1)
    return _moment(year, month), _moment(year + month // 12, month % 12 + 1)


def _moment(year: int, month: int = 1, day: int = 1, hour: int = 0, minute: int = 0, second: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, second)  # noqa: DTZ001  times in documents are taken as UTC


def whole_date(text: str) -> Period | None:
    """The period of a text that is a date and nothing else: a day, a month or a year; None for another text."""
    clean = text.strip()
    if month := _ISO_MONTH.fullmatch(clean):
        return read_date(f"{WORDS.months[int(month[2]) - 1]} {month[1]}")
    return read_date(clean) if WHOLE_DATE.fullmatch(clean) or _DOTTED.fullmatch(clean) else None


def dates_in(text: str) -> Iterator[tuple[int, int]]:
    """The spans of the dates in a text."""
    return (found.span() for found in _IN_TEXT.finditer(text) if read_date(found[0]))


def document_date(metadata: Metadata) -> datetime | None:
    """The first moment of the latest date in the metadata of a document, None if it has none."""
    dates = (
        whole_date(str(value)) or read_date(str(value))
        for key, value in metadata.items()
        if _KEYS.fullmatch(re.sub(r"[\W_]", "", key.casefold()))
    )
    return max((date[0] for date in dates if date), default=None)


def date_and_source(metadata: Metadata, file_time: datetime | None) -> tuple[datetime | None, str]:
    """The date of a document, and what gives it: "text" (or metadata), else the "file"; "" where nothing does."""
    own = document_date(metadata)
    return (own, "text") if own else (file_time, "file") if file_time else (None, "")


# The dateline in front of the first sentence of a report: "HULL, 7 April 2025 – ", "CARLISLE (PA) - ".
_LONG_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?)"
)
_LINE_DATE = (
    rf"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?[ ])?"
    rf"(?P<date{{n}}>\d{{{{1,2}}}}[ ]{_LONG_MONTH}(?:[ ]\d{{{{4}}}})?"
    rf"|{_LONG_MONTH}[ ]\d{{{{1,2}}}}(?:,[ ]?\d{{{{4}}}})?)"
)
_UPPER = r"[A-ZÀ-ÖØ-Þ][A-ZÀ-ÖØ-Þ'’.]{2,20}(?:[ -][A-ZÀ-ÖØ-Þ'’.]{2,20}){0,3}"
_LONG_UPPER = r"(?=[A-ZÀ-ÖØ-Þ]{4})" + _UPPER
_TOWN = r"[A-ZÀ-ÖØ-Þ][\w'’.]{2,20}(?:[ -][A-ZÀ-ÖØ-Þ][\w'’.]{1,20}){0,2}"
_REGION = r"(?:,[ ][A-Z][A-Za-z.]{1,20}(?:[ ][A-Z][a-z]{1,20})?)?"
_AGENCY = r"[ ]\([A-Z][A-Za-z]{1,15}(?:[ /][A-Z][A-Za-z]{1,15}){0,2}\)"
_PRESS = r"[ ]\((?:AP|Reuters|AFP|PA|dpa|UPI|Bloomberg|Xinhua|TASS|ANSA|EFE|Kyodo|Yonhap|PTI|[A-Z]\w+[ ]?[Ww]ire)\)"
_DASH = r"(?:[ ]{1,2}(?:[–—]|--?)[ ]{1,2}|—)"
# Without a date or an agency a whole sentence has to follow, as words in capitals may be what a line defines.
DATELINE = re.compile(
    rf"[ \t*_]*(?:(?:{_UPPER}|{_TOWN}){_REGION}(?:{_AGENCY})?,?[ ]{_LINE_DATE.format(n=1)}(?:{_AGENCY})?[*_]*{_DASH}"
    rf"|(?:{_UPPER}{_REGION}{_AGENCY}|{_TOWN}{_REGION}{_PRESS})[*_]*{_DASH}"
    rf"|{_UPPER}{_REGION},[ ]{_LINE_DATE.format(n=2)}\.?[*_]*[.:][ ]"
    rf"|{_LONG_UPPER}{_REGION}[*_]*{_DASH}"
    r"(?=[\"“‘]?(?!(?:An?|The)[ ])[A-ZÀ-ÖØ-Þ][^\n]{25,}[.!?][\"”’]?(?:\s|\Z)))(?=[\"“‘]?[A-ZÀ-ÖØ-Þ])"
)


def date_of_dateline(line: str) -> str | None:
    """The date of the dateline at the start of a line, as it is written; None if there is none."""
    found = DATELINE.match(line)
    return (found["date1"] or found["date2"]) if found is not None else None
