"""Blocks of a text from the marks that a reader finds in its lines."""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from mcp_graphrag.ingest.reader import Reading
from mcp_graphrag.model import Block, BlockKind, Metadata

_DATES = {"revdate": "date", "last-updated": "updated", "modified": "updated"}


class Mark(NamedTuple):
    """Where a block begins, and its kind; `title` and `level` (1–6) are those of a heading."""

    start: int
    kind: BlockKind
    title: str = ""
    level: int = 0


def read_sections(text: str, marks: Sequence[Mark], fields: Metadata) -> Reading:
    """The blocks between the marks, with their heading paths; the title is the first heading of level 1."""
    blocks: list[Block] = []
    path: list[tuple[int, str]] = []
    starts = [0, *(mark.start for mark in marks[1:])][: len(marks)]
    for mark, start, end in zip(marks, starts, [*starts[1:], len(text)][: len(marks)], strict=True):
        level = min(mark.level, 6)
        if mark.kind == "heading":
            path = [parent for parent in path if parent[0] < level] + [(level, mark.title)]
        blocks.append(Block(mark.kind, start, end, tuple(title for _, title in path), level))
    title = next((mark.title for mark in marks if mark.level == 1), "")
    return Reading(text, blocks, title, {_DATES.get(name, name): value for name, value in fields.items()})


def line_starts(lines: Sequence[str]) -> list[int]:
    """The offset of each line of a text that was split at its line ends."""
    return list(accumulate((len(line) + 1 for line in lines), initial=0))
