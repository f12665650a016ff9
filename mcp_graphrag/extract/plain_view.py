"""A document in plain characters, and the way back to its own."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from mcp_graphrag.extract.code.prose_of_code import Segment, View
from mcp_graphrag.model import Block, Chunk, Document
from mcp_graphrag.plain_characters import plain, without_meaning

Part = TypeVar("Part", Block, Chunk)


def plain_view(document: Document, chunks: Sequence[Chunk]) -> View | None:
    """The document in plain characters, None if it has no others."""
    if (text := plain(document.text)) == document.text:
        return None
    gone = without_meaning(document.text)

    def place(offset: int) -> int:
        return offset - bisect_left(gone, offset)

    def placed(part: Part) -> Part:
        start, end = place(part.start), place(part.end)
        return replace(part, start=start, end=end, headings=tuple(map(plain, part.headings)))

    places = list[tuple[int, list[Segment]]]()
    for at, chunk in enumerate(chunks):
        own = gone[bisect_left(gone, chunk.start) : bisect_left(gone, chunk.end)]
        behind = [Segment(place(one) - place(chunk.start), one + 1 - chunk.start) for one in own]
        places.append((at, [Segment(0, 0), *behind]))
    views = [replace(one, text=text[one.start : one.end], context=plain(one.context)) for one in map(placed, chunks)]
    own = replace(document, text=text, title=plain(document.title), blocks=list(map(placed, document.blocks)))
    return View(own, views, places)
