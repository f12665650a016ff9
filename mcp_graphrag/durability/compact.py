"""Compaction: the file written anew without free space, and without what was retired long ago."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from mcp_graphrag.durability.backup import exchange, file_of, verified
from mcp_graphrag.errors import BadInput, FileTrouble, as_graphrag_error
from mcp_graphrag.model import Origin
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.changes.problem_rows import live_counts
from mcp_graphrag.store.changes.removal import drop_retired
from mcp_graphrag.store.engine.file_state import log_of
from mcp_graphrag.store.engine.new_files import new_file_beside
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.verify.verify import Problem, verify

KEEP_ALL = "all"


@dataclass(frozen=True)
class Compaction:
    """The size of the file in bytes before and after, and how many retired rows were dropped.

    `until` is the moment up to which retired rows were to be dropped, UTC, None where all were kept.
    """

    path: Path
    before: int
    after: int
    dropped: int
    until: datetime | None


def retired_until(keep_retired: str) -> datetime | None:
    """The moment up to which retired rows are to be dropped, by the setting `keep_retired`; None to keep all.

    Raises BadInput for more days than there were.
    """
    if keep_retired == KEEP_ALL:
        return None
    try:
        return now() - timedelta(days=float(keep_retired))
    except OverflowError as error:
        raise BadInput(f"keep_retired is {keep_retired} days.", "Give fewer, or all.") from error


def compact(graph: GraphFile, until: datetime | None) -> Compaction:
    """Write the file anew, small, without rows retired until a moment; with None, all rows are kept.

    Reads go on and writes wait. The file is exchanged at the end, for one that holds the same in force, with nothing
    wrong in it that was not wrong before; on any failure it is as it was. Raises FileTrouble.
    """
    store = file_of(graph)
    store.checkpoint()
    before = store.path.stat().st_size
    try:
        with store.writes_paused(), new_file_beside(store.path) as whole, new_file_beside(store.path) as small:
            with store.reading() as tx:
                counts = live_counts(tx)
            store.copy_to(whole)
            dropped = _dropped(graph, whole, small, until) if until is not None else 0
            new = small if until is not None else whole
            found, problems = verified(graph, new)
            if found != counts or (problems and _kinds(problems) - _kinds(verify(graph).problems)):
                raise FileTrouble(
                    store.path,
                    f"{store.path} was not compacted: the smaller file does not hold the same.",
                    "`mcp-graphrag verify --repair` mends what is wrong in the file; then try again.",
                )
            former = exchange(graph, new)
        if former is not None:
            for each in (former, log_of(former)):
                each.unlink(missing_ok=True)
    except OSError as error:
        raise as_graphrag_error(error) from error
    return Compaction(store.path, before, store.path.stat().st_size, dropped, until)


def _dropped(graph: GraphFile, whole: Path, small: Path, until: datetime) -> int:
    """How many rows were dropped from a copy of the file before it was copied again."""
    opened = GraphFile(replace(graph.settings, db=whole, read_only=False), embedders=graph.embedders)
    try:
        with opened.writing(Origin("compact")) as write:
            dropped = drop_retired(write.tx, until)
        file_of(opened).copy_to(small)
    finally:
        opened.close()
    return dropped


def _kinds(problems: Sequence[Problem]) -> Counter[str]:
    return Counter({problem.kind: problem.count for problem in problems})
