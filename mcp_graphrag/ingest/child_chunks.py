"""Child chunks: short parts of a chunk, which are searched in its place."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.model import Block, Chunk, Document


def add_child_chunks(document: Document, chunks: Sequence[Chunk], *, target_tokens: int) -> list[Chunk]:
    """The chunks followed by their children, of about `target_tokens` estimated tokens; 0 means no children.

    The children of a chunk partition its text; a chunk that would have a single child has none. The ordinals of the
    children continue those of the chunks, so that they are unique in a document.
    """
    if not target_tokens:
        return list(chunks)
    blocks = document.blocks or [Block("text", 0, len(document.text))]
    ends = [block.end for block in blocks]
    children = [
        child
        for chunk in chunks
        for child in _children(
            document, _within(blocks[bisect_right(ends, chunk.start) :], chunk), chunk, target_tokens
        )
    ]
    numbered = [replace(child, ordinal=ordinal) for ordinal, child in enumerate(children, len(chunks))]
    return [*chunks, *numbered]


def leaf_flags(chunks: Sequence[Chunk]) -> list[bool]:
    """For each chunk of a document whether it has no children: only those are embedded and searched."""
    parents = {chunk.parent for chunk in chunks}
    return [chunk.ordinal not in parents for chunk in chunks]


def _children(document: Document, blocks: Sequence[Block], parent: Chunk, target_tokens: int) -> Iterator[Chunk]:
    max_tokens = target_tokens * 5 // 3
    parts = chunk_document(replace(document, blocks=blocks), target_tokens=target_tokens, max_tokens=max_tokens)
    if len(parts) < 2:
        return
    for part in parts:
        # If the parent starts inside a table, the table's header is the parent's context, not its first rows.
        inherited = parent.context if part.start < blocks[0].end else ""
        yield replace(part, parent=parent.ordinal, context=inherited or part.context)


def _within(blocks: Sequence[Block], chunk: Chunk) -> list[Block]:
    """The leading blocks, clipped to a chunk."""
    overlapping = takewhile(lambda block: block.start < chunk.end, blocks)
    return [
        replace(block, start=max(block.start, chunk.start), end=min(block.end, chunk.end))
        for block in overlapping
        if block.end > block.start
    ]
