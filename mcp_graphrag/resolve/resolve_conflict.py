"""Resolution of conflicts between stored triples, with a reason.

Nothing is overwritten: the triple that a resolution drops ends where the kept one begins, or is retired.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias, get_args

from mcp_graphrag.clean_input import clean_reason
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Triple
from mcp_graphrag.resolve.detect_conflicts import reconcile_conflicts
from mcp_graphrag.snapshot import Write
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.rows.conflict_rows import (
    ConflictRow,
    add_verdict,
    close_triples,
    conflict_by_id,
    undated_duplicates,
)
from mcp_graphrag.store.rows.triple_rows import retire_triples, triples_by_id

Keep: TypeAlias = Literal["first", "second", "both"]
Other: TypeAlias = Literal["auto", "ended", "wrong"]  # what is known of the triple that is not kept
IN_TIME = frozenset({"functional", "opposite"})  # kinds of conflicts whose triples can hold one after the other
OPEN_ONES = "`review` lists the open conflicts."


@dataclass(frozen=True)
class Resolved:
    """A conflict with its verdict: `detail` describes it, `conflict_id` is its number from now on.

    `dropped` is the triple that was retired or, with `ended`, given an end, first, and then what was retired with it as
    it says the same without dates; it is empty if both stay.
    """

    conflict_id: int
    detail: str
    verdict: Keep
    reason: str
    dropped: Sequence[Triple] = ()
    ended: datetime | None = None


@dataclass(frozen=True)
class Drop:
    """What becomes of a side of a conflict if the other is kept: it ends at `ended`, or is retired.

    With it those of `alike` are retired, the ids of triples that say the same without dates.
    """

    ended: datetime | None = None
    alike: Sequence[int] = ()


def resolve_conflict(write: Write, conflict_id: int, keep: Keep, reason: str, *, other: Other = "auto") -> Resolved:
    """Resolve an open conflict for a reason: keep its first triple, its second, or both.

    The other ends where the kept one begins, if it began before that or has no beginning, and is retired with its
    evidence otherwise, with those that say the same without dates, unless the kept one says it too. With `other`
    "ended" it ends there in any case, or now if the kept one has no beginning; with "wrong" it is retired in any case.
    Where a single triple violates its types, "first" keeps it and "second" retires it. Raises UnknownName for a number
    that no conflict has, BadInput for one that is not open, for an empty reason, and for what cannot end.
    """
    tx, reason = write.tx, _checked(reason, keep, other)
    row = _open_conflict(tx, conflict_id)
    sides = [row.triple_id, row.other_id or 0]
    at = {"first": 1, "second": 0}.get(keep) if row.other_id or keep == "second" else None
    if other != "auto" and (at is None or (other == "ended" and row.other_id is None)):
        raise BadInput(f"There is no other triple that is {other}.", "Leave other out, or keep one of two triples.")
    found = triples_by_id(tx, [triple_id for triple_id in sides if triple_id])
    dropped = None if at is None else found[sides[at]]
    drop, gone = Drop(), [dropped] if dropped else []
    if dropped and at is not None:
        kept = found[sides[1 - at]] if row.other_id else None
        drop = drop_of(tx, row.kind, dropped, kept, other, now=tx.recorded_at)
        gone += triples_by_id(tx, drop.alike).values()
        if drop.ended:
            sides[at] = close_triples(tx, {dropped.id: drop.ended})[dropped.id]
        else:
            retire_triples(tx, [dropped.id, *drop.alike])
    resolved_id = add_verdict(tx, conflict_id, (sides[0], sides[1] or None), keep, reason)
    reconcile_conflicts(tx, write.ontology)
    return Resolved(resolved_id, row.detail, keep, reason, gone, drop.ended)


def drop_of(
    tx: Reader, kind: str, dropped: Triple, kept: Triple | None, other: Other = "auto", *, now: datetime | None = None
) -> Drop:
    """What a resolution of a conflict does to the triple that it drops. Raises BadInput for what cannot end."""
    ended = _end(dropped, kept, other if kind in IN_TIME else "wrong", now) if kept else None
    # With "interval" the kept one says the same: what has no dates gives way to it, and supports it.
    return Drop(ended) if ended or kind == "interval" else Drop(alike=undated_duplicates(tx, dropped.id))


def _checked(reason: str, keep: str, other: str) -> str:
    if keep not in get_args(Keep):
        raise BadInput(f"keep is '{keep}'.", "It is first, second or both.")
    if other not in get_args(Other):
        raise BadInput(f"other is '{other}'.", "It is auto, ended or wrong.")
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


def _end(dropped: Triple, kept: Triple, other: Other, now: datetime | None) -> datetime | None:
    """The moment at which the kept triple takes over, None if the other never held."""
    moment = kept.valid_from or (now if other == "ended" else None)
    if moment is None or other == "wrong":
        return None
    if dropped.valid_from is None or dropped.valid_from < moment:
        return moment
    if other == "auto":
        return None
    raise BadInput(
        f"{dropped.subject} {dropped.predicate} {dropped.object} begins {dropped.valid_from:%Y-%m-%d}, not before"
        f" {moment:%Y-%m-%d}, so it cannot end then.",
        "Keep it, or leave other out to retire it.",
    )
