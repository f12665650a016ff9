"""A document as it is seen: in plain characters, without the marks of notes, and the way back to its own."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TypeVar

from mcp_graphrag.extract.code.prose_of_code import Segment, View
from mcp_graphrag.extract.note_marks import merged, without_note_marks
from mcp_graphrag.extract.structure.markup import code_spans
from mcp_graphrag.model import Block, Chunk, Document
from mcp_graphrag.plain_characters import PLAIN, plain, without_meaning

Part = TypeVar("Part", Block, Chunk)
_NOTES = frozenset({"text/markdown", "text/plain"})


def plain_view(document: Document, chunks: Sequence[Chunk]) -> View | None:
    """The document as it is seen, None if that is as it is written."""
    written, is_note = document.text, document.media_type in _NOTES
    labelled, unseen = without_note_marks(written, code_spans(document)) if is_note else (written, [])
    if not unseen and plain(written) == written:
        return None
    gone = merged([*unseen, *((at, at + 1) for at in without_meaning(written))])
    starts, ends = [start for start, _ in gone], [end for _, end in gone]
    lost = list(accumulate((end - start for start, end in gone), initial=0))
    text = "".join(labelled[end:start] for end, start in zip([0, *ends], [*starts, len(written)], strict=True))
    text = text.translate(PLAIN)

    def place(offset: int) -> int:
        before = bisect_left(starts, offset)
        return offset - lost[before] + max(ends[before - 1] - offset, 0) if before else offset

    def seen(line: str) -> str:
        shown, marks = without_note_marks(line) if is_note else (line, [])
        return plain("".join(shown[end:start] for (_, end), (start, _) in pairwise([(0, 0), *marks, (len(shown), 0)])))

    def placed(part: Part) -> Part:
        start, end = place(part.start), place(part.end)
        return replace(part, start=start, end=end, headings=tuple(map(seen, part.headings)))

    places = list[tuple[int, list[Segment]]]()
    for at, chunk in enumerate(chunks):
        own = gone[bisect_left(starts, chunk.start) : bisect_left(starts, chunk.end)]
        behind = [Segment(place(end) - place(chunk.start), end - chunk.start) for _, end in own if end < chunk.end]
        places.append((at, [Segment(0, 0), *behind]))
    views = [replace(one, text=text[one.start : one.end], context=seen(one.context)) for one in map(placed, chunks)]
    own = replace(document, text=text, title=seen(document.title), blocks=list(map(placed, document.blocks)))
    return View(own, views, places)
