"""Plain text: paragraphs between blank lines."""

import re

from mcp_graphrag.ingest.reading import Reading
from mcp_graphrag.model import Block

_GAP = re.compile(r"\n\s*\n")


def read_plain(text: str) -> Reading:
    """One block for each paragraph; blank lines belong to the paragraph before."""
    body = len(text) - len(text.lstrip())
    ends = [gap.end() for gap in _GAP.finditer(text, body) if gap.end() < len(text)]
    starts = [0, *ends]
    stops = [*ends, len(text)]
    return Reading(text, [Block("text", start, stop) for start, stop in zip(starts, stops, strict=True)])
