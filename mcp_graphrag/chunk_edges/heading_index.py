"""The headings of a document, by anchor, section number and title, each with the position of its chunk."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from mcp_graphrag.model import Chunk, Document

_PUNCTUATION = re.compile(r"[\W_]+")
_EXPLICIT_ANCHOR = re.compile(r"\s*\{#([^\s{}]{1,100})\}\s*$")
_NUMBER = re.compile(
    r"(?:(?:section|chapter|appendix|part)\s+)?(\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z](?=[.:)]|\.\d))[.:)]?\s+", re.IGNORECASE
)
_NUMBERED_LINE = re.compile(r"(?:\A|\n[ \t]*\n)((?:\d{1,3}\.){1,5}\d{0,3}[ \t]{1,4}[A-Z][^\n]{1,70})(?=\n)")
_MARKUP = " \t#*_`\"'“”‘’.:;,!?"

Heading = tuple[str, int]


@dataclass
class HeadingIndex:
    """Chunk positions of a document's headings; None where several chunks have a heading of that number or title."""

    anchors: dict[str, int] = field(default_factory=dict[str, int])
    numbers: dict[str, int | None] = field(default_factory=dict[str, int | None])
    titles: dict[str, int | None] = field(default_factory=dict[str, int | None])


def index_headings(headings: Iterable[Heading]) -> HeadingIndex:
    """The index of (title, chunk) pairs in reading order. The first of several equal titles has the plain anchor."""
    index = HeadingIndex()
    repetitions: dict[str, int] = {}
    for heading, chunk in headings:
        explicit = _EXPLICIT_ANCHOR.search(heading)
        title = heading[: explicit.start()] if explicit else heading
        if explicit:
            index.anchors.setdefault(anchor_key(explicit[1]), chunk)
        slug = anchor_key(title)
        count = repetitions.get(slug, 0)
        repetitions[slug] = count + 1
        index.anchors.setdefault(f"{slug}{count}" if count else slug, chunk)
        titles = [title_key(title)]
        number = _NUMBER.match(title)
        if number:
            _add(index.numbers, number[1].casefold(), chunk)
            titles.append(title_key(title[number.end() :]))
        for key in titles:
            _add(index.titles, key, chunk)
    return index


def headings_of(document: Document, chunks: Sequence[Chunk], leaves: Sequence[int]) -> Iterator[Heading]:
    """The headings of a document, each with the position of the leaf chunk that contains it.

    In a plain text, lines such as "3.2 Resolving" after an empty line count as headings.
    """
    starts = [chunks[leaf].start for leaf in leaves]
    at = 0
    has_headings = False
    for block in document.blocks:
        if block.level:
            has_headings = True
            while at + 1 < len(starts) and starts[at + 1] <= block.start:
                at += 1
            yield block.headings[-1], leaves[at]
    if not has_headings and document.media_type == "text/plain":
        for leaf in leaves:
            for line in _NUMBERED_LINE.finditer(chunks[leaf].text):
                # Lines of a table of contents end in a page number.
                if ".." not in line[1] and not line[1][-1].isdigit():
                    yield line[1].strip(), leaf


def anchor_key(name: str) -> str:
    """The form in which anchors are compared: generators replace spaces and punctuation in different ways."""
    return _PUNCTUATION.sub("", name.casefold())


def title_key(title: str) -> str:
    """The form in which titles are compared."""
    return " ".join(title.strip(_MARKUP).casefold().split())


def _add(positions: dict[str, int | None], key: str, chunk: int) -> None:
    if key:
        positions[key] = chunk if positions.get(key, chunk) == chunk else None
