"""The recommendations of a document: in sentences with "we recommend", and in lists below such a heading."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.extract.spans import Span
from mcp_graphrag.model import Chunk, Document

MAX_NAME_LENGTH = 160
MIN_WORDS = 2
_WHO = r"(?:we|i|this \w+|(?:the|our) (?:audit|report|review|auditors?|authors?|committee|panel|study|assessment))"
_HOW = r"(?:(?:also|strongly|therefore|further|additionally)\s+)?"
_RECOMMENDS = re.compile(
    rf"\b{_WHO}\s+{_HOW}recommend(?:s|ed)?\s+(?:that\s+|to\s+)?",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?](?=\s|\Z)|\n\s*\n|\Z")
_ITEM = re.compile(
    r"^[ \t]{0,6}(?:\d{1,3}[.)]|[-*+])[ \t]+"
    r"(?:\*\*(?P<label>[^*\n]{1,20})\*\*[ \t]*|(?P<plain>[A-Z]{1,4}-?\d{1,4})[.:][ \t]+)?",
    re.MULTILINE,
)
_GERUND = re.compile(r"(?:and\s+)?[*_`]{0,2}(?=[a-z-]+ing\b)", re.IGNORECASE)
_COMMA = re.compile(r"[,;]\s+|\s+(?=(?:because|so that|which|instead of)\s)")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_EMPHASIS = re.compile(r"\*{1,3}|`+|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)")


class Recommendation(NamedTuple):
    """A recommendation: its words, their span in the chunk, and the span of the sentence that makes it.

    `surface` are the words that recommend it, `label` is that of a list item ("R1").
    """

    name: str
    span: Span
    quote: Span
    surface: str
    label: str = ""


def recommendation_lists(document: Document) -> list[Span]:
    """The spans of the lists below a heading such as "Recommendations"."""
    return [
        (block.start, block.end)
        for block in document.blocks
        if block.kind == "list" and block.headings and "recommend" in block.headings[-1].lower()
    ]


def find_recommendations(chunk: Chunk, lists: Sequence[Span]) -> Iterator[Recommendation]:
    """The recommendations of a chunk: those of the document's recommendation lists, then those of sentences."""
    inside = [(max(a, chunk.start), min(b, chunk.end)) for a, b in lists if a < chunk.end and b > chunk.start]
    for start, end in inside:
        yield from _of_list(chunk.text, start - chunk.start, end - chunk.start)
    if "ecommend" in chunk.text:
        for verb in _RECOMMENDS.finditer(chunk.text):
            if not any(a <= verb.start() + chunk.start < b for a, b in inside):
                end = _sentence_end(chunk.text, verb.end(), len(chunk.text))
                surface = " ".join(verb[0].split())
                quote = (_sentence_start(chunk.text, verb.start()), _with_full_stop(chunk.text, end))
                for span in _clauses(chunk.text, verb.end(), end):
                    yield from _recommendation(chunk.text, span, quote, surface)


def _of_list(text: str, start: int, end: int) -> Iterator[Recommendation]:
    items = list(_ITEM.finditer(text, start, end))
    for item, following in zip(items, [*items[1:], None], strict=True):
        stop = _sentence_end(text, item.end(), following.start() if following is not None else end)
        span = next(_clauses(text, item.end(), stop))
        label = (item["label"] or item["plain"] or "").strip(" .:")
        yield from _recommendation(text, span, (item.end(), _with_full_stop(text, stop)), "recommendation", label)


def _recommendation(text: str, span: Span, quote: Span, surface: str, label: str = "") -> Iterator[Recommendation]:
    """The recommendation, if it has enough words."""
    words = " ".join(_EMPHASIS.sub("", _LINK.sub(r"\1", text[slice(*span)])).split()).strip(" ,;:")
    if len(words) > MAX_NAME_LENGTH:
        words = f"{words[:MAX_NAME_LENGTH].rsplit(' ', 1)[0]}…"
    if len(words.split()) >= MIN_WORDS:
        yield Recommendation(words, span, quote, surface, label)


def _clauses(text: str, start: int, end: int) -> Iterator[Span]:
    """The first clause, and others that are gerunds too: "moving the keys, changing them" are two recommendations."""
    bounds = [start]
    for comma in _COMMA.finditer(text, start, end):
        bounds += [comma.start(), comma.end()]
    bounds.append(end)
    clauses = list(zip(bounds[::2], bounds[1::2], strict=True))
    first, *others = clauses
    while others and len(text[slice(*first)].split()) <= MIN_WORDS:
        first = (first[0], others.pop(0)[1])
    yield first
    if _GERUND.match(text, start):
        for left, right in others:
            gerund = _GERUND.match(text, left)
            if gerund is not None:
                yield gerund.end(), right


def _sentence_end(text: str, start: int, stop: int) -> int:
    return next(_SENTENCE_END.finditer(text, start, stop)).start()


def _with_full_stop(text: str, end: int) -> int:
    return end + 1 if text[end : end + 1] in {".", "!", "?"} else end


def _sentence_start(text: str, at: int) -> int:
    start = 0
    for end in _SENTENCE_END.finditer(text, 0, at):
        if end.end() <= at and end[0]:
            start = end.end()
    while start < at and (text[start].isspace() or text[start] in "*>-"):
        start += 1
    return start
