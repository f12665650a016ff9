"""Code without a fence, and prose in documents that are nothing but preformatted text."""

import re
from collections.abc import Iterable, Iterator

from mcp_graphrag.english.spans import Span
from mcp_graphrag.model import Document

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


MIN_SHARE = 0.6  # of a document's characters that are marked as code
_PARAGRAPH = re.compile(r"(?:^(?![ \t>]*(?:```|~~~))(?=[^\n]*\S)[^\n]*+(?:\n|\Z)){2,}+", re.MULTILINE)
_WORD = re.compile(r"(?:[\"'“(\[]*[^\W\d_][^\W\d_'’]*(?:[-/][^\W\d_]+)*[.,;:!?)\]\"'”]*|\d[\d.,]*[.,;:)]?)\Z")
_SMALL = frozenset({"the", "a", "an", "of", "is", "are", "to", "in", "that", "and", "for", "by", "with", "this", "as"})
_ENDS = (".", ":", "!", "?", ".)", '."')
_CODE = re.compile(r"[{}]|;[ \t]*$|^[ \t]*(?:[#$>%|+]|//|--|\.\.\.)", re.MULTILINE)
MIN_WORDS, MIN_PLAIN, MIN_SMALL = 8, 0.85, 0.15


def code_without_prose(document: Document, code: Iterable[Span]) -> Iterator[Span]:
    """The spans of code of a document, without the paragraphs of prose if nearly all of the document is in them."""
    spans = list(code)
    if not is_preformatted(document.text, sum(end - start for start, end in spans)):
        yield from spans
        return
    for start, end in spans:
        at = start
        for paragraph in _PARAGRAPH.finditer(document.text, start, end):
            if _is_prose(paragraph[0]):
                if at < paragraph.start():
                    yield at, paragraph.start()
                at = paragraph.end()
        if at < end:
            yield at, end


def is_preformatted(text: str, code_size: int) -> bool:
    """Whether so much of a text is marked as code that the mark says nothing."""
    return code_size > MIN_SHARE * len(text) > 0


def _is_prose(paragraph: str) -> bool:
    """Whether the lines of a paragraph are sentences of plain words."""
    words = paragraph.split()
    if len(words) < MIN_WORDS or not paragraph.rstrip().endswith(_ENDS) or _CODE.search(paragraph):
        return False
    first = next((char for char in paragraph if char.isalnum()), "")
    plain = sum(_WORD.match(word) is not None for word in words)
    small = sum(word.lower() in _SMALL for word in words)
    return first.isupper() and plain >= MIN_PLAIN * len(words) and small >= MIN_SMALL * len(words)
