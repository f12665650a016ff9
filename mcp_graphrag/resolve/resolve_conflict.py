"""Resolution of conflicts between stored triples, with a reason.

Nothing is overwritten: the triple that a resolution drops is retired, or ends.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, get_args

from mcp_graphrag.clean_input import clean_reason
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Triple
from mcp_graphrag.resolve.detect_conflicts import reconcile_conflicts
from mcp_graphrag.snapshot import Write
from mcp_graphrag.store import Writer
from mcp_graphrag.store.rows.conflict_rows import (
    ConflictRow,
    add_verdict,
    close_triples,
    conflict_by_id,
    undated_duplicates,
)
from mcp_graphrag.store.rows.triple_rows import retire_triples, triples_by_id

Keep: TypeAlias = Literal["first", "second", "both"]
OPEN_ONES = "`review` lists the open conflicts."


@dataclass(frozen=True)
class Resolved:
    """A conflict with its verdict: `detail` describes it, `conflict_id` is its number from now on.

    `dropped` is the triple that was retired or, with `ended`, given an end; None if both stay.
    """

    conflict_id: int
    detail: str
    verdict: Keep
    reason: str
    dropped: Triple | None = None
    ended: datetime | None = None


def resolve_conflict(write: Write, conflict_id: int, keep: Keep, reason: str, *, supersede: bool = False) -> Resolved:
    """Resolve an open conflict for a reason: keep its first triple, its second, or both.

    The other is retired with its evidence; with `supersede` it is valid until the kept one begins, or until now if that
    has no beginning. Where a single triple violates its types, "first" keeps it and "second" drops it.
    Raises UnknownName for a number that no conflict has, BadInput for one that is not open and for an empty reason.
    """
    tx, reason = write.tx, _checked(reason, keep)
    row = _open_conflict(tx, conflict_id)
    sides = [row.triple_id, row.other_id or 0]
    at = {"first": 1, "second": 0}.get(keep) if row.other_id or keep == "second" else None
    if supersede and (at is None or row.other_id is None):
        raise BadInput("Nothing is superseded here.", "Leave supersede out, or keep one of two triples.")
    found = triples_by_id(tx, [triple_id for triple_id in sides if triple_id])
    dropped = None if at is None else found[sides[at]]
    ended: datetime | None = None
    if dropped and at is not None and supersede:
        ended = _end(dropped, found[sides[1 - at]], tx.recorded_at)
        sides[at] = close_triples(tx, {dropped.id: ended})[dropped.id]
    elif dropped:
        retire_triples(tx, [dropped.id, *undated_duplicates(tx, dropped.id)])
    resolved_id = add_verdict(tx, conflict_id, (sides[0], sides[1] or None), keep, reason)
    reconcile_conflicts(tx, write.ontology)
    return Resolved(resolved_id, row.detail, keep, reason, dropped, ended)


def _checked(reason: str, keep: str) -> str:
    if keep not in get_args(Keep):
        raise BadInput(f"keep is '{keep}'.", "It is first, second or both.")
    clean = clean_reason(reason)
    if not clean:
        raise BadInput("The reason is empty.", "Give a reason; it is kept in history.")
    return clean


def _open_conflict(tx: Writer, conflict_id: int) -> ConflictRow:
    found = conflict_by_id(tx, conflict_id)
    if found is None:
        raise UnknownName("conflict", str(conflict_id), hint=OPEN_ONES)
    row, in_force = found
    if row.verdict:
        raise BadInput(
            f"Conflict {conflict_id} is resolved already: {row.verdict} was kept, with the reason '{row.reason}'.",
            OPEN_ONES,
        )
    if not in_force:
        raise BadInput(
            f"Conflict {conflict_id} is no longer open: it is resolved, or one of its triples was removed.", OPEN_ONES
        )
    return row


def _end(dropped: Triple, kept: Triple, now: datetime) -> datetime:
    """The moment at which the kept triple takes over."""
    moment = kept.valid_from or now
    if dropped.valid_from and dropped.valid_from >= moment:
        raise BadInput(
            f"{dropped.subject} {dropped.predicate} {dropped.object} begins {dropped.valid_from:%Y-%m-%d}, not before"
            f" {moment:%Y-%m-%d}, so it cannot end then.",
            "Keep it, or leave supersede out to drop it.",
        )
    return moment
