"""SQL to blocks, one for each definition and named query; the statements between them are cut at their ends."""

from collections.abc import Iterator

from mcp_graphrag.ingest.reader import Reading
from mcp_graphrag.model import Block
from mcp_graphrag.source_code.sql import SqlFile, read_sql

_SHOWN = 5  # kinds of statements that are named


def read_sql_file(text: str) -> Reading:
    """The comments in front of a statement belong to it. What cannot be read is named, and rows of data are no code."""
    read = read_sql(text)
    kinds = sorted(read.unread, key=lambda kind: (-read.unread[kind], kind))
    named = ", ".join(f"{read.unread[kind]} {kind[:40]}" for kind in kinds[:_SHOWN])
    more = f" and {len(kinds) - _SHOWN} other kinds" if len(kinds) > _SHOWN else ""
    note = f"has statements of which nothing is read: {named}{more}." if kinds else ""
    return Reading(text, list(_blocks(text, read)), note=note)


def _blocks(text: str, read: SqlFile) -> Iterator[Block]:
    """A block for each statement with the comments in front, from the end of the one before."""
    cuts: dict[int, bool] = {0: True}  # where blocks begin, and whether a chunk does
    before, first = 0, len(text) - len(text.lstrip())
    for statement in read.statements:
        start = _with_comments(text, before, statement.start)
        if start >= before and start > first:
            is_new = any(each.action == "creates" and each.type != "Column" for each in statement.changes)
            cuts[start] = is_new or (statement.query is not None and statement.query.start >= start)
        before = statement.end
    starts = sorted(cuts)
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield Block("code", start, end, starts_chunk=cuts[start])


def _with_comments(text: str, least: int, at: int) -> int:
    """The start of the line of a place, or of the lines of comments above it."""
    start = text.rfind("\n", 0, at) + 1
    while start > least:
        above = text.rfind("\n", 0, start - 1) + 1
        if text[above:start].lstrip()[:2] != "--":
            break
        start = above
    return start
