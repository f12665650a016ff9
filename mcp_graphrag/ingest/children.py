"""Parents and children: chunks of a size worth reading, and within them parts of a size worth finding."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from mcp_graphrag.ingest.chunk import chunk_document
from mcp_graphrag.model import Block, Chunk, Document


def with_children(document: Document, chunks: Sequence[Chunk], *, target: int) -> list[Chunk]:
    """The chunks, then the children of each in order, of about `target` estimated tokens; none for a target of 0.

    A chunk's children partition its text. One that would have a single child has none. Ordinals go on behind those of
    the chunks, so that they are unique in a document.
    """
    if not target:
        return list(chunks)
    blocks = document.blocks or [Block("text", 0, len(document.text))]
    ends = [block.end for block in blocks]
    children = [
        child
        for chunk in chunks
        for child in _children(document, _within(blocks[bisect_right(ends, chunk.start) :], chunk), chunk, target)
    ]
    numbered = [replace(child, ordinal=len(chunks) + at) for at, child in enumerate(children)]
    return [*chunks, *numbered]


def childless(chunks: Sequence[Chunk]) -> list[bool]:
    """Of each chunk of a document whether it has no children: only those are embedded and searched."""
    parents = {chunk.parent for chunk in chunks}
    return [chunk.ordinal not in parents for chunk in chunks]


def _children(document: Document, blocks: Sequence[Block], parent: Chunk, target: int) -> Iterator[Chunk]:
    parts = chunk_document(replace(document, blocks=blocks), target=target, most=target * 5 // 3)
    if len(parts) < 2:
        return
    for part in parts:
        # Where the parent starts within a table, the head of the table is the parent's context, not its first rows.
        inherited = parent.context if part.start < blocks[0].end else ""
        yield replace(part, parent=parent.ordinal, context=inherited or part.context)


def _within(blocks: Sequence[Block], chunk: Chunk) -> list[Block]:
    """The first blocks, as far as they lie within a chunk."""
    touching = takewhile(lambda block: block.start < chunk.end, blocks)
    return [
        replace(block, start=max(block.start, chunk.start), end=min(block.end, chunk.end))
        for block in touching
        if block.end > block.start
    ]
