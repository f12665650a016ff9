"""Results of a model by chunk, kept so that no request is paid for twice."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from mcp_graphrag.store.engine.columns import row_columns
from mcp_graphrag.store.engine.transaction import Reader, Writer


@dataclass(frozen=True)
class ResultOf:
    """What made a result: an extractor, the version of its instructions, and a model."""

    extractor: str
    version: str
    model: str


def find_results(tx: Reader, of: ResultOf, keys: Sequence[str]) -> dict[str, str]:
    """The stored results by key, of those keys that have one."""
    return dict(tx.rows("find_model_results", {**asdict(of), "keys": list(keys)}))


def add_results(tx: Writer, of: ResultOf, rows: Iterable[tuple[str, str, str]]) -> None:
    """Store results: (key, SHA-256 of the chunk's text, result); an earlier one with the same key is replaced."""
    given = [list(row) for row in rows]
    with tx.incoming("incoming_result", row_columns({"chunk_hash": str, "text_sha256": str, "result": str}, given)):
        tx.execute("add_model_results", asdict(of))


def pending_batches(tx: Reader, of: ResultOf) -> list[tuple[str, str, datetime]]:
    """(id, requests, when it was stored, UTC) of the batches whose answers are awaited, the oldest first."""
    return tx.rows("pending_model_batches", asdict(of))


def set_batch_id(tx: Writer, before: str, batch_id: str) -> None:
    """Store a batch under another id."""
    tx.execute("set_model_batch_id", {"before": before, "batch_id": batch_id})


def set_pending_batch(tx: Writer, of: ResultOf, batch_id: str, requests: str) -> None:
    """Store the requests of a batch, or with "" delete the batch."""
    if requests:
        tx.execute("set_model_batch", {**asdict(of), "batch_id": batch_id, "requests": requests})
    else:
        tx.execute("delete_model_batch", {"batch_id": batch_id})
