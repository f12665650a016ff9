"""Amounts in text ("over $50K", "Over $2,500, up to $50,000") as ranges that can be compared."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from mcp_graphrag.model import Metadata

KEYS = frozenset({"amount", "threshold", "limit", "price", "cost", "value"})
SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}
CURRENCIES = {
    **dict.fromkeys(("$", "usd", "us$", "dollar", "dollars"), "usd"),
    **dict.fromkeys(("€", "eur", "euro", "euros"), "eur"),
    **dict.fromkeys(("£", "gbp", "pound", "pounds"), "gbp"),
    **dict.fromkeys(("¥", "jpy", "yen"), "jpy"),
}
_CURRENCY = re.compile(r"us\$|[$€£¥]|\b(?:usd|eur|gbp|jpy|dollars?|euros?|pounds?|yen)\b", re.IGNORECASE)
DIGITS = r"\d[\d,  ]*(?:\.\d+)?"
SCALE = rf"(?:{'|'.join(SCALES)})\b"
NUMBER = rf"{DIGITS}(?:\s?{SCALE})?"
MONEY = (
    rf"(?:[$€£¥]|\b(?:usd|eur|gbp)\s)\s?{NUMBER}|{NUMBER}\s?(?:[$€£¥]|(?:usd|eur|gbp|dollars|euros|pounds)\b)|\d+k\b"
)
ABOVE = r"over|above|more than|exceeding|exceeds?|beyond|greater than|from|at least|>=?"
BELOW = r"up to|under|below|less than|at most|no more than|within|until|<=?|to"
AMOUNT = re.compile(rf"(?:(?P<above>{ABOVE})\s+|(?P<below>{BELOW})\s+)?(?P<money>{MONEY})", re.IGNORECASE)


@dataclass(frozen=True)
class Range:
    """Amounts above `low` (exclusive) and up to `high`; a single amount has `low` just below `high`.

    `currency` is "" where none is said.
    """

    low: float = 0.0
    high: float = math.inf
    currency: str = ""

    def meets(self, other: "Range") -> bool:
        """Whether the two ranges overlap; amounts of two currencies are not compared."""
        if self.currency and other.currency and self.currency != other.currency:
            return False
        return max(self.low, other.low) < min(self.high, other.high)

    def __str__(self) -> str:
        """The range in words."""
        if self.high == math.inf:
            return f"over {self.low:,.0f}"
        if self.low == 0:
            return f"up to {self.high:,.0f}"
        single = math.nextafter(self.high, 0) == self.low
        return f"{self.high:,.0f}" if single else f"over {self.low:,.0f}, up to {self.high:,.0f}"


def read_range(text: str) -> Range | None:
    """The range that the amounts of a text give, None without amounts. "Over" and "up to" together bound both sides."""
    low, high, single, currency = 0.0, math.inf, None, ""
    for found in AMOUNT.finditer(text):
        amount = value_of(found["money"])
        currency = currency or currency_of(found["money"])
        if found["above"]:
            low = max(low, amount)
        elif found["below"]:
            high = min(high, amount)
        elif single is None:
            single = amount
    if (low, high) != (0.0, math.inf):
        return Range(low, high, currency) if low < high else None
    return None if single is None else Range(math.nextafter(single, 0), single, currency)


def currency_of(money: str) -> str:
    """The currency of an amount, "" where none is said: "usd" for "$50K", "50,000 USD" and "two dollars"."""
    found = _CURRENCY.search(money)
    return CURRENCIES[found[0].casefold()] if found else ""


def read_plain(text: str) -> Range | None:
    """The amount that a text without a currency begins with."""
    number = re.match(NUMBER, text.strip(), re.IGNORECASE)
    return Range(math.nextafter(value_of(number[0]), 0), value_of(number[0])) if number else None


def value_of(money: str) -> float:
    """The number in "$50K", "50,000 EUR" or "1.5 million"."""
    number = re.search(DIGITS, money)
    scale = re.search(SCALE, money, re.IGNORECASE)
    plain = re.sub(r"[,  ]", "", number[0]) if number else "0"
    return float(plain) * (SCALES[scale[0].lower()] if scale else 1.0)


def range_of(metadata: Metadata, quotes: Sequence[str]) -> Range | None:
    """The amounts for which a triple holds, None if it has none.

    A single amount in the metadata is the lower bound, unless a quote has the bounds.
    """
    values = [str(value) for key, value in metadata.items() if key.casefold() in KEYS and not isinstance(value, bool)]
    for text in (*values, *quotes):
        if any(found["above"] or found["below"] for found in AMOUNT.finditer(text)):
            return read_range(text)
    ranges = [read_range(text) or read_plain(text) for text in values]
    return next((Range(range_.high, currency=range_.currency) for range_ in ranges if range_ is not None), None)
