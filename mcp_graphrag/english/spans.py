"""Spans of a text, and the character that replaces its markup."""

from typing import TypeAlias

# Start (inclusive) and end (exclusive) in characters.
Span: TypeAlias = tuple[int, int]

# Replaces every character of markup in a copy of a text: white space to a regex, but part of no name.
MASK = "\x1f"


def strip_span(text: str, span: Span) -> Span:
    """The span without white space at its ends."""
    piece = text[slice(*span)]
    start = span[0] + len(piece) - len(piece.lstrip())
    return start, max(start, span[0] + len(piece.rstrip()))
