"""The chunks that await the reading of an agent: texts that none has read, and data that no extractor could map."""

from datetime import datetime
from functools import cache

from mcp_graphrag.ingest.readers import PROSE, READERS
from mcp_graphrag.model import GIT_COMMIT, GIT_HISTORY
from mcp_graphrag.source_code import CODE_TYPES
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.extraction_rows import Unread, unread_chunks, unread_count

AGENT = "agent"  # the extractor of what a client found


def awaiting_count(tx: Reader, *, documents: list[int] | None = None, among: list[int] | None = None) -> int:
    """How many chunks await an agent; with `documents` or `among`, ids of chunks, only of these."""
    return unread_count(tx, Unread(AGENT, *_media_types(), documents, among))


def awaiting_in_words(count: int) -> str:
    """How many chunks await reading, in words."""
    return "1 chunk awaits reading" if count == 1 else f"{count} chunks await reading"


def awaiting_chunks(
    tx: Reader, limit: int, *, free_at: datetime, documents: list[int] | None = None, among: list[int] | None = None
) -> list[int]:
    """The first of them that nobody reads at a moment, in reading order, data behind texts."""
    return unread_chunks(tx, Unread(AGENT, *_media_types(), documents, among, free_at), limit=limit)


@cache
def _media_types() -> tuple[list[str], list[str]]:
    """Those that are not handed out, and those of data.

    Source code is read exactly by its grammar, and of a log no line is worth a triple by itself.
    """
    left_out = {"text/x-source", "text/x-log", GIT_COMMIT, GIT_HISTORY, *CODE_TYPES}
    return sorted(left_out), sorted({each.media_type for each in READERS} - PROSE - left_out)
