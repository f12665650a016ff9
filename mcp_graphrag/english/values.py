"""Numbers and dates as they are written in cells and behind labels."""

import re
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from mcp_graphrag.english.dates import whole_date
from mcp_graphrag.model import naive_utc

MAX_LENGTH = 40  # characters of a number or date
_NUMBER = re.compile(
    r"(?P<sign>[-+\u2212]?)[ \u00a0]?(?P<currency>[$\u20ac\u00a3\u00a5]?)[ \u00a0]?"
    r"(?!0\d)(?P<digits>\d{1,3}(?:[,\u00a0\u202f']\d{3})+(?:\.\d+)?|\d+,\d{1,2}|\d+(?:\.\d+)?(?:[eE][-+]?\d{1,3})?)"
    r"[ \u00a0\u202f]?(?P<unit>(?:[^\W\d_]|[%\u2030\u00b0$\u20ac\u00a3\u00a5\u00b5\u03a9/\u00b2\u00b3]){0,12})"
)
_DECIMALS = re.compile(r",\d{1,2}\Z")
_BETWEEN_THOUSANDS = str.maketrans("", "", "\u00a0\u202f'")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[-+]\d\d:?\d\d)?")


class WrittenValue(NamedTuple):
    """The number that a text is, with its unit, or the first moment of the date, in naive UTC."""

    number: float | None = None
    unit: str = ""
    moment: datetime | None = None


@lru_cache(maxsize=65_536)
def read_value(text: str) -> WrittenValue:
    """What a whole text is: "-20 \u00b0C", "1,250.00", "$30", "2024-05-06 10:30", "6 May 2024"; else nothing.

    Digits that begin with zeros are no number but a code, and four digits alone no year. "1,5" is one and a half.
    """
    text = text.strip()
    if len(text) > MAX_LENGTH or not any(map(str.isdecimal, text)):
        return WrittenValue()
    found = _NUMBER.fullmatch(text)
    if found is not None:
        digits = found["digits"].replace(",", "." if _DECIMALS.search(found["digits"]) else "")
        number = float(digits.translate(_BETWEEN_THOUSANDS))
        sign = -1 if found["sign"] in {"-", "\u2212"} else 1
        return WrittenValue(sign * number, found["currency"] + found["unit"])
    try:
        if _MOMENT.fullmatch(text):
            return WrittenValue(moment=naive_utc(datetime.fromisoformat(text)))
    except (ValueError, OverflowError):  # no such moment, or none in UTC
        return WrittenValue()
    period = whole_date(text)
    return WrittenValue(moment=period[0] if period else None)


def are_equal(text: str, other: str) -> bool:
    """Whether two texts say the same value: but for case and white space, as numbers of one unit, or as dates."""
    one, two = read_value(text), read_value(other)
    if one.number is not None or two.number is not None:
        return (one.number, one.unit) == (two.number, two.unit)
    if one.moment is not None and one.moment == two.moment:
        return whole_date(text) == whole_date(other)
    return " ".join(text.casefold().split()) == " ".join(other.casefold().split())
