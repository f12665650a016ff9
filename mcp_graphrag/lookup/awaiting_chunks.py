"""The chunks that await a client that reads them itself."""

from collections.abc import Sequence
from datetime import datetime

from mcp_graphrag.ingest.readers import PROSE, READERS
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.extraction_rows import unread_chunks

AGENT = "agent"  # the extractor of what a client found
# Source code is read exactly by its grammar, and data files have no sentences.
NOT_PROSE = tuple(sorted({each.media_type for each in READERS} - PROSE))


def awaiting_chunks(tx: Reader, *, documents: Sequence[int] = (), free_at: datetime | None = None) -> list[int]:
    """The chunks of prose that no client has read, in reading order; with `documents` only theirs.

    With `free_at` only those that nobody reads then.
    """
    return unread_chunks(tx, AGENT, left_out=NOT_PROSE, documents=documents, free_at=free_at)
