"""Dates of claims: for what time a clause states something, and dates as objects, compared at the precision said."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, TypeAlias

from mcp_graphrag.english.dates import DATE, Period, read_date, whole_date

Duration: TypeAlias = Literal["then", "present", "within", "since", "until", "span", "past", "once", "ended", "ever"]

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
    wider = (f"{first:%Y}", f"{first:%Y-%m}", f"{first:%Y-%m-%d} to {last:%Y-%m-%d}")
    return next((said for said in wider if whole_date(said) == period), wider[-1])


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
