"""Triples and their evidence: added without duplicates, found by pattern or by id, retired."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Evidence, Ids, StoredDocument, Triple
from mcp_graphrag.store.engine.columns import id_column, optional_id_column, text_column, time_column
from mcp_graphrag.store.engine.transaction import Columns, Reader, Writer, id_constants
from mcp_graphrag.store.rows.citations import cite
from mcp_graphrag.store.rows.confidence import combine_confidence
from mcp_graphrag.store.rows.document_rows import documents_by_id, lines_at
from mcp_graphrag.store.rows.embedding_rows import delete_embeddings
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels
from mcp_graphrag.store.rows.place_triples import place_triples

PAST_TENSE = datetime(1, 1, 1)  # noqa: DTZ001  naive UTC, in the column said_until
PREDICATES = "predicates"  # they are remembered under this key
OPTIONAL_IDS = ("chunk_id", "start_offset", "end_offset")  # columns of `triple_columns` with -1 for None


@dataclass(frozen=True)
class TripleRows:
    """Triples to add, by ids, each with one piece of evidence: one column per field.

    All columns have the same length; an empty one has None for every triple. `starts` and `ends` count from the
    document's start. `metadata` is JSON text. `subject_names` and `object_names` are the names that the evidence uses,
    None for the entity's own. `over` says of each whether its evidence is in the past tense.
    """

    subject_ids: Sequence[int] | Ids
    predicate_ids: Sequence[int] | Ids
    object_ids: Sequence[int] | Ids
    confidences: Sequence[float]
    quotes: Sequence[str | None] = ()
    chunk_ids: Sequence[int | None] = ()
    starts: Sequence[int | None] = ()
    ends: Sequence[int | None] = ()
    surfaces: Sequence[str | None] = ()
    sources: Sequence[str | None] = ()
    valid_from: Sequence[datetime | None] = ()
    valid_to: Sequence[datetime | None] = ()
    metadata: Sequence[str | None] = ()
    subject_names: Sequence[str | None] = ()
    object_names: Sequence[str | None] = ()
    over: Sequence[bool] = ()


@dataclass(frozen=True)
class TriplePattern:
    """Which triples to find, of `among` if given; None matches all.

    Types are given by their keys (see `type_key`); one must match.
    """

    subjects: Sequence[int] | None = None
    predicates: Sequence[int] | None = None
    objects: Sequence[int] | None = None
    subject_types: Sequence[str] | None = None
    object_types: Sequence[str] | None = None
    as_of: datetime | None = None
    min_confidence: float = 0.0
    among: Ids | None = None


@dataclass(frozen=True)
class EvidenceWithin:
    """The evidence in some documents: the triple and the id of each piece, by triple, the most confident first."""

    documents: Ids
    triple_ids: Ids
    evidence_ids: Ids

    @cached_property
    def triples(self) -> Ids:
        """The triples, each once, ascending."""
        return self.triple_ids[np.diff(self.triple_ids, prepend=0) > 0]

    def of(self, triple_ids: Iterable[int], limit: int | None) -> list[int]:
        """The first pieces of each of the triples."""
        wanted = np.unique(np.fromiter(triple_ids, dtype=np.int64))
        first, last = np.searchsorted(self.triple_ids, wanted), np.searchsorted(self.triple_ids, wanted, "right")
        spans: Iterable[tuple[int, int]] = zip(first.tolist(), last.tolist(), strict=True)
        return [int(piece) for start, end in spans for piece in self.evidence_ids[start:end][:limit]]


@dataclass(frozen=True)
class PlacedTriples:
    """The triple of each row that was added, and whether it is new. Both arrays have shape (rows,).

    `only` are the values of the only row, by the columns of `triple_columns`, where its triple is new.
    """

    triple_ids: Ids
    is_new: NDArray[np.bool_]
    only: Mapping[str, Any] | None = None


def predicates(tx: Reader) -> dict[str, int]:
    """Every predicate's id by name, in the order of the ids."""
    return dict(_predicates(tx))


def predicates_of_phrases(tx: Reader) -> frozenset[int]:
    """The predicates of which every triple leads to a phrase, and those of values alone."""
    return frozenset(tx.values("predicates_of_phrases"))


def _predicates(tx: Reader) -> dict[str, int]:
    """As `predicates`; the same for the whole transaction, which only adds to them."""
    # Sorting this in SQL takes twice as long as reading it.
    return tx.once(PREDICATES, lambda: dict(sorted(tx.rows("predicates"), key=itemgetter(1))), lasting=True)


def add_predicates(tx: Writer, names: Iterable[str]) -> dict[str, int]:
    """The ids of all predicates by name, after adding those that are missing."""
    known = _predicates(tx)
    new = [name for name in dict.fromkeys(names) if name not in known]
    if not new:
        return dict(known)
    ids = tx.new_ids("predicate_id", len(new))
    with tx.incoming("incoming_predicate", {"id": ids, "name": text_column(new)}):
        tx.execute("add_predicates")
    known |= zip(new, ids.tolist(), strict=True)
    return dict(known)


def add_triples(tx: Writer, rows: TripleRows, extractor: str, *, new_entities: Collection[int] = ()) -> PlacedTriples:
    """Add triples with their evidence; a triple that is stored already gains only the evidence that is new.

    `new_entities` are some that no stored triple names.
    """
    if not len(rows.subject_ids):
        return PlacedTriples(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.bool_))
    columns = triple_columns(rows)
    placed = place_triples(tx, columns, new_entities)
    if len(rows.subject_ids) == 1 and placed["is_new"][0]:
        only = _add_one(tx, columns | placed, extractor)
        return PlacedTriples(placed["triple_id"], placed["is_new"], only)
    with tx.incoming("incoming_triple", columns | placed):
        if placed["is_first"].any():
            tx.execute("add_triples")
        stated_once, is_new = placed["stated_once"], placed["is_new"]
        if stated_once.any():
            tx.execute("add_first_evidence", {"extractor": extractor})
        if not stated_once.all():
            _add_more_evidence(tx, extractor, placed["triple_id"][~stated_once], some_known=not is_new.all())
    return PlacedTriples(placed["triple_id"], is_new)


def _add_one(tx: Writer, columns: Columns, extractor: str) -> Mapping[str, Any]:
    """Add one new triple, without a table of one row, which would take longer than both statements; its values."""
    values = {name: column.tolist()[0] for name, column in columns.items()}
    values |= {name: None for name in OPTIONAL_IDS if values[name] == -1}
    tx.add_row("add_triple", values)
    values |= {"extractor": extractor, "evidence_id": int(tx.new_ids("evidence_id", 1)[0])}
    tx.add_row("add_evidence_of_one", values)
    return values


def _add_more_evidence(tx: Writer, extractor: str, triple_ids: Ids, *, some_known: bool) -> None:
    """Add the new evidence of incoming rows whose triple was known, or is stated more than once."""
    with tx.temporary("new_evidence", "new_evidence", {"extractor": extractor}) as count:
        if not count:
            return
        if some_known:
            tx.execute("retire_replaced_evidence", {"extractor": extractor})
        tx.execute("add_evidence", {"extractor": extractor})
    combine_confidence(tx, triple_ids)


def triples_by_id(tx: Reader, ids: Iterable[int], *, evidence_ids: Iterable[int] = ()) -> dict[int, Triple]:
    """Triples by id, with those of the given pieces of evidence that are theirs, the most confident first."""
    rows = tx.rows_by_id("triples_by_id", ids)
    labels = entity_labels(tx, {entity_id for row in rows for entity_id in (row[1], row[3])})
    names = {predicate_id: name for name, predicate_id in predicates(tx).items()} if rows else {}
    evidence = _evidence_by_id(tx, evidence_ids)
    # The row of a triple has its present confidence.
    past = {} if tx.known is None else dict(tx.rows_by_id("past_confidences", (row[0] for row in rows)))
    rows = [(*row[:4], past.get(row[0], row[4]), *row[5:]) for row in rows]
    return {row[0]: _triple(row, labels, names[row[2]], evidence.get(row[0], ())) for row in rows}


def added_triple(
    tx: Writer, values: Mapping[str, Any], labels: Mapping[int, EntityLabel], predicate: str
) -> Triple | None:
    """The triple that was just added (see `PlacedTriples.only`) as `triples_by_id` answers it, None if it has a chunk.

    `labels` are those of its ends.
    """
    if values["chunk_id"] is not None:
        return None
    names = ("triple_id", "subject_id", "predicate_id", "object_id", "confidence", "metadata", "valid_from", "valid_to")
    row = (*(values[name] for name in names), tx.recorded_at, None, values["said_until"])
    cited = ("start_offset", "end_offset", "quote", "extractor", "confidence", "surface", "source", "chunk_id")
    evidence = _evidence((None, values["triple_id"], *(values[name] for name in cited)), None, {})
    return _triple(row, labels, predicate, [evidence])


def evidence_rows(tx: Reader) -> dict[str, NDArray[Any]]:
    """Columns triple_id, doubt (less for a higher confidence) and id of the active evidence."""
    return tx.columns("evidence_rows")


def evidence_changes(tx: Reader, *, since: int) -> dict[str, NDArray[Any]]:
    """The same columns and `retired` of the evidence that was recorded or retired after a generation."""
    return tx.once(f"evidence since {since}", lambda: tx.columns("evidence_changes", {"since": since}))


def evidence_ids_of(tx: Reader, triple_ids: Iterable[int], *, limit: int | None) -> list[int]:
    """The ids of the evidence of each triple, or of the first `limit` pieces, the most confident first, by a scan."""
    by_triple: dict[int, list[int]] = defaultdict(list)
    rows = tx.rows_by_id("evidence_ids_of", triple_ids)
    for evidence_id, triple_id, _ in sorted(rows, key=lambda row: (row[1], -row[2], row[0])):
        by_triple[triple_id].append(evidence_id)
    return [evidence_id for ids in by_triple.values() for evidence_id in ids[:limit]]


def _evidence_by_id(tx: Reader, ids: Iterable[int]) -> dict[int, list[Evidence]]:
    rows = tx.rows_by_id("evidence_by_id", ids)
    spans = {row[0]: row[1:] for row in tx.rows_by_id("chunk_spans", {row[9] for row in rows if row[9]})}
    documents = documents_by_id(tx, {span[0] for span in spans.values()})
    lines = lines_at(tx, {row[0]: (row[9], row[2]) for row in rows if row[9] in spans and row[2] is not None})
    by_triple: dict[int, list[Evidence]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row[1], -row[6], row[0])):
        evidence = _evidence(row, spans.get(row[9]), documents)
        by_triple[row[1]].append(replace(evidence, line=lines[row[0]]) if row[0] in lines else evidence)
    return by_triple


def match_pattern(tx: Reader, pattern: TriplePattern, *, after: int, limit: int) -> Ids:
    """The ids above `after` of the active triples that match, ascending."""
    return _matching(tx, pattern, {"after": after, "limit": limit}, wanted="t.id", page="ORDER BY t.id LIMIT $limit")


def count_matching(tx: Reader, pattern: TriplePattern) -> int:
    """How many active triples match."""
    return int(_matching(tx, pattern, {"after": 0}, wanted="count(*)", page="")[0])


def _matching(tx: Reader, pattern: TriplePattern, bounds: Mapping[str, int], **parts: str) -> Ids:
    values = {**vars(pattern), **bounds}
    if pattern.among is None:
        return tx.ids("match_pattern", values, among="", **parts)
    with tx.incoming("incoming_id", {"id": pattern.among}):
        return tx.ids("match_pattern", values, among="AND t.id IN (SELECT id FROM incoming_id)", **parts)


def evidence_within(tx: Reader, document_ids: Ids) -> EvidenceWithin:
    """The active evidence in documents."""
    with tx.incoming("incoming_id", {"id": document_ids}):
        return EvidenceWithin(document_ids, *tx.id_columns("evidence_within"))


def predicate_counts(tx: Reader, *, as_of: datetime | None = None, min_confidence: float = 0.0) -> dict[str, int]:
    """How many active triples each predicate has, most frequent first; with `as_of`, of those valid then."""
    return dict(tx.rows("predicate_counts", {"as_of": as_of, "min_confidence": min_confidence}))


def extractor_counts(tx: Reader) -> dict[str, int]:
    """How many pieces of active evidence each extractor has, most first."""
    return dict(tx.rows("extractor_counts"))


def graph_rows(tx: Reader) -> dict[str, NDArray[Any]]:
    """Columns id, subject_id, predicate_id, object_id, confidence, recorded_change, valid_from, valid_to, said_until,
    by id.

    Of the active triples between names; times in microseconds since 1970, open ends at the ends of int64.
    """
    return tx.columns("graph_rows")


def phrase_triples(tx: Reader, pattern: TriplePattern) -> list[tuple[int, int, float]]:
    """(id, subject, confidence) of the active triples from the subjects of a pattern to phrases, most confident first.

    The types and objects of the pattern are not looked at.
    """
    wanted = {name: getattr(pattern, name) for name in ("predicates", "as_of", "min_confidence")}
    with tx.incoming("incoming_id", id_column(pattern.subjects or ())):
        return tx.rows("phrase_triples", wanted)


def phrase_graph_rows(tx: Reader, confidence: float) -> dict[str, NDArray[Any]]:
    """The same columns as of `graph_rows`, of the active triples whose objects are phrases."""
    return tx.columns("phrase_graph_rows", {"min_confidence": confidence})


def past_graph_rows(tx: Reader) -> dict[str, NDArray[Any]]:
    """The same columns of those triples of a snapshot of the past that have not been active ever since."""
    return tx.columns("past_graph_rows")


def triples_changed_since(tx: Reader, since: int) -> Ids:
    """The triples recorded or retired, or with other evidence, after a generation, ascending."""
    recorded = tx.ids("changed_triples", {"since": since})
    return np.unique(np.concatenate([recorded, evidence_changes(tx, since=since)["triple_id"].astype(np.int64)]))


def graph_rows_by_id(tx: Reader, ids: Ids) -> dict[str, NDArray[Any]]:
    """The same columns as of `graph_rows`, and `retired`, of triples between names, active or not."""
    return tx.columns("graph_rows_by_id", None, ids=id_constants(ids) or "-1")


def retire_triples(tx: Writer, triple_ids: Sequence[int]) -> list[int]:
    """Retire triples with their evidence; answers the entities that they name."""
    if not triple_ids:
        return []
    with tx.incoming("incoming_id", id_column(triple_ids)):
        tx.execute("retire_among", table="triple", column="id", among="incoming_id")
        tx.execute("retire_among", table="evidence", column="triple_id", among="incoming_id")
        return tx.values("ends_of_triples")


def clear(tx: Writer, *, documents: bool) -> None:
    """Delete every triple and entity for good, with `documents` those too."""
    tx.log_change()
    tx.voids_indexes = True
    tx.execute("clear_graph")
    tx.forget(PREDICATES)
    delete_embeddings(tx, "entity")
    if documents:
        tx.execute("clear_documents")
        delete_embeddings(tx, "chunk")
        delete_embeddings(tx, "model")


def triple_columns(rows: TripleRows) -> dict[str, NDArray[Any]]:
    """The triples as a table."""
    nothing = [None] * len(rows.subject_ids)
    return {
        "position": np.arange(len(rows.subject_ids), dtype=np.int64),
        "subject_id": np.asarray(rows.subject_ids, dtype=np.int64),
        "predicate_id": np.asarray(rows.predicate_ids, dtype=np.int64),
        "object_id": np.asarray(rows.object_ids, dtype=np.int64),
        "confidence": np.array(rows.confidences, dtype=np.float32),
        "chunk_id": optional_id_column(rows.chunk_ids or nothing),
        "start_offset": optional_id_column(rows.starts or nothing),
        "end_offset": optional_id_column(rows.ends or nothing),
        "quote": text_column(rows.quotes or nothing),
        "surface": text_column(rows.surfaces or nothing),
        "source": text_column(rows.sources or nothing),
        "metadata": text_column(rows.metadata or nothing),
        "subject_name": text_column(rows.subject_names or nothing),
        "object_name": text_column(rows.object_names or nothing),
        "valid_from": time_column(rows.valid_from or nothing),
        "valid_to": time_column(rows.valid_to or nothing),
        "said_until": time_column([PAST_TENSE if is_over else None for is_over in rows.over] or nothing),
    }


def _triple(
    row: tuple[Any, ...], labels: Mapping[int, EntityLabel], predicate: str, evidence: Sequence[Evidence]
) -> Triple:
    triple_id, subject_id, _, object_id, confidence, properties, *moments, said_until = row
    subject, object_ = labels[subject_id], labels[object_id]
    ends = (subject_id, subject.name, subject.type, predicate, object_id, object_.name, object_.type)
    metadata: dict[str, Any] = json.loads(properties) if properties else {}
    return Triple(
        triple_id, *ends, round(float(confidence), 4), metadata, evidence, *moments, is_over=said_until is not None
    )


def _evidence(row: tuple[Any, ...], span: tuple[Any, ...] | None, documents: Mapping[int, StoredDocument]) -> Evidence:
    _, _, start, end, quote, extractor, confidence, surface, source, _ = row
    document = documents[span[0]] if span else None
    citation = cite(document.uri, *span[1:]) if document and span else ""
    origin = source or (document.source if document else "")
    return Evidence(origin, citation, quote or "", start, end, extractor, round(float(confidence), 4), surface)
