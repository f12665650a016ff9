"""What a document recommends: in sentences that say "we recommend", and in lists below such a heading."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mcp_graphrag.extract.markup import Span
from mcp_graphrag.model import Chunk, Document

LONGEST = 160
FEWEST_WORDS = 2
_WHO = r"(?:we|i|this \w+|(?:the|our) (?:audit|report|review|auditors?|authors?|committee|panel|study|assessment))"
_HOW = r"(?:(?:also|strongly|therefore|further|additionally)\s+)?"
_SAID = re.compile(
    rf"\b(?:{_WHO}\s+{_HOW}recommend(?:s|ed)?|it\s+(?:is|was)\s+{_HOW}recommended)\s+(?:that\s+|to\s+)?",
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
_MARKS = re.compile(r"\*{1,3}|`+|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)")


class Recommended(NamedTuple):
    """A recommendation in its own words, where they are in the chunk, and the sentence that makes it."""

    name: str
    span: Span
    quote: Span
    surface: str
    label: str = ""


def recommending_lists(document: Document) -> list[Span]:
    """Where the lists below a heading "Recommendations" are in the document."""
    return [
        (block.start, block.end)
        for block in document.blocks
        if block.kind == "list" and block.headings and "recommend" in block.headings[-1].lower()
    ]


def find_recommendations(chunk: Chunk, lists: Sequence[Span]) -> Iterator[Recommended]:
    """The recommendations of a chunk, in order; `lists` are those of the document that consist of them."""
    inside = [(max(a, chunk.start), min(b, chunk.end)) for a, b in lists if a < chunk.end and b > chunk.start]
    for start, end in inside:
        yield from _listed(chunk.text, start - chunk.start, end - chunk.start)
    if "ecommend" in chunk.text:
        for found in _SAID.finditer(chunk.text):
            if not any(a <= found.start() + chunk.start < b for a, b in inside):
                end = _end(chunk.text, found.end(), len(chunk.text))
                said = " ".join(found[0].split())
                quote = (_start(chunk.text, found.start()), _closed(chunk.text, end))
                for span in _parts(chunk.text, found.end(), end):
                    yield from _recommended(chunk.text, span, quote, said)


def _listed(text: str, start: int, end: int) -> Iterator[Recommended]:
    items = list(_ITEM.finditer(text, start, end))
    for item, following in zip(items, [*items[1:], None], strict=True):
        stop = _end(text, item.end(), following.start() if following is not None else end)
        span = next(_parts(text, item.end(), stop), None)
        label = (item["label"] or item["plain"] or "").strip(" .:")
        if span is not None:
            yield from _recommended(text, span, (item.end(), _closed(text, stop)), "recommendation", label)


def _recommended(text: str, span: Span, quote: Span, surface: str, label: str = "") -> Iterator[Recommended]:
    words = " ".join(_MARKS.sub("", _LINK.sub(r"\1", text[slice(*span)])).split()).strip(" ,;:")
    if len(words) > LONGEST:
        words = f"{words[:LONGEST].rsplit(' ', 1)[0]}…"
    if len(words.split()) >= FEWEST_WORDS:
        yield Recommended(words, span, quote, surface, label)


def _parts(text: str, start: int, end: int) -> Iterator[Span]:
    """The clauses that each recommend something: "moving the keys, changing them" are two; what hangs on is cut."""
    bounds = [start]
    for comma in _COMMA.finditer(text, start, end):
        bounds += [comma.start(), comma.end()]
    bounds.append(end)
    clauses = list(zip(bounds[::2], bounds[1::2], strict=True))
    first, *others = clauses
    while others and len(text[slice(*first)].split()) <= FEWEST_WORDS:
        first = (first[0], others.pop(0)[1])
    yield first
    if _GERUND.match(text, start):
        for left, right in others:
            gerund = _GERUND.match(text, left)
            if gerund is not None:
                yield gerund.end(), right


def _end(text: str, start: int, stop: int) -> int:
    found = _SENTENCE_END.search(text, start, stop)
    return found.start() if found is not None else stop


def _closed(text: str, end: int) -> int:
    """The end of a sentence with its full stop."""
    return end + 1 if text[end : end + 1] in {".", "!", "?"} else end


def _start(text: str, at: int) -> int:
    """Where the sentence of a position begins."""
    start = 0
    for found in _SENTENCE_END.finditer(text, 0, at):
        if found.end() <= at and found[0]:
            start = found.end()
    while start < at and (text[start].isspace() or text[start] in "*>-"):
        start += 1
    return start
