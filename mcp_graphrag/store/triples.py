"""Triples and their evidence: added by anti-join under the one writer lock, found by pattern or by id."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Evidence, Ids, StoredDocument, Triple
from mcp_graphrag.store.citation import cite
from mcp_graphrag.store.confidence import combine_confidence
from mcp_graphrag.store.documents import documents_by_id, optional_ids, texts, times
from mcp_graphrag.store.embeddings import embedder_mark, forget_embeddings
from mcp_graphrag.store.entities import EntityHead, entity_heads
from mcp_graphrag.store.transaction import Reader, Writer


@dataclass(frozen=True)
class TripleRows:
    """Triples to store, by ids, each with the one piece of evidence that comes with it: one column a field.

    All columns have the same length. `starts` and `ends` count from the document's start. `metadata` is JSON text.
    The names are those that were said, where they are not the entities' own; no names at all stand for none.
    """

    subject_ids: Sequence[int] | Ids
    predicate_ids: Sequence[int] | Ids
    object_ids: Sequence[int] | Ids
    confidences: Sequence[float]
    quotes: Sequence[str | None]
    chunk_ids: Sequence[int | None]
    starts: Sequence[int | None]
    ends: Sequence[int | None]
    surfaces: Sequence[str | None]
    sources: Sequence[str | None]
    valid_from: Sequence[datetime | None]
    valid_to: Sequence[datetime | None]
    metadata: Sequence[str | None]
    subject_names: Sequence[str | None] = ()
    object_names: Sequence[str | None] = ()


@dataclass(frozen=True)
class Pattern:
    """What triples to find; None holds for all. Types are `type_key`s: any of them will do."""

    subjects: Sequence[int] | None = None
    predicates: Sequence[int] | None = None
    objects: Sequence[int] | None = None
    subject_types: Sequence[str] | None = None
    object_types: Sequence[str] | None = None
    as_of: datetime | None = None


@dataclass(frozen=True)
class Placed:
    """Where offered rows went: the triple of each, and whether it is new. Both arrays have shape (rows,)."""

    triple_ids: Ids
    is_new: NDArray[np.bool_]


def predicates(tx: Reader) -> dict[str, int]:
    """Every predicate's id by name."""
    return dict(tx.rows("predicates"))


def add_predicates(tx: Writer, names: Iterable[str]) -> dict[str, int]:
    """The ids of the predicates, made where they are missing."""
    known = predicates(tx)
    fresh = [name for name in dict.fromkeys(names) if name not in known]
    if not fresh:
        return known
    ids = tx.new_ids("predicate_id", len(fresh))
    with tx.offering("incoming_predicate", {"id": ids, "name": texts(fresh)}):
        tx.rows("add_predicates", {"change": tx.change})
    return known | dict(zip(fresh, ids.tolist(), strict=True))


def add_triples(tx: Writer, rows: TripleRows, extractor: str) -> Placed:
    """Store triples with their evidence; what is known already gains only the evidence that is new."""
    if not len(rows.subject_ids):
        return Placed(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.bool_))
    with tx.offering("incoming_triple", _columns(rows)):
        tx.rows("match_triples")
        tx.rows("new_triples")
        tx.rows("place_triples")
        placed = tx.columns("placed_triples")
        is_new = np.asarray(placed["is_new"], dtype=np.bool_)
        said_once = np.asarray(placed["said_once"], dtype=np.bool_)
        if is_new.any():
            tx.rows("add_triples", tx.stamp())
        if said_once.any():
            tx.rows("add_first_evidence", {"extractor": extractor, **tx.stamp()})
        if not said_once.all():
            triple_ids = np.asarray(placed["triple_id"], dtype=np.int64)[~said_once]
            _add_more_evidence(tx, extractor, triple_ids, some_known=not is_new.all())
    return Placed(np.asarray(placed["triple_id"], dtype=np.int64), is_new)


def _add_more_evidence(tx: Writer, extractor: str, triple_ids: Ids, *, some_known: bool) -> None:
    """Store what the placed rows add to triples that were known, or said more than once."""
    if not tx.count("find_new_evidence", {"extractor": extractor}):
        return
    if some_known:
        tx.rows("retire_outdone_evidence", {"extractor": extractor, **tx.stamp()})
    tx.rows("add_evidence", {"extractor": extractor, **tx.stamp()})
    combine_confidence(tx, triple_ids)


def triples_by_id(tx: Reader, ids: Iterable[int], *, evidence_ids: Iterable[int] = ()) -> dict[int, Triple]:
    """Triples by id, with the given evidence, the surest first."""
    rows = tx.rows_by_id("triples_by_id", ids)
    heads = entity_heads(tx, {each for row in rows for each in (row[1], row[3])})
    names = {predicate_id: name for name, predicate_id in predicates(tx).items()} if rows else {}
    why = _evidence_by_id(tx, evidence_ids)
    # What a triple's own row says is how sure it is now.
    then = {} if tx.known is None else dict(tx.rows_by_id("confidences_then", (row[0] for row in rows)))
    rows = [(*row[:4], then.get(row[0], row[4]), *row[5:]) for row in rows]
    return {row[0]: _triple(row, heads, names[row[2]], why.get(row[0], ())) for row in rows}


def evidence_rows(tx: Reader, *, since: int) -> dict[str, NDArray[Any]]:
    """Columns triple_id, id, confidence of the evidence recorded after a generation, by id."""
    return tx.columns("evidence_rows", {"since": since})


def retired_evidence(tx: Reader, *, since: int) -> Ids:
    """The ids of the evidence that was retired after a generation."""
    return np.asarray(tx.columns("retired_evidence", {"since": since})["id"], dtype=np.int64)


def evidence_ids_of(tx: Reader, triple_ids: Iterable[int], *, most: int) -> list[int]:
    """The ids of the first `most` pieces of evidence of each triple, the surest first, by a scan."""
    found: dict[int, list[int]] = defaultdict(list)
    for evidence_id, triple_id in tx.rows_by_id("evidence_ids_of", triple_ids):
        found[triple_id].append(evidence_id)
    return [each for ids in found.values() for each in ids[:most]]


def _evidence_by_id(tx: Reader, ids: Iterable[int]) -> dict[int, list[Evidence]]:
    rows = tx.rows_by_id("evidence_by_id", ids)
    places = {row[0]: row[1:] for row in tx.rows_by_id("places_of_chunks", {row[9] for row in rows if row[9]})}
    documents = documents_by_id(tx, {place[0] for place in places.values()})
    found: dict[int, list[Evidence]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: (row[1], -row[6], row[0])):
        found[row[1]].append(_evidence(row, places.get(row[9]), documents))
    return found


def triple_ids_like(tx: Reader, pattern: Pattern, *, after: int, limit: int) -> Ids:
    """The ids of the triples in force that fit, ascending, from `after` (exclusive) on."""
    found = tx.columns(
        "triple_ids_like",
        {
            "subjects": _ids(pattern.subjects),
            "predicates": _ids(pattern.predicates),
            "objects": _ids(pattern.objects),
            "subject_types": _texts(pattern.subject_types),
            "object_types": _texts(pattern.object_types),
            "as_of": pattern.as_of,
            "after": after,
            "limit": limit,
        },
    )["id"]
    return np.asarray(found, dtype=np.int64)


def predicate_counts(tx: Reader, *, as_of: datetime | None = None) -> dict[str, int]:
    """How many triples in force each predicate has, most frequent first; of those that held at a moment, if given."""
    return dict(tx.rows("predicate_counts", {"as_of": as_of}))


def extractor_counts(tx: Reader) -> dict[str, int]:
    """How much evidence in force each extractor has given, most first."""
    return dict(tx.rows("extractor_counts"))


def graph_rows(tx: Reader) -> dict[str, NDArray[Any]]:
    """Columns id, subject_id, predicate_id, object_id, confidence, recorded_change, valid_from, valid_to, by id.

    Of the triples in force; validity in microseconds since 1970, open ends at the ends of int64.
    """
    return tx.columns("graph_rows")


def graph_rows_then(tx: Reader) -> dict[str, NDArray[Any]]:
    """The same columns of what a look back finds beside the triples that have been in force ever since."""
    return tx.columns("graph_rows_then")


def graph_rows_since(tx: Reader, generation: int) -> dict[str, NDArray[Any]]:
    """The same columns and `retired`, of what was recorded or retired, or gained or lost evidence, since then."""
    return tx.columns("graph_rows_since", {"since": generation})


def clear(tx: Writer, *, documents: bool) -> None:
    """Remove every triple and entity, and with `documents` those too, for good."""
    tx.stamp()
    mark = embedder_mark(tx)
    tx.rows("clear_graph")
    if documents:
        tx.rows("clear_documents")
    if mark:
        forget_embeddings(tx, "entity")
    if mark and documents:
        forget_embeddings(tx, "chunk")


def _texts(values: Sequence[str] | None) -> list[str] | None:
    return None if values is None else list(values)


def _ids(values: Sequence[int] | None) -> list[int] | None:
    return None if values is None else [int(each) for each in values]


def _columns(rows: TripleRows) -> dict[str, NDArray[Any]]:
    return {
        "position": np.arange(len(rows.subject_ids), dtype=np.int64),
        "subject_id": np.asarray(rows.subject_ids, dtype=np.int64),
        "predicate_id": np.asarray(rows.predicate_ids, dtype=np.int64),
        "object_id": np.asarray(rows.object_ids, dtype=np.int64),
        "confidence": np.array(rows.confidences, dtype=np.float32),
        "chunk_id": optional_ids(rows.chunk_ids),
        "start_offset": optional_ids(rows.starts),
        "end_offset": optional_ids(rows.ends),
        "quote": texts(rows.quotes),
        "surface": texts(rows.surfaces),
        "source": texts(rows.sources),
        "metadata": texts(rows.metadata),
        "subject_name": texts(rows.subject_names or [None] * len(rows.subject_ids)),
        "object_name": texts(rows.object_names or [None] * len(rows.subject_ids)),
        "valid_from": times(rows.valid_from),
        "valid_to": times(rows.valid_to),
    }


def _triple(row: tuple[Any, ...], heads: Mapping[int, EntityHead], predicate: str, why: Sequence[Evidence]) -> Triple:
    triple_id, subject_id, _, object_id, confidence, properties, *moments = row
    subject, object_ = heads[subject_id], heads[object_id]
    return Triple(
        triple_id,
        subject_id,
        subject.name,
        subject.type,
        predicate,
        object_id,
        object_.name,
        object_.type,
        round(float(confidence), 4),
        json.loads(properties) if properties else {},
        why,
        *moments,
    )


def _evidence(row: tuple[Any, ...], place: tuple[Any, ...] | None, documents: Mapping[int, StoredDocument]) -> Evidence:
    _, _, start, end, quote, extractor, confidence, surface, source, _ = row
    document = documents[place[0]] if place else None
    citation = cite(document.uri, *place[1:]) if document and place else ""
    origin = source or (document.source if document else "")
    return Evidence(origin, citation, quote or "", start, end, extractor, round(float(confidence), 4), surface)
