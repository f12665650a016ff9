"""Line breaks and gaps of layout: no sentence goes on across them."""

import re

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]")
_ITEM_START = re.compile(r"[ \t]*(?:[•◦▪‣·–—][ \t]|\(?(?:[a-z]|\d{1,3}|[ivx]{1,4})\)[ \t]|={3,}|-{3,}|\+[-=+]{3,})")
_MAY_BE_COLUMNS = re.compile(r" {3}|\t| \| ")
_GAP = re.compile(r"(?<=\S)(?: {3,}| *\t[ \t]*| \| )(?=\S)")


def ends_at_break(text: str, start: int, end: int) -> bool:
    """Whether the break behind a line, given as its span, is one of layout.

    It is behind a heading and a hard line break of Markdown, at a row of columns, and in front of a list item.
    """
    line = text[start:end]
    if line.endswith(("  ", "\\")) or _HEADING.match(line) or has_columns(line):
        return True
    following = text[end + 1 : (text.find("\n", end + 1) + 1 or len(text) + 1) - 1]
    return has_columns(following) or _ITEM_START.match(following) is not None


def has_columns(line: str) -> bool:
    """Whether the line is divided by tabs, bars or at least three spaces."""
    return _MAY_BE_COLUMNS.search(line) is not None and _GAP.search(line) is not None


def split_columns(line: str) -> str:
    """The line with a line break in place of the first character of each gap, so that sentences end there."""
    return _GAP.sub(lambda gap: "\n" + gap[0][1:], line) if _MAY_BE_COLUMNS.search(line) else line
