"""Triples and their evidence: added by anti-join under the one writer lock, found by pattern or by id."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Evidence, Ids, Triple
from mcp_graphrag.store.citation import cite
from mcp_graphrag.store.documents import optional_ids, texts, times
from mcp_graphrag.store.embeddings import embedder_mark, forget_embeddings
from mcp_graphrag.store.transaction import Reader, Writer


@dataclass(frozen=True)
class TripleRows:
    """Triples to store, by ids, each with the one piece of evidence that comes with it: one column a field.

    All columns have the same length. `starts` and `ends` count from the document's start. `metadata` is JSON text.
    """

    subject_ids: Sequence[int]
    predicate_ids: Sequence[int]
    object_ids: Sequence[int]
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


@dataclass(frozen=True)
class Pattern:
    """What triples to find; None holds for all. Types are compared by `type_key`."""

    subjects: Sequence[int] | None = None
    predicates: Sequence[int] | None = None
    objects: Sequence[int] | None = None
    subject_type: str | None = None
    object_type: str | None = None


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
    for name in dict.fromkeys(names):
        if name not in known:
            known[name] = int(tx.new_ids("predicate_id", 1)[0])
            tx.rows("add_predicate", {"id": known[name], "name": name, "description": "", "change": tx.change})
    return known


def add_triples(tx: Writer, rows: TripleRows, extractor: str) -> Placed:
    """Store triples with their evidence; what is known already gains only the evidence that is new."""
    if not rows.subject_ids:
        return Placed(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.bool_))
    with tx.offering("incoming_triple", _columns(rows)):
        tx.rows("match_triples")
        tx.rows("new_triples")
        tx.rows("place_triples")
        placed = tx.columns("placed_triples")
        is_new = np.asarray(placed["is_new"], dtype=np.bool_)
        tx.rows("find_new_evidence", {"extractor": extractor})
        if is_new.any():
            tx.rows("add_triples", tx.stamp())
        if tx.count("count_new_evidence"):
            tx.rows("add_evidence", {"extractor": extractor, **tx.stamp()})
            tx.rows("raise_confidence")
    return Placed(np.asarray(placed["triple_id"], dtype=np.int64), is_new)


def triples_by_id(tx: Reader, ids: Iterable[int], *, evidence: int = 3) -> dict[int, Triple]:
    """Triples by id, each with at most `evidence` pieces of evidence, the surest first."""
    wanted = {"ids": [int(each) for each in ids]}
    why: dict[int, list[Evidence]] = defaultdict(list)
    for row in tx.rows("evidence_of", wanted) if evidence else ():
        if len(why[row[0]]) < evidence:
            why[row[0]].append(_evidence(row))
    return {row[0]: _triple(row, why[row[0]]) for row in tx.rows("triples_by_id", wanted)}


def triple_ids_like(tx: Reader, pattern: Pattern, *, after: int, limit: int) -> Ids:
    """The ids of the triples in force that fit, ascending, from `after` (exclusive) on."""
    found = tx.columns(
        "triple_ids_like",
        {
            "subjects": _ids(pattern.subjects),
            "predicates": _ids(pattern.predicates),
            "objects": _ids(pattern.objects),
            "subject_type": pattern.subject_type,
            "object_type": pattern.object_type,
            "after": after,
            "limit": limit,
        },
    )["id"]
    return np.asarray(found, dtype=np.int64)


def predicate_counts(tx: Reader) -> dict[str, int]:
    """How many triples in force each predicate has, most frequent first."""
    return dict(tx.rows("predicate_counts"))


def extractor_counts(tx: Reader) -> dict[str, int]:
    """How much evidence in force each extractor has given, most first."""
    return dict(tx.rows("extractor_counts"))


def graph_rows(tx: Reader) -> dict[str, NDArray[Any]]:
    """Columns id, subject_id, predicate_id, object_id, confidence of the triples in force, by id."""
    return tx.columns("graph_rows")


def graph_rows_since(tx: Reader, generation: int) -> dict[str, NDArray[Any]]:
    """The same columns and `retired`, of what was recorded or retired after a generation."""
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


def _ids(values: Sequence[int] | None) -> list[int] | None:
    return None if values is None else [int(each) for each in values]


def _columns(rows: TripleRows) -> dict[str, NDArray[Any]]:
    return {
        "position": np.arange(len(rows.subject_ids), dtype=np.int64),
        "subject_id": np.array(rows.subject_ids, dtype=np.int64),
        "predicate_id": np.array(rows.predicate_ids, dtype=np.int64),
        "object_id": np.array(rows.object_ids, dtype=np.int64),
        "confidence": np.array(rows.confidences, dtype=np.float32),
        "chunk_id": optional_ids(rows.chunk_ids),
        "start_offset": optional_ids(rows.starts),
        "end_offset": optional_ids(rows.ends),
        "quote": texts(rows.quotes),
        "surface": texts(rows.surfaces),
        "source": texts(rows.sources),
        "metadata": texts(rows.metadata),
        "valid_from": times(rows.valid_from),
        "valid_to": times(rows.valid_to),
    }


def _triple(row: tuple[Any, ...], why: Sequence[Evidence]) -> Triple:
    return Triple(
        *row[:8],
        confidence=round(float(row[8]), 4),
        metadata=json.loads(row[9]) if row[9] else {},
        evidence=why,
        valid_from=row[10],
        valid_to=row[11],
        recorded_at=row[12],
        retired_at=row[13],
    )


def _evidence(row: tuple[Any, ...]) -> Evidence:
    _, start, end, quote, extractor, confidence, surface, source, uri, chunk_start, chunk_end, sha256, chunk_id = row
    citation = "" if chunk_id is None else cite(uri, chunk_start, chunk_end, sha256)
    return Evidence(source, citation, quote, start, end, extractor, round(float(confidence), 4), surface)
