"""Contradictions between triples: found for new ones, recorded beside them, resolved or gone with what they name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np

from mcp_graphrag.model import Ids
from mcp_graphrag.store.documents import documents_by_id, texts, times
from mcp_graphrag.store.removal import retire_triples
from mcp_graphrag.store.transaction import Reader, Writer

MOST_RIVALS = 20  # rivals of one holder up to which every pair is compared
NEAR_RIVALS = 8  # beyond that, those before and after it in time that a new one is compared with
MOST_NAMED = 5
MANY = 10_000


@dataclass(frozen=True)
class Watched:
    """What can contradict, by ids of predicates.

    A reading (predicate, relation, turned) says that triples of the predicate state the relation, turned round or
    not. `functional` are relations of which a holder has one at a time, with their names, `opposites` pairs that
    exclude each other, `refusals` (predicate, subject type, object type, why) what cannot stand together.
    """

    readings: Sequence[tuple[int, int, bool]] = ()
    functional: Mapping[int, str] = field(default_factory=dict[int, str])
    opposites: Sequence[tuple[int, int]] = ()
    refusals: Sequence[tuple[int, str, str, str]] = ()


@dataclass(frozen=True)
class Contradictions:
    """How many open conflicts a write has recorded, and the first of them in words."""

    count: int = 0
    named: Sequence[str] = ()


NO_CONTRADICTIONS = Contradictions()


@dataclass(frozen=True)
class ConflictRow:
    """A conflict as stored: `other_id` is None where a triple does not fit its types, `verdict` while it is open."""

    id: int
    kind: str
    triple_id: int
    other_id: int | None
    detail: str
    verdict: str | None
    reason: str | None
    recorded_at: datetime


def types_met(tx: Reader, triple_ids: Ids) -> list[tuple[int, str, str]]:
    """The different (predicate, subject type, object type) of triples."""
    with tx.offering("incoming_new", {"id": triple_ids}):
        return [(row[0], row[1], row[2]) for row in tx.rows("types_met")]


def add_conflicts(tx: Writer, triple_ids: Ids, watched: Watched) -> Contradictions:
    """Record what new triples contradict in the file, each pair once; the triples stay as they are.

    What was resolved before, of triples that say the same, is remembered: where both were kept the new conflict has
    that verdict and is not answered, else it is open and its words tell the verdict.
    """
    if not len(triple_ids) or not (watched.readings or watched.refusals):
        return NO_CONTRADICTIONS
    with tx.offering("incoming_new", {"id": triple_ids}):
        clashes = _find_clashes(tx, watched, many=len(triple_ids) >= MANY)
        if watched.refusals:
            with tx.offering("incoming_refusal", _refusals(watched)):
                clashes += tx.count("add_misfits")
    if not clashes:
        return NO_CONTRADICTIONS
    tx.rows("word_clashes")
    if tx.count("may_recall"):
        tx.rows("recall_verdicts")
    tx.rows("add_conflicts", tx.stamp())
    found = tx.rows("worded_conflicts", {"limit": MOST_NAMED})
    return Contradictions(int(found[0][1]), [row[0] for row in found]) if found else NO_CONTRADICTIONS


def _find_clashes(tx: Writer, watched: Watched, *, many: bool) -> int:
    """How many pairs clash; the statements that follow find them in a temporary table."""
    tx.rows("no_clashes")
    if not watched.readings:
        return 0
    with (
        tx.offering("incoming_reading", _readings(watched)),
        tx.offering("incoming_functional", _functional(watched)),
        tx.offering("incoming_opposite", _opposites(watched)),
    ):
        if many and not tx.count("find_crowded"):
            return 0
        if not tx.count("read_new_crowded" if many else "read_new"):
            return 0
        tx.rows("read_around")
        if not tx.count("find_rivals") and not watched.opposites:
            return 0
        return tx.count("find_clashes", {"most": MOST_RIVALS, "near": NEAR_RIVALS})


def _readings(watched: Watched) -> dict[str, Any]:
    rows = np.array([[predicate, relation] for predicate, relation, _ in watched.readings], dtype=np.int64)
    turned = np.array([turned for _, _, turned in watched.readings], dtype=np.bool_)
    return {"predicate_id": rows[:, 0].copy(), "relation": rows[:, 1].copy(), "turned": turned}


def _functional(watched: Watched) -> dict[str, Any]:
    return {
        "relation": np.array(list(watched.functional), dtype=np.int64),
        "name": texts(watched.functional.values()),
    }


def _opposites(watched: Watched) -> dict[str, Any]:
    rows = np.array(watched.opposites, dtype=np.int64).reshape(-1, 2)
    return {"relation": rows[:, 0].copy(), "other": rows[:, 1].copy()}


def _refusals(watched: Watched) -> dict[str, Any]:
    predicates, subjects, objects, whys = zip(*watched.refusals, strict=True)
    return {
        "predicate_id": np.array(predicates, dtype=np.int64),
        "subject_type": texts(subjects),
        "object_type": texts(objects),
        "why": texts(whys),
    }


def retire_stale_conflicts(tx: Writer) -> int:
    """Take conflicts out of force that are about triples no longer in force, and answer how many.

    An open one needs both its triples, a resolved one those that were kept. One about a triple without dates ends too
    when the same is said with dates: those are what is compared then.
    """
    if not tx.count("has_conflicts"):
        return 0
    stale = [int(row[0]) for row in tx.rows("stale_conflicts")]
    if stale:
        tx.rows("retire_conflicts", {"ids": stale, **tx.stamp()})
    return len(stale)


def triples_to_compare(tx: Writer) -> tuple[Ids, Ids]:
    """(ids, predicate ids) of what this write has put in force.

    With the triples without dates whose dated sayings it has retired: nothing speaks for them now.
    """
    found = tx.columns("triples_to_compare", {"change": tx.change})
    return np.asarray(found["id"], dtype=np.int64), np.asarray(found["predicate_id"], dtype=np.int64)


def conflicts_after(
    tx: Reader, *, resolved: bool | None, after: int, limit: int, as_of: datetime | None = None
) -> list[ConflictRow]:
    """Conflicts in force behind an id, the oldest first: the open, the resolved, or all of them."""
    asked = {"open": None if resolved is None else not resolved, "as_of": as_of, "after": after, "limit": limit}
    return [ConflictRow(*row) for row in tx.rows("conflicts_after", asked)]


def count_conflicts(tx: Reader, *, resolved: bool | None, as_of: datetime | None = None) -> int:
    """How many conflicts are in force."""
    asked = {"open": None if resolved is None else not resolved, "as_of": as_of}
    return tx.count("count_conflicts", asked)


def conflict_by_id(tx: Reader, conflict_id: int) -> tuple[ConflictRow, bool] | None:
    """A conflict, and whether it is in force."""
    row = tx.row("conflict_by_id", {"id": conflict_id})
    return (ConflictRow(*row[:8]), row[8] is None) if row else None


def write_verdict(tx: Writer, conflict_id: int, sides: tuple[int, int | None], verdict: str, reason: str) -> int:
    """Retire an open conflict and write it anew, with its verdict and what its sides are now; answers the new id."""
    new_id = int(tx.new_ids("conflict_id", 1)[0])
    said = {"triple": sides[0], "other": sides[1], "verdict": verdict, "reason": reason}
    tx.rows("resolve_conflict", {"id": conflict_id, "new_id": new_id, **said, **tx.stamp()})
    tx.rows("retire_conflicts", {"ids": [conflict_id], **tx.stamp()})
    return new_id


def undated_beside(tx: Reader, triple_id: int) -> list[int]:
    """The other triples in force that say the same as one, without dates."""
    return [row[0] for row in tx.rows("undated_beside", {"id": triple_id})]


def close_triples(tx: Writer, ends: Mapping[int, datetime]) -> dict[int, int]:
    """End the validity of triples: they are retired and written anew until then. Answers the new id of each."""
    if not ends:
        return {}
    columns = {"id": np.array(list(ends), dtype=np.int64), "moment": times(list(ends.values()))}
    with tx.offering("incoming_end", columns):
        tx.rows("close_triples")
    tx.rows("add_closed", tx.stamp())
    tx.rows("move_superseded_evidence", tx.stamp())
    retire_triples(tx, list(ends))
    return dict(tx.rows("closed_ids"))


@dataclass(frozen=True)
class Superseding:
    """Triples about to be stored, by ids, that end what they replace. All columns have the same length."""

    subject_ids: Ids
    predicate_ids: Ids
    object_ids: Ids
    valid_from: Sequence[datetime | None]
    valid_to: Sequence[datetime | None]


def superseded_by(tx: Writer, rows: Superseding, watched: Watched) -> list[tuple[int, int, datetime]]:
    """(position of the row, id of the triple that it replaces, moment from which it does), of the watched relations.

    What began at that moment or later is not replaced.
    """
    offered = {
        "position": np.arange(len(rows.subject_ids), dtype=np.int64),
        "subject_id": rows.subject_ids,
        "predicate_id": rows.predicate_ids,
        "object_id": rows.object_ids,
        "valid_from": times(rows.valid_from),
        "valid_to": times(rows.valid_to),
    }
    with tx.offering("incoming_superseding", offered), tx.offering("incoming_reading", _readings(watched)):
        return [(row[0], row[1], row[2]) for row in tx.rows("find_superseded", {"now": tx.recorded_at})]


def last_evidence(tx: Reader, triple_ids: Iterable[int]) -> dict[int, list[int]]:
    """The ids of the evidence that each retired triple had when it was retired, the surest first."""
    found: dict[int, list[int]] = {}
    for triple_id, evidence_id in tx.rows("last_evidence", {"ids": [int(each) for each in triple_ids]}):
        found.setdefault(triple_id, []).append(evidence_id)
    return found


def origins_of(tx: Reader, triple_ids: Iterable[int]) -> dict[int, set[str]]:
    """Who says each triple: sources, uris and titles of documents, in lower case."""
    rows = tx.rows_by_id("said_in", triple_ids)
    places = {row[0]: row[1] for row in tx.rows_by_id("places_of_chunks", {row[2] for row in rows if row[2]})}
    documents = documents_by_id(tx, set(places.values()))
    found: dict[int, set[str]] = {}
    for triple_id, source, chunk_id in rows:
        document = documents.get(places.get(chunk_id, 0))
        named = (source, *((document.source, document.uri, document.title) if document else ()))
        found.setdefault(triple_id, set()).update(each.lower() for each in named if each)
    return found
