"""Where the headings of a document are: by anchor, by section number and by title, each with the chunk that has it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from mcp_graphrag.model import Chunk, Document

SEVERAL = -1
_SQUEEZED = re.compile(r"[\W_]+")
_OWN_ANCHOR = re.compile(r"\s*\{#([^\s{}]{1,100})\}\s*$")
_NUMBER = re.compile(
    r"(?:(?:section|chapter|appendix|part)\s+)?(\d{1,3}(?:\.\d{1,3}){0,5}|[A-Z](?=[.:)]|\.\d))[.:)]?\s+", re.IGNORECASE
)
_NUMBERED_LINE = re.compile(r"(?:\A|\n[ \t]*\n)((?:\d{1,3}\.){1,5}\d{0,3}[ \t]{1,4}[A-Z][^\n]{1,70})(?=\n)")
_MARKS = " \t#*_`\"'“”‘’.:;,!?"

Heading = tuple[str, int]


@dataclass
class Places:
    """A document's headings. Each leads to the number of a chunk, `SEVERAL` where more than one is called so."""

    anchors: dict[str, int] = field(default_factory=dict[str, int])
    numbers: dict[str, int] = field(default_factory=dict[str, int])
    titles: dict[str, int] = field(default_factory=dict[str, int])

    def anchored(self, fragment: str) -> int | None:
        """The chunk with the heading that a link's #fragment names."""
        return self.anchors.get(squeezed(fragment))

    def numbered(self, number: str) -> int | None:
        """The chunk with the heading of a section's number."""
        return _sole(self.numbers.get(number.strip(".").casefold()))

    def titled(self, title: str) -> int | None:
        """The chunk with the only heading of that title."""
        return _sole(self.titles.get(title_key(title)))


def places(headings: Iterable[Heading]) -> Places:
    """The places of (title, chunk) pairs in reading order. The first of several alike has the plain anchor."""
    found = Places()
    seen: dict[str, int] = {}
    for given, chunk in headings:
        own = _OWN_ANCHOR.search(given)
        title = given[: own.start()] if own else given
        if own:
            found.anchors.setdefault(squeezed(own[1]), chunk)
        slug = squeezed(title)
        again = seen.get(slug, 0)
        seen[slug] = again + 1
        found.anchors.setdefault(f"{slug}{again}" if again else slug, chunk)
        names = {title_key(title)}
        number = _NUMBER.match(title)
        if number:
            _put(found.numbers, number[1].casefold(), chunk)
            names.add(title_key(title[number.end() :]))
        for name in names:
            _put(found.titles, name, chunk)
    return found


def headings_of(document: Document, chunks: Sequence[Chunk], leaves: Sequence[int]) -> Iterator[Heading]:
    """The headings of a document as it was read, each with the position of the leaf chunk that it stands in.

    In a text without any, lines such as "3.2 Resolving" after an empty line count.
    """
    starts = [chunks[leaf].start for leaf in leaves]
    at = 0
    some = False
    for block in document.blocks:
        if block.level:
            some = True
            while at + 1 < len(starts) and starts[at + 1] <= block.start:
                at += 1
            yield block.headings[-1], leaves[at]
    if not some and document.media_type == "text/plain":
        for leaf in leaves:
            yield from ((title, leaf) for title in numbered_lines(chunks[leaf].text))


def numbered_lines(text: str) -> Iterator[str]:
    """Lines of plain text that open a numbered section; those of a table of contents end in a page number."""
    for found in _NUMBERED_LINE.finditer(text):
        if ".." not in found[1] and not found[1][-1].isdigit():
            yield found[1].strip()


def squeezed(name: str) -> str:
    """A name as anchors are compared: generators differ in what they make of spaces and signs."""
    return _SQUEEZED.sub("", name.casefold())


def title_key(title: str) -> str:
    """A title as titles are compared."""
    return " ".join(title.strip(_MARKS).casefold().split())


def _put(names: dict[str, int], name: str, chunk: int) -> None:
    if name:
        names[name] = chunk if names.get(name, chunk) == chunk else SEVERAL


def _sole(chunk: int | None) -> int | None:
    return None if chunk == SEVERAL else chunk
