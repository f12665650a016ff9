"""From when and until when a sentence says that something holds: "since 1 March 2025", "from 2019 to 2023"."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple

from mcp_graphrag.extract.claims import Claim
from mcp_graphrag.extract.identifiers import find_shapes
from mcp_graphrag.extract.markup import GAP, Span
from mcp_graphrag.extract.mentions import Found
from mcp_graphrag.extract.words import load_words

_FROM = (
    r"(?:since|as from|as of|with effect from|effective(?: from| as of| on)?|(?:starting|beginning)(?: from| in| on)?)"
)
_LEAD = re.compile(
    rf"(?:(?P<since>{_FROM})|(?P<range>from|between)|(?P<until>until|till|up to|up until|before|prior to)"
    r"|(?P<after>after))[\s\x1f]+(?:the[\s\x1f]+)?\Z",
    re.IGNORECASE,
)
_MIDDLE = re.compile(r"[\s\x1f]*(?:to|until|till|up to|and|through|–|—|-)[\s\x1f]*\Z", re.IGNORECASE)
_LONGEST_LEAD = 24
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?)?")
_YEAR = re.compile(r"(?<!\d)(\d{4})(?![\ds])")
_DAY = re.compile(r"(?<!\d)(\d{1,2})(?:st|nd|rd|th)?(?!\d)")
_LETTERS = re.compile(r"[A-Za-z]{3,9}")
_THEN = re.compile(r"\b(?:ever )?since(?: then\b|(?=[\s\x1f]*(?:[.,;)]|\Z)))", re.IGNORECASE)
_IN_CELL = re.compile(r"\d{4}")
_HEADS_FROM = frozenset({"since", "from", "valid from", "effective", "effective from", "effective date", "start date"})
_HEADS_TO = frozenset({"until", "till", "to", "valid to", "valid until", "end date"})

# What happens at a moment is not true from or until a date: dates of these stay words.
EVENTS = frozenset(
    [
        "caused_by",
        "resolved_by",
        "follows",
        "occurred_on",
        "authored_by",
        "approved_by",
        "published_in",
        "identified",
        "recommended",
        "is_a",
        "same_as",
        "born_in",
        "born_on",
        "died_in",
        "died_on",
        "founded_by",
        "founded_on",
        "created_by",
        "created_for",
        "released_by",
        "released_on",
        "directed_by",
        "won",
        "acquired_by",
        "met",
        "said",
        "left",
        "named_after",
        "adapted_from",
        "nationality",
        "child_of",
        "sibling",
        "replaces",
        "moved_to",
        "succeeded_by",
    ]
)


class Period(NamedTuple):
    """Where the words are, from their preposition on, and the time they mean: `start` inclusive, `end` exclusive."""

    span: Span
    start: datetime | None
    end: datetime | None
    dates: tuple[int, ...]

    def put_on(self, claim: Claim, text: str) -> Claim:
        """The claim with this time and its words, where what it asserts can hold for a time."""
        address = claim.predicate == "located_in" and (claim.surface == "," or claim.subject.type == "Location")
        if claim.predicate in EVENTS or address or "date" in {claim.subject.kind, claim.object.kind}:
            return claim
        words = " ".join(text[slice(*self.span)].replace(GAP, " ").split())
        return claim._replace(
            when=words, valid_from=self.start or claim.valid_from, valid_to=self.end or claim.valid_to
        )


@cache
def _months() -> dict[str, int]:
    """The number of each month by its name and its short names."""
    words = load_words()
    numbers = {month.lower(): number for number, month in enumerate(words.months, 1)}
    by_start = {month[:3]: number for month, number in numbers.items()}
    return numbers | {short.lower(): by_start[short.lower()[:3]] for short in words.short_months}


def tells_time(name: str) -> bool:
    """Whether a name is a date, or of nothing but months, weekdays and stop words."""
    words = load_words()
    usual = {each.lower() for each in (*words.months, *words.short_months, *words.weekdays)}
    return bool(read_date(name)) or all(words.is_stop(each) or each.lower() in usual for each in name.split())


def read_date(words: str, *, year: int | None = None) -> tuple[datetime, datetime] | None:
    """The first and the next moment after a date of a common form, to the day, month or year that it names.

    A date without a year takes the one given. None for what names no date: "the 1990s", "14 May", "Monday".
    """
    iso = _ISO.search(words)
    try:
        if iso is not None:
            at = _moment(*(int(each or 0) for each in iso.groups()))
            return at, at if iso[4] else at + timedelta(days=1)
        return _spelt(words, year)
    except ValueError:
        return None


def _spelt(words: str, year: int | None) -> tuple[datetime, datetime] | None:
    found = _YEAR.search(words)
    if found is not None:
        year = int(found[1])
        words = words[: found.start()] + words[found.end() :]
    if year is None:
        return None
    month = next((_months()[each.lower()] for each in _LETTERS.findall(words) if each.lower() in _months()), None)
    if month is None:
        return (_moment(year), _moment(year + 1)) if not words.strip() else None
    day = _DAY.search(words)
    if day is not None:
        at = _moment(year, month, int(day[1]))
        return at, at + timedelta(days=1)
    return _moment(year, month), _moment(year + month // 12, month % 12 + 1)


def _moment(year: int, month: int = 1, day: int = 1, hour: int = 0, minute: int = 0, second: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, second)  # noqa: DTZ001  times in documents are taken as UTC


def find_periods(prose: str, span: Span, mentions: Sequence[Found]) -> list[Period]:
    """The periods that a sentence names, in order; `dates` are the indexes of the mentions that are part of one.

    A closing date is where the period ends, so that what begins on that date does not overlap it.
    """
    found: list[Period] = []
    index = 0
    while index < len(mentions):
        period = _period(prose, span, mentions, index) if mentions[index].kind == "date" else None
        if period is not None:
            found.append(period)
            index = period.dates[-1]
        index += 1
    last = next((each for each in reversed(found) if each.end is not None), None)
    then = _THEN.search(prose, last.span[1], span[1]) if last is not None else None
    if last is not None and then is not None:
        found.append(Period(then.span(), last.end, None, ()))
    return sorted(found)


def _period(prose: str, span: Span, mentions: Sequence[Found], index: int) -> Period | None:
    """The period that a date is in, by the words in front of it."""
    date = mentions[index]
    lead = _LEAD.search(prose, max(span[0], date.start - _LONGEST_LEAD), date.start)
    if lead is None or (lead.start() > span[0] and prose[lead.start() - 1].isalnum()):
        return None
    following = mentions[index + 1] if index + 1 < len(mentions) else None
    if lead["range"] and following is not None and following.kind == "date":
        return _range(prose, lead.start(), (date, following), index)
    moment = read_date(date.name)
    # "since the 2010 election" names no date, "between 2010" no period.
    adjective = date.name.isdigit() and lead[0].rstrip(f" {GAP}").lower().endswith(" the")
    if moment is None or adjective or (lead["range"] or "").lower() == "between":
        return None
    where = (lead.start(), date.end)
    if lead["until"]:
        return Period(where, None, moment[0], (index,))
    return Period(where, moment[1] if lead["after"] else moment[0], None, (index,))


def _range(prose: str, start: int, dates: tuple[Found, Found], index: int) -> Period | None:
    """The period from the first date to the last one, "through" which it goes, or where it ends."""
    last = read_date(dates[1].name)
    first = read_date(dates[0].name, year=last[0].year if last is not None else None)
    middle = prose[dates[0].end : dates[1].start]
    if first is None or last is None or first[0] >= last[0] or _MIDDLE.fullmatch(middle) is None:
        return None
    closed = last[1] if "through" in middle.lower() else last[0]
    return Period((start, dates[1].end), first[0], closed, (index, index + 1))


def period_in(text: str, span: Span) -> Period | None:
    """The first period that the value of a label or cell names: "Identity Team (since 1 March 2025)"."""
    if _IN_CELL.search(text, *span) is None:
        return None
    dates = [
        Found(each.start, each.end, text[each.start : each.end], "Date", "date", 0.5)
        for each in find_shapes(text, *span)
        if each.kind == "date"
    ]
    return next(iter(find_periods(text, span, dates)), None)


def period_of_column(head: str, cell: str) -> tuple[datetime | None, datetime | None] | None:
    """From when or until when a cell says that its row holds: below "Since" or "Valid to"; None below other heads."""
    key = " ".join(head.casefold().split())
    moment = read_date(cell) if key in _HEADS_FROM or key in _HEADS_TO else None
    if moment is None:
        return None
    return (moment[0], None) if key in _HEADS_FROM else (None, moment[0])


def without_periods(prose: str, opening: int, periods: Sequence[Period]) -> str:
    """The prose with the words of the periods, and the commas and brackets that set them off, made blank.

    The sentence starts at `opening`.
    """
    for period in periods:
        start, end = period.span
        lead = prose[opening:start].rstrip(f" {GAP}")
        set_off = not lead or lead[-1] in "(,"
        if lead and set_off:
            start = opening + len(lead) - 1
        if set_off and prose[end : end + 1] in {")", ","}:
            end += 1
        prose = prose[:start] + " " * (end - start) + prose[end:]
    return prose
