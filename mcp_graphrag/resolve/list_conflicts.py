"""Lists of conflicts: both triples with their evidence, and the side from the more trusted source."""

from collections.abc import Mapping, Sequence, Set
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from mcp_graphrag.lookup.query_triples import MAX_EVIDENCE, fetch_triples
from mcp_graphrag.model import Triple
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.engine.time_travel import present
from mcp_graphrag.store.rows.conflict_rows import (
    ConflictRow,
    conflicts_after,
    count_conflicts,
    evidence_when_retired,
    sources_of_triples,
)
from mcp_graphrag.store.rows.triple_rows import triples_by_id

UNLIMITED = 2**62


@dataclass(frozen=True)
class Conflict:
    """Two triples that contradict each other, or one that violates its types: then `other` is None.

    `kind` is functional, opposite, interval or type, `detail` describes it. `preferred` is the side from the more
    trusted source, "" if there is none. `verdict` is what a resolution kept (first: `triple`, second: `other`, both)
    and `reason` why; both are "" while it is open.
    """

    id: int
    kind: str
    triple: Triple
    other: Triple | None
    detail: str
    preferred: Literal["triple", "other", ""]
    verdict: str
    reason: str
    recorded_at: datetime


@dataclass(frozen=True)
class ConflictPage:
    """Conflicts, oldest first; `total` counts those of other pages too."""

    conflicts: Sequence[Conflict] = ()
    total: int = 0


def list_conflicts(
    snapshot: Snapshot,
    *,
    precedence: Sequence[str] = (),
    resolved: bool = False,
    about: Set[int] | None = None,
    after: int = 0,
    limit: int = 20,
) -> ConflictPage:
    """Conflicts with an id above `after` that are open or resolved; with `about`, of these entities.

    `precedence` names sources, uris or titles of documents, the most trusted first. With `when.as_of`, only conflicts
    whose triples held then.
    """
    tx, as_of = snapshot.tx, snapshot.when.as_of
    if about is None:
        total = count_conflicts(tx, resolved=resolved, as_of=as_of)
        rows = conflicts_after(tx, resolved=resolved, after=after, limit=limit, as_of=as_of)
        triples = _triples(snapshot, rows)
    else:
        rows = conflicts_after(tx, resolved=resolved, after=0, limit=UNLIMITED, as_of=as_of)
        triples = _triples(snapshot, rows)
        ends = {triple_id: {triple.subject_id, triple.object_id} for triple_id, triple in triples.items()}
        rows = [row for row in rows if about & (ends[row.triple_id] | ends.get(row.other_id or 0, set()))]
        total = len(rows)
        rows = [row for row in rows if row.id > after][:limit]
    ranks = _ranks(snapshot, triples, precedence)
    conflicts = [
        Conflict(
            row.id,
            row.kind,
            triples[row.triple_id],
            triples[row.other_id] if row.other_id else None,
            row.detail,
            _preferred(ranks, row.triple_id, row.other_id),
            row.verdict or "",
            row.reason or "",
            row.recorded_at,
        )
        for row in rows
    ]
    return ConflictPage(conflicts, total)


def _triples(snapshot: Snapshot, conflicts: Sequence[ConflictRow]) -> dict[int, Triple]:
    """Their triples with evidence; one that a resolution has retired, with the evidence that it had then."""
    ids = sorted({triple_id for row in conflicts for triple_id in (row.triple_id, row.other_id) if triple_id})
    found = fetch_triples(snapshot, ids)
    gone = [triple_id for triple_id in ids if triple_id not in found or found[triple_id].retired_at]
    if not gone:
        return found
    with nullcontext() if snapshot.tx.known is None else present(snapshot.tx):
        by_triple = evidence_when_retired(snapshot.tx, gone)
        kept = [evidence_id for evidence in by_triple.values() for evidence_id in evidence[:MAX_EVIDENCE]]
        return found | triples_by_id(snapshot.tx, gone, evidence_ids=kept)


def _ranks(snapshot: Snapshot, ids: Mapping[int, Triple], precedence: Sequence[str]) -> dict[int, int]:
    """The rank of the most trusted source of each triple; triples from other sources have none."""
    if not precedence or not ids:
        return {}
    place = {name.lower(): at for at, name in reversed(list(enumerate(precedence)))}
    ranked = {
        triple_id: min((place[name] for name in names if name in place), default=None)
        for triple_id, names in sources_of_triples(snapshot.tx, snapshot.evidence_ids(ids)).items()
    }
    return {triple_id: rank for triple_id, rank in ranked.items() if rank is not None}


def _preferred(ranks: Mapping[int, int], triple_id: int, other_id: int | None) -> Literal["triple", "other", ""]:
    if other_id is None or (triple_id not in ranks and other_id not in ranks):
        return ""
    mine, theirs = (ranks.get(side, max(ranks.values()) + 1) for side in (triple_id, other_id))
    return "" if mine == theirs else "triple" if mine < theirs else "other"
