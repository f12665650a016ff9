"""Plain text to paragraphs."""

import re
from collections.abc import Sequence

from mcp_graphrag.ingest.reader import Reading
from mcp_graphrag.model import Block, BlockKind

_GAP = re.compile(r"\n\s*\n")


def read_plain_text(text: str) -> Reading:
    """One block per paragraph; blank lines belong to the paragraph before them."""
    return Reading(text, paragraphs(text, "text"))


def paragraphs(text: str, kind: BlockKind) -> Sequence[Block]:
    """The paragraphs of a text as blocks of one kind."""
    body = len(text) - len(text.lstrip())
    ends = [gap.end() for gap in _GAP.finditer(text, body) if gap.end() < len(text)]
    starts = [0, *ends]
    stops = [*ends, len(text)]
    return [Block(kind, start, stop) for start, stop in zip(starts, stops, strict=True)]
