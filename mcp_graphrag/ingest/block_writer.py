"""Collects the text of a source part by part, with the blocks that it is made of."""

from mcp_graphrag.ingest.reader import Reading
from mcp_graphrag.model import Block, BlockKind, Metadata


class BlockWriter:
    """A text under construction. Each part ends with a blank line, so that the blocks are paragraphs of their own."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._blocks: list[Block] = []
        self._length = 0

    def add(
        self, kind: BlockKind, text: str, headings: tuple[str, ...] = (), *, level: int = 0, starts_chunk: bool = False
    ) -> None:
        """Add a block; one without text is left out."""
        text = text.strip("\n")
        if not text.strip():
            return
        start = self._append(text)
        self._blocks.append(Block(kind, start, self._length, headings, level, starts_chunk))

    def add_reading(self, part: Reading, above: tuple[str, ...], *, levels: int) -> None:
        """Add the blocks of another reading below the headings `above`, its own headings `levels` deeper."""
        if not part.text.strip():
            return
        start = self._append(part.text)
        end = self._length
        for index, block in enumerate(part.blocks):
            stop = end if index + 1 == len(part.blocks) else start + block.end
            level = min(block.level + levels, 6) if block.level else 0
            path = (*above, *block.headings)
            terms = tuple((start + first, start + last) for first, last in block.terms)
            self._blocks.append(Block(block.kind, start + block.start, stop, path, level, block.starts_chunk, terms))

    def finish(self, title: str = "", metadata: Metadata | None = None) -> Reading:
        """The text as written, with its blocks."""
        return Reading("".join(self._parts), self._blocks, title, metadata or {})

    def _append(self, text: str) -> int:
        start = self._length
        self._parts += (text, "\n" if text.endswith("\n") else "\n\n")
        self._length += len(text) + len(self._parts[-1])
        return start
