"""Code that no mark fences: sessions of the Python prompt, patches, and what servers write into the head of a mail."""

import re
from collections.abc import Iterator

from mcp_graphrag.english.spans import Span

# In a mail ">>> " may quote, so what stands behind must look like code.
_PROMPT = re.compile(
    r"^[ \t]*>>> (?:(?:import|from|def|class|for|with|print|if|while|try|assert|del)\b"
    r"|[\w.]{1,80} ?(?:[-+*/]?=|[(\[])|[\w.]{1,80}[ \t]*$)"
    r".*\n?(?:[ \t]*\S.*\n?)*",
    re.MULTILINE,
)
_PATCH = re.compile(
    r"^(?:diff --git \S.*\n|Index: \S.*\n|--- \S.*\n(?=\+\+\+ \S))"
    r"(?:(?:[-+ @\\=]|(?:index|new|deleted|old|similarity|rename|copy|Binary|diff) ).*(?:\n|\Z)|\n(?=[-+ @]))*",
    re.MULTILINE,
)
_HEADER = re.compile(r"(?:^[A-Z][\w-]{1,40}:[ \t].*\n(?:[ \t]+\S.*\n)*){3,}", re.MULTILINE)
_FIELD = re.compile(r"^([A-Z][\w-]{1,40}):[ \t].*\n(?:[ \t]+\S.*\n)*", re.MULTILINE)
_BY_SERVERS = re.compile(r"^(?:Received|Message-I[Dd]|M(?:IME|ime)-Version|Return-Path): ", re.MULTILINE)
_OF_WRITERS = frozenset({"From", "To", "Cc", "Subject", "Date", "Sender", "Reply-To"})
_SEPARATOR = re.compile(r"^From \S{1,200} {1,3}(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} .*\n", re.MULTILINE)


def unmarked_code(text: str) -> Iterator[Span]:
    """The spans of such lines."""
    if ">>> " in text:
        yield from (session.span() for session in _PROMPT.finditer(text))
    if "\n+++ " in text:
        yield from (patch.span() for patch in _PATCH.finditer(text))
    if _BY_SERVERS.search(text) is None:
        return
    yield from (separator.span() for separator in _SEPARATOR.finditer(text))
    for header in _HEADER.finditer(text):
        if _BY_SERVERS.search(header[0]):
            fields = _FIELD.finditer(text, *header.span())
            yield from (field.span() for field in fields if field[1] not in _OF_WRITERS)
