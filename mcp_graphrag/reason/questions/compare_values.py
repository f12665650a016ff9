"""Values compared: dates as periods, numbers with their units, and other values by whether they are the same."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple, TypeAlias

from mcp_graphrag.english.dates import whole_date
from mcp_graphrag.mentions.gazetteer import GAZETTEER

Order: TypeAlias = Literal["less", "equal", "greater", "unknown"]

_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}
_NUMBER = re.compile(r"(?P<digits>-?\d[\d,]*(?:\.\d+)?)\s?(?P<scale>k|thousand|m|million|bn|billion)?\b")
_VERSION = re.compile(r"v?(?:ersion )?(?P<parts>\d+(?:\.\d+)*)", re.IGNORECASE)
_SURELY_VERSION = re.compile(r"v\d+(?:\.\d+)*|\d+(?:\.\d+){2,}", re.IGNORECASE)


class Comparable(NamedTuple):
    """A value as a range from `low` up to before `high` in some unit."""

    low: float
    high: float
    unit: str


def comparable(name: str) -> Comparable | None:
    """A date as its period in days, or a number; None for what is neither."""
    period = whole_date(name)
    if period is not None:
        start, end = ((moment - datetime.min) / timedelta(days=1) for moment in period)  # noqa: DTZ901  naive UTC
        return Comparable(start, end, "date")
    number = _NUMBER.search(name.casefold())
    if number is None:
        return None
    value = float(number["digits"].replace(",", "")) * _SCALES.get(number["scale"] or "", 1)
    unit = f"{name.casefold()[: number.start()]} {name.casefold()[number.end() :]}"
    return Comparable(value, value, " ".join(unit.split()))


def order(first: str, second: str, *, versions: bool = False) -> Order:
    """How two values compare; unknown if their units differ or their precision does not decide.

    With `versions` both are taken for versions, as they are anyway if they have three parts or begin with "v".
    """
    if versions or any(_SURELY_VERSION.fullmatch(name.strip()) for name in (first, second)):
        return _order_of_versions(first, second)
    left, right = comparable(first), comparable(second)
    if left is None or right is None or left.unit != right.unit:
        return "unknown"
    if left == right and (left.unit != "date" or left.high - left.low <= 1):
        return "equal"
    if left.unit != "date":
        return "less" if left.low < right.low else "greater"
    if left.high <= right.low:
        return "less"
    return "greater" if right.high <= left.low else "unknown"


def _order_of_versions(first: str, second: str) -> Order:
    """How two versions compare, part by part; unknown where one says less than the other: 3.1 and 3.1.4."""
    left, right = (_VERSION.fullmatch(name.strip()) for name in (first, second))
    if left is None or right is None:
        return "unknown"
    one, other = ([int(part) for part in found["parts"].split(".")] for found in (left, right))
    if len(one) != len(other) and one[: len(other)] == other[: len(one)]:
        return "unknown"
    return "equal" if one == other else "less" if one < other else "greater"


def order_of_all(first: Sequence[str], second: Sequence[str], *, versions: bool = False) -> Order:
    """How all values of one side compare with all of the other; unknown unless every pair agrees."""
    found: set[Order] = {order(left, right, versions=versions) for left in first for right in second}
    return found.pop() if len(found) == 1 else "unknown"


def is_within(name: str, date: str) -> bool:
    """Whether a date lies in the period of another."""
    inner, outer = whole_date(name), whole_date(date)
    return inner is not None and outer is not None and outer[0] <= inner[0] and inner[1] <= outer[1]


def year(name: str) -> int | None:
    """The year of a date, None for what is none."""
    period = whole_date(name)
    return period[0].year if period else None


def surely_differ(first: str, second: str) -> bool:
    """Whether two values are of different things, as far as names can say.

    Dates that do not overlap, and the names of two peoples or of two countries of which neither has another name, are.
    "American" and "United States", Bombay and Mumbai, two persons with other names may be one.
    """
    if whole_date(first) and whole_date(second):
        return order(first, second) in {"less", "greater"}
    if first[:4] == second[:4] or GAZETTEER.of_several_names & {first, second}:
        return False
    return any({first, second} <= known for known in (GAZETTEER.nationalities, GAZETTEER.countries))
