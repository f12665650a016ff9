"""Plain text, data files and source code to paragraphs."""

import re
from itertools import pairwise

from mcp_graphrag.ingest.kept_together import with_hanging
from mcp_graphrag.ingest.reader import Reading
from mcp_graphrag.model import Block, BlockKind

_MAX_BLOCKS = 100_000  # 200 bytes each
_GAP = re.compile(r"\n\s*\n")


def read_plain_text(text: str) -> Reading:
    """One block per paragraph or item; blank lines belong to the one before them."""
    return Reading(text, with_hanging(text, _paragraphs(text, "text").blocks))


def read_data(text: str) -> Reading:
    """The paragraphs of a data file, of which extractors read none."""
    return _paragraphs(text, "data")


def read_source_code(text: str) -> Reading:
    """The paragraphs of source code, in which extractors find identifiers only."""
    return _paragraphs(text, "code")


def _paragraphs(text: str, kind: BlockKind) -> Reading:
    """The paragraphs of a text as blocks of one kind; where they are very many, a block is of several short ones."""
    body = len(text) - len(text.lstrip())
    gaps = sum(1 for _ in _GAP.finditer(text, body))
    shortest = len(text) // _MAX_BLOCKS if gaps > _MAX_BLOCKS else 0
    starts = [0]
    for gap in _GAP.finditer(text, body):
        if starts[-1] + shortest < gap.end() < len(text):
            starts.append(gap.end())
    return Reading(text, [Block(kind, start, end) for start, end in pairwise([*starts, len(text)])])
