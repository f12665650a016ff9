"""Undo of the last operations, each as a whole."""

from collections.abc import Sequence
from dataclasses import replace

from mcp_graphrag.clean_input import check_range
from mcp_graphrag.errors import BadInput
from mcp_graphrag.snapshot import Write
from mcp_graphrag.store.changes.revert import revert
from mcp_graphrag.store.rows.change_rows import Operation, last_operations, last_purge
from mcp_graphrag.store.rows.conflict_rows import retire_stale_conflicts

MAX_OPERATIONS = 100


def undo(write: Write, operations: int) -> Sequence[Operation]:
    """The operations that were undone, the newest first. An undo cannot itself be undone.

    Raises BadInput if there are fewer, or if something was purged after one of them.
    """
    check_range("operations", operations, 1, MAX_OPERATIONS)
    tx = write.tx
    tx.origin = replace(tx.origin, tool="undo")  # the change log knows by this name that it cannot be undone
    found = last_operations(tx, limit=operations)
    if len(found) < operations:
        were = f"only {len(found)}" if found else "none"
        raise BadInput(f"There are {were} to undo.", "`history` and `diff` show what was changed.")
    purged = last_purge(tx)
    if any(min(operation.changes) < purged for operation in found):
        raise BadInput(
            "Something was purged since, and nothing before a purge can be undone.",
            "Make the changes that you want with the tools that add and remove.",
        )
    revert(tx, [change for operation in found for change in operation.changes])
    retire_stale_conflicts(tx)
    return found
