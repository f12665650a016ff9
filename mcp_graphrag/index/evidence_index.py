"""The evidence of each triple in memory, as a query would scan the whole table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcp_graphrag.index.keyed_rows import KeyedRows, keyed, sorted_rows
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.triple_rows import evidence_changes, evidence_rows

VALUES = ("doubt", "id")  # of a row


@dataclass(frozen=True)
class EvidenceRows:
    """The active evidence: by triple (doubt, id) of each piece; doubt is less for a more confident one."""

    by_triple: KeyedRows

    def of(self, triple_ids: Iterable[int], *, limit: int | None) -> list[int]:
        """The ids of the evidence of each triple, or of the first `limit` pieces, the most confident first."""
        wanted = sorted({int(triple_id) for triple_id in triple_ids})
        return [evidence_id for rows in self.by_triple.of(wanted) for _, evidence_id in rows[:limit]]


def build_evidence(tx: Reader) -> EvidenceRows:
    """All active evidence."""
    rows = evidence_rows(tx)
    columns = (np.asarray(rows["doubt"], np.float32), np.asarray(rows["id"], np.int64))
    return EvidenceRows(sorted_rows(np.asarray(rows["triple_id"], np.int64), columns))


def update_evidence(tx: Reader, old: EvidenceRows, since: int) -> EvidenceRows | None:
    """The evidence after the changes since a generation; None to rebuild."""
    rows = evidence_changes(tx, since=since)
    changed = keyed(rows, "triple_id", VALUES)
    added = [row for row, retired in zip(changed, rows["retired"].tolist(), strict=True) if not retired]
    # Restored evidence has its old id and must not be listed twice.
    updated = old.by_triple.after(changed, added)
    return None if updated is None else EvidenceRows(updated)


def with_evidence(old: EvidenceRows, rows: Iterable[Mapping[str, Any]]) -> EvidenceRows | None:
    """The evidence after some was added, given by its values; None to rebuild."""
    added = [(row["triple_id"], (float(-np.float32(row["confidence"])), row["evidence_id"])) for row in rows]
    updated = old.by_triple.after((), added)
    return None if updated is None else EvidenceRows(updated)
