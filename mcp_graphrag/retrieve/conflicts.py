"""Conflicts to review: both triples with their evidence, and the side that comes from a more trusted source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import NOW, Triple, When
from mcp_graphrag.retrieve.triples import MOST_EVIDENCE, fetch_triples
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.conflicts import conflicts_after, count_conflicts, last_evidence, origins_of
from mcp_graphrag.store.known import present
from mcp_graphrag.store.triples import triples_by_id

State: TypeAlias = Literal["open", "resolved", "all"]
RESOLVED: Mapping[str, bool | None] = {"open": False, "resolved": True, "all": None}


@dataclass(frozen=True)
class Conflict:
    """Two triples that contradict each other, or one that does not fit its types: then `other` is None.

    `kind` is functional, opposite, interval or type, `detail` says it in words. `preferred` is the side that comes
    from a more trusted source, "" where neither does. `verdict` says what a resolution kept (first: `triple`, second:
    `other`, both), and `reason` why; both are "" while it is open.
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
    """Conflicts, oldest first. `next_after` continues the list, None at its end; `total` counts all there are."""

    conflicts: Sequence[Conflict]
    next_after: int | None
    total: int


def list_conflicts(
    store: Store,
    *,
    precedence: Sequence[str] = (),
    state: State = "open",
    after: int = 0,
    limit: int = 20,
    when: When = NOW,
) -> ConflictPage:
    """Conflicts that are open, resolved, or all.

    `precedence` names sources, uris or titles of documents, the most trusted first. With `when.as_of`, only conflicts
    whose triples held then. Raises BadInput for a limit below 1.
    """
    if limit < 1:
        raise BadInput(f"limit is {limit}.", "It is at least 1.")
    resolved = RESOLVED[state]
    with store.reading(known_at=when.known_at) as tx:
        rows = conflicts_after(tx, resolved=resolved, after=after, limit=limit + 1, as_of=when.as_of)
        shown = rows[:limit]
        triples = _triples(store, tx, sorted({each for row in shown for each in (row.triple_id, row.other_id) if each}))
        ranks = _ranks(tx, triples, precedence)
        total = count_conflicts(tx, resolved=resolved, as_of=when.as_of)
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
        for row in shown
    ]
    return ConflictPage(conflicts, shown[-1].id if len(rows) > limit else None, total)


def _triples(store: Store, tx: Reader, ids: Sequence[int]) -> dict[int, Triple]:
    """Triples with their evidence; one that a resolution has retired with what it had then."""
    found = fetch_triples(store, tx, ids)
    gone = [each for each in ids if each not in found or found[each].retired_at]
    if not gone:
        return found
    if tx.known is None:
        return found | _retired(tx, gone)
    with present(tx):
        return found | _retired(tx, gone)


def _retired(tx: Reader, ids: Sequence[int]) -> dict[int, Triple]:
    by_triple = last_evidence(tx, ids)
    kept = [each for evidence in by_triple.values() for each in evidence[:MOST_EVIDENCE]]
    return triples_by_id(tx, ids, evidence_ids=kept)


def _ranks(tx: Reader, ids: Mapping[int, Triple], precedence: Sequence[str]) -> dict[int, int]:
    """The place in the order of trust of the best source of each triple; none for those from other sources."""
    if not precedence or not ids:
        return {}
    place = {name.lower(): at for at, name in reversed(list(enumerate(precedence)))}
    ranked = {
        triple_id: min((place[name] for name in names if name in place), default=None)
        for triple_id, names in origins_of(tx, ids).items()
    }
    return {triple_id: rank for triple_id, rank in ranked.items() if rank is not None}


def _preferred(ranks: Mapping[int, int], triple_id: int, other_id: int | None) -> Literal["triple", "other", ""]:
    if other_id is None or (triple_id not in ranks and other_id not in ranks):
        return ""
    mine, theirs = (ranks.get(each, max(ranks.values()) + 1) for each in (triple_id, other_id))
    return "" if mine == theirs else "triple" if mine < theirs else "other"
