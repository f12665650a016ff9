"""Spans of a text, and the character that replaces its markup."""

import re
from typing import TypeAlias

# Start (inclusive) and end (exclusive) in characters.
Span: TypeAlias = tuple[int, int]

# Replaces every character of markup in a copy of a text: white space to a regex, but part of no name.
MASK = "\x1f"

# The number of a footnote behind a word, "Ann Lee¹"; one letter or a sign has an exponent.
_NOTE_MARK = re.compile(r"(?<=[^\W\d_]{2})[¹²³⁰⁴-⁹]{1,2}\Z")


def strip_span(text: str, span: Span) -> Span:
    """The span without white space at its ends."""
    piece = text[slice(*span)]
    start = span[0] + len(piece) - len(piece.lstrip())
    return start, max(start, span[0] + len(piece.rstrip()))


def without_note_mark(text: str, start: int, end: int) -> int:
    """The end of a name without the raised number of a footnote, of which the text has a first one."""
    mark = _NOTE_MARK.search(text, start, end)
    return mark.start() if mark is not None and "¹" in text else end
