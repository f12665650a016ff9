"""The resident way from a triple to its evidence: two columns of ids, where a scan would read the whole table."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mcp_graphrag.model import Ids
from mcp_graphrag.store.transaction import Reader
from mcp_graphrag.store.triples import evidence_rows, retired_evidence


@dataclass(frozen=True)
class EvidenceRows:
    """Evidence in force: `triple_ids` ascending, `evidence_ids` beside them, ascending within a triple."""

    triple_ids: Ids
    evidence_ids: Ids

    def of(self, triple_ids: Iterable[int], *, most: int) -> list[int]:
        """The ids of the first `most` pieces of evidence of each triple."""
        wanted = np.array(sorted({int(each) for each in triple_ids}), dtype=np.int64)
        first = np.searchsorted(self.triple_ids, wanted, side="left")
        last = np.minimum(np.searchsorted(self.triple_ids, wanted, side="right"), first + most)
        spans = [self.evidence_ids[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)]
        return np.concatenate(spans).tolist() if spans else []


def build_evidence(tx: Reader) -> EvidenceRows:
    """All evidence in force."""
    return _sorted(*evidence_rows(tx, since=-1))


def update_evidence(tx: Reader, old: EvidenceRows, since: int) -> EvidenceRows | None:
    """The evidence after the changes since a generation."""
    kept = ~np.isin(old.evidence_ids, retired_evidence(tx, since=since))
    triple_ids, evidence_ids = evidence_rows(tx, since=since)
    return _sorted(
        np.concatenate([old.triple_ids[kept], triple_ids]), np.concatenate([old.evidence_ids[kept], evidence_ids])
    )


def _sorted(triple_ids: Ids, evidence_ids: Ids) -> EvidenceRows:
    order = np.argsort(triple_ids, kind="stable")
    return EvidenceRows(triple_ids[order], evidence_ids[order])
