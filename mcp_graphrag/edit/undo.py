"""Undo of the last operations, each as a whole."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from mcp_graphrag.clean_input import check_range
from mcp_graphrag.errors import BadInput
from mcp_graphrag.snapshot import Write
from mcp_graphrag.store.changes.removal import compacted
from mcp_graphrag.store.changes.revert import revert
from mcp_graphrag.store.rows.change_rows import Operation, changes_of, last_operations, last_purge
from mcp_graphrag.store.rows.conflict_rows import retire_stale_conflicts

MAX_OPERATIONS = 100


def undo(
    write: Write, operations: int, *, unfinished: Collection[int] = (), expected: int | None = None
) -> Sequence[Operation]:
    """The operations that were undone, the newest first. An undo cannot itself be undone.

    `unfinished` are operations that other writes will belong to. With `expected`, the last one has to be it. Raises
    BadInput if it is not, for one of the unfinished, if there are fewer, if something was purged
    after one of them, or if what it retired may have been dropped.
    """
    check_range("operations", operations, 1, MAX_OPERATIONS)
    tx = write.tx
    tx.origin = replace(tx.origin, tool="undo")  # the change log knows by this name that it cannot be undone
    found = last_operations(tx, limit=operations)
    if len(found) < operations:
        were = f"only {len(found)}" if found else "none"
        raise BadInput(f"There are {were} to undo.", "`history` and `diff` show what was changed.")
    if expected is not None and found[0].id != expected:
        raise BadInput(
            "Something else was written since, so this cannot be undone alone.", "`history` shows what was changed."
        )
    going_on = changes_of(tx, unfinished)
    for operation in found:
        if not going_on.isdisjoint(operation.changes):
            raise BadInput(
                f"Operation {operation.id} ({operation.tool}) is not finished: it would go on after the undo.",
                "Undo it when it has ended; `get_job` tells when an ingest has.",
            )
    purged = last_purge(tx)
    if any(min(operation.changes) < purged for operation in found):
        raise BadInput(
            "Something was purged since, and nothing before a purge can be undone.",
            "Make the changes that you want with the tools that add and remove.",
        )
    dropped = compacted(tx)
    if dropped is not None and any(min(operation.changes) <= dropped.change for operation in found):
        raise BadInput(
            f"What was retired until {dropped.at:%Y-%m-%d %H:%M:%S} was dropped by `mcp-graphrag compact`, and no"
            " change until then can be undone.",
            "Make the changes that you want with the tools that add and remove.",
        )
    revert(tx, [change for operation in found for change in operation.changes])
    retire_stale_conflicts(tx)
    return found
