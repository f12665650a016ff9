"""The change log: one row per write, grouped into operations."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from mcp_graphrag.store.engine.transaction import Reader, Writer


@dataclass(frozen=True)
class Operation:
    """The changes of one call or job."""

    id: int
    changes: Sequence[int]
    recorded_at: datetime
    client: str
    tool: str


def new_operation(tx: Writer) -> int:
    """The id of a new operation of several changes, for the origin of each."""
    return int(tx.new_ids("change_id", 1)[0])


def last_operations(tx: Reader, *, limit: int) -> list[Operation]:
    """The operations that can be undone, newest first."""
    return [Operation(*row) for row in tx.rows("last_operations", {"limit": limit})]


def changes_of(tx: Reader, operations: Iterable[int]) -> set[int]:
    """The changes of operations so far."""
    return {row[0] for row in tx.rows_by_id("changes_of", operations)}


def last_purge(tx: Reader) -> int:
    """The newest change that removed rows for good, 0 if there is none."""
    return tx.count("last_purge")


def landed(tx: Reader, client: str, request_id: str, since: datetime) -> list[tuple[int, str]]:
    """(operation, tool) of what a request has written since a moment; `client` is the part behind the slash."""
    return tx.rows("landed", {"client": client, "request_id": request_id, "since": since})
