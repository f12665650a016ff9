"""Plain text to paragraphs."""

import re
from collections.abc import Sequence

from mcp_graphrag.ingest.reader import Reading
from mcp_graphrag.model import Block, BlockKind

_MAX_BLOCKS = 100_000  # 200 bytes each
_GAP = re.compile(r"\n\s*\n")


def read_plain_text(text: str) -> Reading:
    """One block per paragraph; blank lines belong to the paragraph before them."""
    return Reading(text, paragraphs(text, "text"))


def paragraphs(text: str, kind: BlockKind) -> Sequence[Block]:
    """The paragraphs of a text as blocks of one kind; where they are very many, a block is of several short ones."""
    body = len(text) - len(text.lstrip())
    gaps = sum(1 for _ in _GAP.finditer(text, body))
    shortest = len(text) // _MAX_BLOCKS if gaps > _MAX_BLOCKS else 0
    starts = [0]
    for gap in _GAP.finditer(text, body):
        if starts[-1] + shortest < gap.end() < len(text):
            starts.append(gap.end())
    return [Block(kind, start, stop) for start, stop in zip(starts, [*starts[1:], len(text)], strict=True)]
