"""Text in the characters by which names are found: without those that show nothing, with one kind of space."""

from itertools import pairwise
from unicodedata import category

_SPACES = {0x0D: " "} | {at: " " for at in range(0x3001) if category(chr(at)) == "Zs"}
PLAIN = _SPACES | {at: at - 0xFEE0 for at in range(0xFF01, 0xFF5F)}  # letters and signs of full width
# They join marks, and choose the form of a symbol; the others that show nothing have a category of their own.
_JOINERS = frozenset({"\u034f", *map(chr, range(0xFE00, 0xFE10))})
# Behind letters without case, such as those of Arabic, behind marks and symbols, such as emoji, they mean something.
_JOINED = frozenset({"Lo", "Mn", "Mc", "So", "Sk"})


def plain(text: str) -> str:
    """The text without the characters of `without_meaning`, and with ordinary spaces and letters."""
    if text.isascii() and "\r" not in text:
        return text
    ends = [-1, *without_meaning(text), len(text)]
    return "".join(text[before + 1 : at] for before, at in pairwise(ends)).translate(PLAIN)


def without_meaning(text: str) -> list[int]:
    """Where characters stand that show nothing and mean nothing for those around them, in order."""
    odd = {one for one in set(text) if category(one) == "Cf" or one in _JOINERS}
    found, before = list[int](), ""
    for at, one in enumerate(text) if odd else ():
        if one not in odd:
            before = one
        elif not before or category(before) not in _JOINED:
            found.append(at)
    return found
