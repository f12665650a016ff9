"""Conflicts of what is stored: recorded when it is, resolved with a reason; nothing is overwritten on the way.

What a resolution drops is retired, or ends in time.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias, get_args

import numpy as np

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Ids, Origin, Triple
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.resolve.conflicts import end_superseded, record_conflicts, settle_conflicts
from mcp_graphrag.resolve.ontology import Ontology
from mcp_graphrag.store import Writer
from mcp_graphrag.store.conflicts import (
    ConflictRow,
    Contradictions,
    Superseding,
    close_triples,
    conflict_by_id,
    retire_stale_conflicts,
    undated_beside,
    write_verdict,
)
from mcp_graphrag.store.removal import retire_triples
from mcp_graphrag.store.triples import Placed, TripleRows, triples_by_id

Keep: TypeAlias = Literal["first", "second", "both"]
Renewed: TypeAlias = tuple[Ids, Ids]  # ids of triples and of their predicates, in one order
NOTHING: Renewed = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
LONGEST_REASON = 2_000
OPEN_ONES = "review lists the open ones."


@dataclass(frozen=True)
class Resolved:
    """A conflict with its verdict: `detail` says what it was, `conflict_id` is the number that it has from now on.

    `dropped` is the triple that is retired, or that has `ended` in time; None where both stay.
    """

    conflict_id: int
    detail: str
    verdict: Keep
    reason: str
    dropped: Triple | None = None
    ended: datetime | None = None


def end_replaced(tx: Writer, ontology: Ontology, rows: TripleRows) -> tuple[TripleRows, Renewed]:
    """End the triples that the rows supersede, before these are stored.

    Answers the rows, those without a beginning that supersede something with the present as theirs, and what was
    written anew, for `record_new`.
    """
    offered = Superseding(
        np.asarray(rows.subject_ids, dtype=np.int64),
        np.asarray(rows.predicate_ids, dtype=np.int64),
        np.asarray(rows.object_ids, dtype=np.int64),
        rows.valid_from,
        rows.valid_to,
    )
    positions, renewed = end_superseded(tx, ontology, offered)
    begins = [
        tx.recorded_at if given is None and at in positions else given for at, given in enumerate(rows.valid_from)
    ]
    return replace(rows, valid_from=begins), renewed


def record_new(
    tx: Writer, ontology: Ontology, rows: TripleRows, placed: Placed, renewed: Renewed = NOTHING
) -> Contradictions:
    """Record what the new ones of stored rows contradict, beside them."""
    ids = np.concatenate([placed.triple_ids[placed.is_new], renewed[0]])
    predicate_ids = np.concatenate([np.asarray(rows.predicate_ids, dtype=np.int64)[placed.is_new], renewed[1]])
    found = record_conflicts(tx, ontology, ids, predicate_ids)
    if len(renewed[0]) or (len(ids) and (any(rows.valid_from) or any(rows.valid_to))):
        retire_stale_conflicts(tx)
    return found


def resolve_conflict(
    pipeline: Pipeline, conflict_id: int, keep: Keep, reason: str, origin: Origin, *, supersede: bool = False
) -> Resolved:
    """Settle an open conflict for a reason: keep its first or its second triple, or both.

    The other is retired with its evidence; with `supersede` it is held true until the kept one begins, or until now if
    that has no beginning. Of a triple that does not fit its types, "first" keeps it and "second" drops it.
    Raises UnknownName for a number that no conflict has, BadInput for one that is not open and for an empty reason.
    """
    reason = _checked(reason, keep)
    with pipeline.writing(origin) as tx:
        row = _open_conflict(tx, conflict_id)
        sides = [row.triple_id, row.other_id or 0]
        at = {"first": 1, "second": 0}.get(keep) if row.other_id or keep == "second" else None
        if supersede and (at is None or row.other_id is None):
            raise BadInput("Nothing is superseded here.", "Leave supersede out, or keep one of two triples.")
        found = triples_by_id(tx, [each for each in sides if each])
        dropped = None if at is None else found[sides[at]]
        ended: datetime | None = None
        if dropped and at is not None and supersede:
            ended = _end(dropped, found[sides[1 - at]], tx.recorded_at)
            sides[at] = close_triples(tx, {dropped.id: ended})[dropped.id]
        elif dropped:
            retire_triples(tx, [dropped.id, *undated_beside(tx, dropped.id)])
        resolved_id = write_verdict(tx, conflict_id, (sides[0], sides[1] or None), keep, reason)
        settle_conflicts(tx, pipeline.ontology(tx))
        return Resolved(resolved_id, row.detail, keep, reason, dropped, ended)


def _checked(reason: str, keep: str) -> str:
    if keep not in get_args(Keep):
        raise BadInput(f"keep is '{keep}'.", "It is first, second or both.")
    clean = " ".join(reason.split())
    if not clean:
        raise BadInput("The reason is empty.", "Say why, for whoever asks later.")
    if len(clean) > LONGEST_REASON:
        raise BadInput(f"The reason has {len(clean)} characters; the most is {LONGEST_REASON}.", "Shorten it.")
    return clean


def _open_conflict(tx: Writer, conflict_id: int) -> ConflictRow:
    found = conflict_by_id(tx, conflict_id)
    if found is None:
        raise UnknownName("conflict", str(conflict_id), hint=OPEN_ONES)
    row, in_force = found
    if row.verdict:
        raise BadInput(
            f"Conflict {conflict_id} is resolved already: {row.verdict} was kept, for '{row.reason}'.", OPEN_ONES
        )
    if not in_force:
        raise BadInput(
            f"Conflict {conflict_id} is open no longer: it is resolved, or what it named is gone.", OPEN_ONES
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
