"""Dates of claims: for what time a clause states something, and dates as objects, compared at the precision said."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from mcp_graphrag.extract.english.dates import read_date
from mcp_graphrag.extract.english.word_lists import WORDS

Duration: TypeAlias = Literal["then", "present", "within", "since", "until", "span", "past", "once", "ended", "ever"]
Period: TypeAlias = tuple[datetime, datetime]  # from the first moment to the one behind the last

_MONTH = "|".join(f"{month}\\.?" for month in (*WORDS.months, *WORDS.short_months))
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
DATE = (
    rf"(?:\d{{4}}-\d\d-\d\d|(?:{_DAY}\s+(?:of\s+)?)?(?:{_MONTH}),?\s+\d{{4}}|(?:{_MONTH})\s+{_DAY},?\s+\d{{4}}|\d{{4}})"
    r"(?![\w-])"
)
WHOLE_DATE = re.compile(DATE, re.IGNORECASE)
_IN_TEXT = re.compile(rf"(?<![\w-]){DATE}", re.IGNORECASE)
_ISO_MONTH = re.compile(r"(\d{4})-(0[1-9]|1[0-2])")
_ADJUNCT = (
    rf"(?:(?:from|between)\s+(?P<from>{DATE})\s*(?:to|until|till|through|and|–|-)\s*(?P<to>{DATE})"
    rf"|(?P<lead>in|on|during|since|until|till|as\s+of)\s+(?:the\s+year\s+)?(?P<date>{DATE}))"
)
_FIRST = re.compile(rf"\s*{_ADJUNCT},?\s+", re.IGNORECASE)
_LAST = re.compile(rf",?\s+{_ADJUNCT}\s*\Z", re.IGNORECASE)


@dataclass(frozen=True)
class ClaimTime:
    """The time of a claim. `said` is the period of the date, or of the first of two; `ended` that of the last."""

    duration: Duration
    said: Period | None = None
    ended: Period | None = None

    def __str__(self) -> str:
        """The time behind a claim: "", ", since 2020-01-01" or ", within 2024-01-01 to 2024-12-31"."""
        said, ended = (_days(period) if period else "" for period in (self.said, self.ended))
        words = {
            "within": f"within {said}",
            "since": f"since {said}",
            "until": f"until {ended}",
            "span": f"from {said} to {ended}",
            "past": "at any time so far",
            "once": "once",
            "ended": "no longer",
        }
        return f", {words[self.duration]}" if self.duration in words else ""


THEN = ClaimTime("then")


def _days(period: Period) -> str:
    """A day, or the year, month or range of days that a period is."""
    first, last = period[0], period[1] - timedelta(microseconds=1)
    if first.date() == last.date():
        return f"{first:%Y-%m-%d}"
    if period == read_date(f"{first:%Y}"):
        return f"{first:%Y}"
    if period == _month(first):
        return f"{first:%Y-%m}"
    return f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"


def _month(first: datetime) -> Period:
    following = first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1, day=1)
    return first.replace(day=1), following


def whole_date(text: str) -> Period | None:
    """The period of a text that is a date and nothing else: a day, a month or a year; None for another text."""
    clean = text.strip()
    if month := _ISO_MONTH.fullmatch(clean):
        return _month(datetime(int(month[1]), int(month[2]), 1))  # noqa: DTZ001  dates of texts are taken as UTC
    return read_date(clean) if WHOLE_DATE.fullmatch(clean) else None


def dates_in(text: str) -> Iterator[tuple[int, int]]:
    """The spans of the dates in a text."""
    return (found.span() for found in _IN_TEXT.finditer(text) if read_date(found[0]))


def time_around(text: str, start: int, end: int) -> Iterator[tuple[int, int, ClaimTime]]:
    """What is left of a clause without a time at its beginning or its end, and that time; none if it has none."""
    first = _FIRST.match(text, start, end)
    if first is not None and (time := _time(first)):
        yield first.end(), end, time
    last = next((found for found in _LAST.finditer(text, start, end)), None)
    if last is not None and (time := _time(last)):
        yield start, last.start(), time


def _time(found: re.Match[str]) -> ClaimTime | None:
    if found["from"]:
        began, ended = read_date(found["from"]), read_date(found["to"])
        return ClaimTime("span", began, ended) if began and ended and began[0] < ended[1] else None
    said = read_date(found["date"])
    if said is None:
        return None
    lead = found["lead"].lower()
    if lead in {"until", "till"}:
        return ClaimTime("until", None, said)
    return ClaimTime("since" if lead == "since" else "within", said)
