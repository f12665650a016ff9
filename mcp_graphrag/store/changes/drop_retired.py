"""Dropping of rows that were retired long ago, and what can no longer be looked back at because of it."""

from dataclasses import dataclass
from datetime import datetime

from mcp_graphrag.store.changes.problem_rows import delete_vectors_of_nothing
from mcp_graphrag.store.engine.transaction import Reader, Writer


@dataclass(frozen=True)
class Compacted:
    """Rows retired up to a change were dropped: those retired until a moment, UTC. Both only grow."""

    change: int
    at: datetime


def compacted(tx: Reader) -> Compacted | None:
    """Up to when retired rows were dropped, None if they never were."""
    row = tx.row("compacted")
    return Compacted(*row) if row else None


def drop_retired(tx: Writer, until: datetime) -> int:
    """How many rows were dropped: those retired until a moment, for good.

    The change log stays, and the log of merges with the entities that it names and the names that they had.
    """
    change = tx.count("change_at", {"moment": until})
    before = compacted(tx)
    if before is not None and before.change >= change:
        return 0
    held = tx.count("all_rows")
    tx.voids_indexes = True
    tx.log_change()
    tx.execute("drop_retired", {"until": change})
    delete_vectors_of_nothing(tx)
    tx.execute("set_meta", {"key": "compacted_change", "value": str(change)})
    tx.execute("set_meta", {"key": "compacted_at", "value": until.isoformat(" ")})
    return held - tx.count("all_rows")
