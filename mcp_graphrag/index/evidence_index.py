"""The evidence of each triple in memory: two columns of ids, as a query would scan the whole table."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import typed_columns
from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.past_rows import retired_ids
from mcp_graphrag.store.rows.triple_rows import evidence_rows

FIELDS = {
    "triple_ids": ("triple_id", np.int64),
    "evidence_ids": ("id", np.int64),
    "confidences": ("confidence", np.float32),
}


@dataclass(frozen=True)
class EvidenceRows:
    """The active evidence: `triple_ids` ascending, with `evidence_ids`, the most confident first within a triple."""

    triple_ids: Ids
    evidence_ids: Ids
    confidences: NDArray[np.float32]

    def of(self, triple_ids: Iterable[int], *, limit: int | None) -> list[int]:
        """The ids of the evidence of each triple, or of the first `limit` pieces."""
        wanted = np.array(sorted({int(triple_id) for triple_id in triple_ids}), dtype=np.int64)
        first = np.searchsorted(self.triple_ids, wanted, side="left")
        last = np.searchsorted(self.triple_ids, wanted, side="right")
        last = last if limit is None else np.minimum(last, first + limit)
        spans = [self.evidence_ids[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)]
        return np.concatenate(spans).tolist() if spans else []


def build_evidence(tx: Reader) -> EvidenceRows:
    """All active evidence."""
    return _sorted(evidence_rows(tx, since=-1))


def update_evidence(tx: Reader, old: EvidenceRows, since: int) -> EvidenceRows | None:
    """The evidence after the changes since a generation."""
    rows = evidence_rows(tx, since=since)
    # Restored evidence has its old id and must not be listed twice.
    kept = ~np.isin(old.evidence_ids, np.concatenate([retired_ids(tx, "evidence", since=since), rows["id"]]))
    return _sorted(
        {column: np.concatenate([getattr(old, field)[kept], rows[column]]) for field, (column, _) in FIELDS.items()}
    )


def _sorted(rows: dict[str, NDArray[Any]]) -> EvidenceRows:
    order = np.lexsort((rows["id"], -rows["confidence"], rows["triple_id"]))
    return EvidenceRows(**{field: column[order] for field, column in typed_columns(rows, FIELDS).items()})
