"""Plain text to paragraphs."""

import re

from mcp_graphrag.ingest.reader import Reading
from mcp_graphrag.model import Block

_GAP = re.compile(r"\n\s*\n")


def read_plain_text(text: str) -> Reading:
    """One block per paragraph; blank lines belong to the paragraph before them."""
    body = len(text) - len(text.lstrip())
    ends = [gap.end() for gap in _GAP.finditer(text, body) if gap.end() < len(text)]
    starts = [0, *ends]
    stops = [*ends, len(text)]
    return Reading(text, [Block("text", start, stop) for start, stop in zip(starts, stops, strict=True)])
