"""The prose in source code: documentation strings and comments, without the code around them and the marks in them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from mcp_graphrag.model import AliasFound, Block, Candidate, CandidateValue, Chunk, Document, Extraction
from mcp_graphrag.source_code import language_of, read_source

_MARKS = re.compile(
    r"\A(?:[rRuUbB]{0,2}(?:\"{3}|'{3}|\"|')|/\*[*!]?)|(?:\"{3}|'{3}|\"|'|\*+/)\Z"
    r"|^[ \t]*(?:(?://[/!]?|\#[!:]?|\*)(?=\s|\Z)|[/#*=~-]{3,}[ \t]*$)",
    re.MULTILINE,
)
# Lines that describe parameters, show examples or control tools, and code that is commented out.
_TECHNICAL = re.compile(
    r"^[ \t]*(?:>>>|\.\.\.|[:@\\]\w|\.\. |[\w*., ]{1,40}\s?(?:\([^()\n]*\))?\s*:(?:\s|$)|[-*+]\s|[|`~<]|\d+[.)]\s"
    r"|-{3,}|={3,}"
    r"|(?:type|noqa|pylint|eslint|mypy|pragma|fmt|ruff|pyright|ts|istanbul|go|nolint|nosec|isort)\b[:-])"
    r"|[;{}]\s*$|=\s*[\w\[({\"']|\w\(.*\)\s*$|\b(?:copyright|licen[cs]ed?|spdx)\b",
    re.IGNORECASE,
)
_SECTION = re.compile(
    r"^[ \t]*(?:args|arguments|param(?:eter)?s|returns?|yields?|raises|attributes|examples?|notes?|see also|references"
    r"|keyword arg(?:ument)?s|other parameters|warnings?|todo|usage)\b:?[ \t]*$",
    re.IGNORECASE,
)
_BLANK = re.compile(r"\n[ \t]*\n")
Quoted = TypeVar("Quoted", Candidate, AliasFound)


class Segment(NamedTuple):
    """A part that is read as it is: where it begins in the chunk of the view, and where in that of the document."""

    start: int
    original: int


@dataclass(frozen=True)
class View:
    """What is read of a document, as a document of its own, with a chunk for each chunk that has some of it.

    `places` have, for each of its chunks, the position of the original one and the parts in it.
    """

    document: Document
    chunks: Sequence[Chunk]
    places: Sequence[tuple[int, Sequence[Segment]]]

    def restored(self, chunks: Sequence[Chunk], found: Sequence[Extraction]) -> list[Extraction]:
        """What was found in the view, with the spans and quotes of the chunks of the document."""
        extractions = [Extraction()] * len(chunks)
        for extraction, (at, segments) in zip(found, self.places, strict=True):
            extractions[at] = _restored(extraction, chunks[at].text, segments)
        return extractions


def prose_view(document: Document, chunks: Sequence[Chunk]) -> View | None:
    """The prose of a source file, None for other documents."""
    language = language_of(document.media_type)
    if language is None:
        return None
    paragraphs = [
        (start + at, paragraph)
        for start, end in read_source(document.text, language).prose
        for at, paragraph in _paragraphs(document.text[start:end])
    ]
    starts = [start for start, _ in paragraphs]
    text, views = "", list[Chunk]()
    places: list[tuple[int, list[Segment]]] = []
    for position, chunk in enumerate(chunks):
        own = paragraphs[bisect_left(starts, chunk.start) : bisect_left(starts, chunk.end)]
        if not own:
            continue
        parts, segments = "", list[Segment]()
        for start, paragraph in own:
            segments.append(Segment(len(parts), start - chunk.start))
            parts += f"{paragraph[: chunk.end - start].rstrip()}\n\n"
        views.append(Chunk(len(views), len(text), len(text) + len(parts), parts))
        places.append((position, segments))
        text += parts
    view = replace(document, text=text, title="", blocks=(Block("text", 0, len(text)),))
    return View(view, views, places)


def _restored(extraction: Extraction, text: str, segments: Sequence[Segment]) -> Extraction:
    starts = [segment.start for segment in segments]

    def place(offset: int) -> int:
        segment = segments[max(bisect_right(starts, offset) - 1, 0)]
        return segment.original + offset - segment.start

    def span(start: int, end: int) -> tuple[int, int]:
        first = place(start)
        return first, place(end - 1) + 1 if end > start else first

    def quoted(found: Quoted) -> Quoted:
        start, end = span(found.start or 0, found.end or 0)
        return replace(found, start=start, end=end, quote=text[start:end])

    spans = [span(mention.start, mention.end) for mention in extraction.mentions]
    return replace(
        extraction,
        triples=list(map(quoted, extraction.triples)),
        aliases=list(map(quoted, extraction.aliases)),
        values=[_at(one, *span(one.start, one.end), text) for one in extraction.values],
        mentions=[replace(one, start=at, end=end) for one, (at, end) in zip(extraction.mentions, spans, strict=True)],
    )


def _at(value: CandidateValue, start: int, end: int, text: str) -> CandidateValue:
    return replace(value, value=text[start:end], start=start, end=end)


def _paragraphs(comment: str) -> Iterator[tuple[int, str]]:
    """The paragraphs of prose of a comment or documentation string, with their offsets; spaces in place of its marks.

    What follows a section on parameters or examples is left out.
    """
    text = _MARKS.sub(lambda mark: " " * len(mark[0]), comment)
    position = 0
    for gap in [*(match.end() for match in _BLANK.finditer(text)), len(text)]:
        paragraph = text[position:gap]
        lines = [line for line in paragraph.split("\n") if line.strip()]
        if any(map(_SECTION.match, lines)):
            return
        if lines and not any(map(_TECHNICAL.search, lines)):
            indent = len(paragraph) - len(paragraph.lstrip())
            yield position + indent, paragraph[indent:]
        position = gap
