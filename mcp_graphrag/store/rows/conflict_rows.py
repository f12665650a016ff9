"""Contradictions between triples: detected, recorded beside them, resolved, retired with their triples."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from mcp_graphrag.model import Ids, StoredDocument
from mcp_graphrag.store.engine.columns import record_columns, row_columns, text_column
from mcp_graphrag.store.engine.transaction import Reader, Writer
from mcp_graphrag.store.rows.document_rows import documents_by_id
from mcp_graphrag.store.rows.triple_rows import TripleRows, retire_triples, triple_columns

MAX_RIVALS = 20  # triples of one holder up to which every pair is compared
NEAR_RIVALS = 8  # beyond that, those before and after it in time that a new one is compared with
MAX_EXAMPLES = 5
MANY_TRIPLES = 10_000
READING = {"predicate_id": int, "relation": int, "turned": bool}
UNFIT = {"relation": int, "type": str, "is_holder": bool}


@dataclass(frozen=True)
class ConflictRules:
    """Which triples contradict each other, by ids of predicates.

    A reading (predicate, relation, turned) says that triples of the predicate state the relation, with subject and
    object exchanged or not. `functional` are relations of which a holder has one at a time, with their names,
    `opposites` pairs that exclude each other, `violations` (predicate, subject type, object type, why) what the types
    of a predicate exclude. With `has_periods` a new triple may state the same as another for a period. `agree` says of
    two objects of a functional relation whether both may be meant at once.
    """

    readings: Sequence[tuple[int, int, bool]] = ()
    functional: Mapping[int, str] = field(default_factory=dict[int, str])
    opposites: Sequence[tuple[int, int]] = ()
    violations: Sequence[tuple[int, str, str, str]] = ()
    unfit: Sequence[tuple[int, str, bool]] = ()
    agree: Callable[[str, str], bool] = str.__eq__
    has_periods: bool = False


@dataclass(frozen=True)
class Contradictions:
    """How many open conflicts a write has recorded, and the first of them in words."""

    count: int = 0
    examples: Sequence[str] = ()


NO_CONTRADICTIONS = Contradictions()


@dataclass(frozen=True)
class ConflictRow:
    """A stored conflict: `other_id` is None for a triple that violates its types, `verdict` while it is open."""

    id: int
    kind: str
    triple_id: int
    other_id: int | None
    detail: str
    verdict: str | None
    reason: str | None
    recorded_at: datetime


class _NewConflict(NamedTuple):
    kind: str
    triple_id: int
    other_id: int | None
    detail: str


def type_signatures(tx: Reader, triple_ids: Ids) -> list[tuple[int, str, str]]:
    """The different (predicate, subject type, object type) of triples."""
    with tx.incoming("incoming_id", {"id": triple_ids}):
        return tx.rows("type_signatures")


def add_conflicts(tx: Writer, triple_ids: Ids, rules: ConflictRules) -> Contradictions:
    """Record what new triples contradict in the file, each pair once; the triples stay as they are.

    Where the same contradiction was resolved before and both triples were kept, the new conflict gets that verdict and
    is not among the answer's; else it is open, and its detail tells the verdict.
    """
    if not len(triple_ids):
        return NO_CONTRADICTIONS
    with tx.incoming("incoming_id", {"id": triple_ids}):
        found = _contradictions(tx, rules, many=len(triple_ids) >= MANY_TRIPLES) + _type_violations(tx, rules)
        if rules.has_periods:
            with tx.temporary("clash", "overlapping_periods") as count:
                more = _unrecorded(tx, rules.agree) if count else []
            pairs = {frozenset((each.triple_id, each.other_id)) for each in found}
            found += [each for each in more if frozenset((each.triple_id, each.other_id)) not in pairs]
    if not found:
        return NO_CONTRADICTIONS
    found.sort(key=_added_order)
    columns = record_columns(_NewConflict, found)
    details = [conflict.detail for conflict in found]
    verdicts: dict[int, tuple[str, str]] = {}
    if tx.count("has_verdicts"):
        with tx.incoming("incoming_conflict", columns):
            earlier = tx.rows("earlier_verdicts")
        for position, applies, verdict, reason, *kept in earlier:
            if applies:
                verdicts[position] = verdict, reason
            else:
                details[position] += earlier_verdict(None if kept[0] is None else triple_text(*kept), reason)
    columns |= {"id": tx.new_ids("conflict_id", len(found)), "detail": text_column(details)}
    given = [verdicts.get(position, (None, None)) for position in range(len(found))]
    columns |= row_columns({"verdict": str, "reason": str}, given)
    with tx.incoming("incoming_conflict", columns):
        tx.execute("add_conflicts")
    opened = [detail for position, detail in enumerate(details) if position not in verdicts]
    return Contradictions(len(opened), opened[:MAX_EXAMPLES]) if opened else NO_CONTRADICTIONS


def _contradictions(tx: Writer, rules: ConflictRules, *, many: bool) -> list[_NewConflict]:
    """Pairs that cannot both be true, of the triples in `incoming_id` with others."""
    if not rules.readings:
        return []
    functional = row_columns({"relation": int, "name": str}, rules.functional.items())
    opposites = row_columns({"relation": int, "other": int}, rules.opposites)
    with ExitStack() as tables:
        tables.enter_context(tx.incoming("incoming_reading", row_columns(READING, rules.readings)))
        tables.enter_context(tx.incoming("incoming_functional", functional))
        tables.enter_context(tx.incoming("incoming_unfit", row_columns(UNFIT, rules.unfit)))
        tables.enter_context(tx.incoming("incoming_opposite", opposites))
        is_new = "t.id IN (SELECT id FROM incoming_id)"
        if many:
            if not tables.enter_context(tx.temporary("crowded_holder", "crowded_holders")):
                return []
            is_new = f"holder IN (SELECT holder FROM crowded_holder) AND {is_new}"
        if not tables.enter_context(tx.temporary("new_reading", "readings", condition=is_new)):
            return []
        of_holder = "subject_id IN (SELECT holder FROM new_reading) OR object_id IN (SELECT holder FROM new_reading)"
        theirs = f"STANDARD SELECT id FROM triple WHERE retired_change IS NULL AND ({of_holder})"
        is_around = f"holder IN (SELECT holder FROM new_reading) AND t.id IN FIRST ({theirs})"
        tables.enter_context(tx.temporary("reading", "readings", condition=is_around))
        if not tables.enter_context(tx.temporary("rival", "rivals")) and not rules.opposites:
            return []
        limits = {"max_rivals": MAX_RIVALS, "near": NEAR_RIVALS}
        count = tables.enter_context(tx.temporary("clash", "clashes", limits))
        return _unrecorded(tx, rules.agree) if count else []


def _type_violations(tx: Writer, rules: ConflictRules) -> list[_NewConflict]:
    """Those of the triples in `incoming_id` that violate the types of their predicate."""
    if not rules.violations:
        return []
    excluded = row_columns({"predicate_id": int, "subject_type": str, "object_type": str, "why": str}, rules.violations)
    with tx.incoming("incoming_violation", excluded), tx.temporary("clash", "type_violations") as count:
        return _unrecorded(tx, rules.agree) if count else []


def _unrecorded(tx: Writer, agree: Callable[[str, str], bool]) -> list[_NewConflict]:
    """Those in `clash` that are no active conflict yet, the triples of each in alphabetical order.

    Without those of a functional relation whose objects agree.
    """
    rows = tx.rows("clashing_triples")
    texts, objects = {row[0]: triple_text(*row[1:]) for row in rows}, {row[0]: row[3] for row in rows}
    conflicts: list[_NewConflict] = []
    for kind, why, triple_id, other_id in tx.rows("unrecorded_clashes"):
        text, other = texts[triple_id], texts.get(other_id)
        if kind == "functional" and agree(objects[triple_id], objects[other_id]):
            continue
        if other is not None and other < text:
            conflicts.append(_NewConflict(kind, other_id, triple_id, conflict_detail(kind, why, other, text)))
        else:
            conflicts.append(_NewConflict(kind, triple_id, other_id, conflict_detail(kind, why, text, other)))
    return conflicts


def _added_order(conflict: _NewConflict) -> tuple[int, bool, int]:
    """By the triple that was added first, then by the other; without another, last."""
    pair = (conflict.triple_id, conflict.other_id or conflict.triple_id)
    return min(pair), conflict.other_id is None, max(pair)


def triple_text(
    subject: str, predicate: str, object: str, valid_from: datetime | None, valid_to: datetime | None
) -> str:
    """A triple in words, with its dates."""
    begin = f" from {valid_from.date().isoformat()}" if valid_from else ""
    end = f" until {valid_to.date().isoformat()}" if valid_to else ""
    return f"{subject} {predicate} {object}{begin}{end}"


def conflict_detail(kind: str, why: str | None, triple: str, other: str | None) -> str:
    """A contradiction between two triples in words, or of one with the types of its predicate.

    `why` names the relation of a functional conflict, and says what is wrong in a type conflict.
    """
    if kind == "type":
        return f"{triple}: {why}"
    if kind == "functional":
        return f"{triple} contradicts {other}: {why} has one object at a time"
    if kind == "interval":
        return f"{triple} overlaps {other}: the dates disagree"
    return f"{triple} contradicts {other}: these are opposites"


def earlier_verdict(kept: str | None, reason: str) -> str:
    """The verdict on the same contradiction before, to be appended to its detail; `kept` is the triple that was."""
    return f"; was resolved before: {f'kept {kept}' if kept else 'dropped'}, because: {reason}"


def retire_stale_conflicts(tx: Writer) -> None:
    """Retire conflicts about triples that are retired.

    An open conflict needs both its triples, a resolved one those that were kept. One about an undated triple is retired
    too when the same is stated with dates: then only the dated triples are compared.
    """
    if tx.count("has_conflicts"):
        with tx.temporary("stale_conflict", "stale_conflicts") as count:
            if count:
                tx.execute("retire_among", table="conflict", column="id", among="stale_conflict")


def triples_to_compare(tx: Writer) -> tuple[Ids, Ids]:
    """(ids, predicate ids) of the triples that this write has recorded or restored.

    With undated triples of which it has retired a dated version, as these are compared again now.
    """
    ids, predicate_ids = tx.id_columns("triples_to_compare")
    return ids, predicate_ids


def conflicts_after(
    tx: Reader, *, resolved: bool, after: int, limit: int, as_of: datetime | None = None
) -> list[ConflictRow]:
    """The active conflicts with an id above `after`, oldest first: open ones or resolved ones."""
    parameters = {"open": not resolved, "as_of": as_of, "after": after, "limit": limit}
    return [ConflictRow(*row) for row in tx.rows("conflicts_after", parameters)]


def count_conflicts(tx: Reader, *, resolved: bool, as_of: datetime | None = None) -> int:
    """How many conflicts are active, likewise."""
    return tx.count("count_conflicts", {"open": not resolved, "as_of": as_of})


def conflict_by_id(tx: Reader, conflict_id: int) -> tuple[ConflictRow, bool] | None:
    """A conflict, and whether it is active."""
    for *values, retired_change in tx.rows("conflict_by_id", {"id": conflict_id}):
        return ConflictRow(*values), retired_change is None
    return None


def add_verdict(tx: Writer, conflict_id: int, sides: tuple[int, int | None], verdict: str, reason: str) -> int:
    """Retire an open conflict and add it again with its verdict and its present triples; answers the new id."""
    new_id = int(tx.new_ids("conflict_id", 1)[0])
    values = {"triple": sides[0], "other": sides[1], "verdict": verdict, "reason": reason}
    tx.execute("add_resolved_conflict", {"id": conflict_id, "new_id": new_id, **values})
    tx.execute("retire", {"id": conflict_id}, table="conflict", column="id")
    return new_id


def undated_duplicates(tx: Reader, triple_id: int) -> list[int]:
    """The other active triples with the same subject, predicate and object, without dates."""
    return tx.values("undated_duplicates", {"id": triple_id})


def close_triples(tx: Writer, ends: Mapping[int, datetime]) -> dict[int, int]:
    """End the validity of triples: each is retired, and added again with the end; answers the new id of each."""
    if not ends:
        return {}
    columns = row_columns({"id": int, "moment": datetime}, ends.items())
    with tx.incoming("incoming_end", columns), tx.temporary("closed_triple", "closed_triples"):
        tx.execute("add_closed_triples")
        tx.execute("copy_evidence_to_closed")
        new_ids = dict(tx.rows("closed_ids"))
    retire_triples(tx, list(ends))
    return new_ids


def superseded_by(
    tx: Writer, triples: TripleRows, readings: Sequence[tuple[int, int, bool]]
) -> list[tuple[int, int, datetime]]:
    """(position, id of a triple that it replaces, moment from which it does) of triples about to be added.

    What began at that moment or later is not replaced.
    """
    with (
        tx.incoming("incoming_superseding", triple_columns(triples)),
        tx.incoming("incoming_reading", row_columns(READING, readings)),
    ):
        return tx.rows("superseded")


def evidence_when_retired(tx: Reader, triple_ids: Iterable[int]) -> dict[int, list[int]]:
    """The ids of the evidence that each retired triple had when it was retired, the most confident first."""
    by_triple: dict[int, list[int]] = defaultdict(list)
    for triple_id, evidence_id in tx.rows("evidence_when_retired", {"ids": list(triple_ids)}):
        by_triple[triple_id].append(evidence_id)
    return by_triple


def sources_of_triples(tx: Reader, evidence_ids: Iterable[int]) -> dict[int, set[str]]:
    """Where triples come from, by pieces of their evidence: the sources, uris and titles, in lower case."""
    sources: dict[int, set[str]] = defaultdict(set)
    for triple_id, source, document in _origins(tx, evidence_ids):
        names = (source, *((document.source, document.uri, document.title) if document else ()))
        sources[triple_id].update(name.lower() for name in names if name)
    return sources


def documents_of_triples(tx: Reader, evidence_ids: Iterable[int]) -> dict[int, list[StoredDocument]]:
    """The documents that triples come from, by pieces of their evidence."""
    found: dict[int, list[StoredDocument]] = defaultdict(list)
    for triple_id, _, document in _origins(tx, evidence_ids):
        found[triple_id] += [document] if document else []
    return found


def _origins(tx: Reader, evidence_ids: Iterable[int]) -> Iterator[tuple[int, str, StoredDocument | None]]:
    """(triple, source, document or None) for each piece of evidence."""
    rows = tx.rows_by_id("sources_of_triples", evidence_ids)
    document_ids = {row[0]: row[1] for row in tx.rows_by_id("chunk_spans", {row[2] for row in rows if row[2]})}
    documents = documents_by_id(tx, set(document_ids.values()))
    for triple_id, source, chunk_id in rows:
        yield triple_id, source, documents.get(document_ids.get(chunk_id, 0))
