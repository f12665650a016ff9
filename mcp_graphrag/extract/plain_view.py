"""A document as it is seen: in plain characters, without the marks of notes, and the way back to its own."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from mcp_graphrag.extract.code.prose_of_code import Segment, View
from mcp_graphrag.extract.note_marks import without_note_marks
from mcp_graphrag.extract.structure.markup import code_spans
from mcp_graphrag.model import Block, Chunk, Document
from mcp_graphrag.plain_characters import PLAIN, plain, without_meaning

Part = TypeVar("Part", Block, Chunk)


def plain_view(document: Document, chunks: Sequence[Chunk]) -> View | None:
    """The document as it is seen, None if that is as it is written."""
    written, is_note = document.text, document.media_type in {"text/markdown", "text/plain"}
    labelled, unseen = without_note_marks(written, code_spans(document)) if is_note else (written, set[int]())
    if not unseen and plain(written) == written:
        return None
    gone = sorted(unseen.union(without_meaning(written)))
    text = "".join(labelled[before + 1 : at] for before, at in pairwise([-1, *gone, len(written)])).translate(PLAIN)

    def seen(line: str) -> str:
        shown, marks = without_note_marks(line) if is_note else (line, set[int]())
        return plain("".join(one for at, one in enumerate(shown) if at not in marks))

    def place(offset: int) -> int:
        return offset - bisect_left(gone, offset)

    def placed(part: Part) -> Part:
        start, end = place(part.start), place(part.end)
        return replace(part, start=start, end=end, headings=tuple(map(seen, part.headings)))

    places = list[tuple[int, list[Segment]]]()
    for at, chunk in enumerate(chunks):
        own = gone[bisect_left(gone, chunk.start) : bisect_left(gone, chunk.end)]
        behind = [Segment(place(one) - place(chunk.start), one + 1 - chunk.start) for one in own]
        places.append((at, [Segment(0, 0), *behind]))
    views = [replace(one, text=text[one.start : one.end], context=seen(one.context)) for one in map(placed, chunks)]
    own = replace(document, text=text, title=seen(document.title), blocks=list(map(placed, document.blocks)))
    return View(own, views, places)
