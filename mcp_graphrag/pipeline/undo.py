"""The last operations taken back, all of each or none."""

from collections.abc import Sequence
from dataclasses import replace

from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.resident import forget
from mcp_graphrag.model import Origin
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.store.conflicts import retire_stale_conflicts
from mcp_graphrag.store.history import Operation, last_operations, last_purge, revert

MOST = 100


def undo(pipeline: Pipeline, origin: Origin, *, operations: int = 1) -> Sequence[Operation]:
    """The operations that were taken back, the newest first. An undo cannot itself be undone.

    Raises BadInput where there are not so many, or something was purged since: what is gone cannot come back.
    """
    if not 1 <= operations <= MOST:
        raise BadInput(f"operations is {operations}.", f"It is from 1 to {MOST}.")
    with pipeline.writing(replace(origin, tool="undo")) as tx:
        found = last_operations(tx, limit=operations)
        if len(found) < operations:
            were = f"only {len(found)}" if found else "none"
            raise BadInput(f"There are {were} to undo.", "history and diff show what was changed.")
        purged = last_purge(tx)
        if any(min(each.changes) < purged for each in found):
            raise BadInput(
                "Something was purged since, which cannot be undone, nor can what came before it.",
                "Remove or add by hand what should change.",
            )
        revert(tx, [change for each in found for change in each.changes])
        retire_stale_conflicts(tx)
    forget(pipeline.store)
    return found
