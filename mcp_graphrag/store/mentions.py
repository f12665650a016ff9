"""Mentions: which chunk names which entity, how often and where."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids
from mcp_graphrag.store.documents import texts
from mcp_graphrag.store.transaction import Reader

Rows = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Told:
    """A triple for which a chunk gives evidence."""

    chunk_id: int
    triple_id: int
    subject_id: int
    predicate_id: int
    object_id: int


def mention_weights(tx: Reader) -> Rows:
    """Columns chunk_id, entity_id and weight, the number of mentions; by chunk."""
    return tx.columns("mention_weights")


def mention_weights_since(tx: Reader, since: int) -> Rows:
    """The same columns for what changed after a generation; a negative weight is what went."""
    return tx.columns("mention_weights_since", {"since": since})


def titles_since(tx: Reader, since: int) -> list[tuple[int, str]]:
    """(document id, title) of the documents in force that came or were described anew after a generation."""
    return [(row[0], row[1]) for row in tx.rows("mention_titles_since", {"since": since})]


def norms_since(tx: Reader, since: int) -> list[tuple[int, str]]:
    """(entity id, normal form) of the entities in force that came or were reworded after a generation."""
    return [(row[0], row[1]) for row in tx.rows("mention_norms_since", {"since": since})]


def bearers_of_titles(tx: Reader, titles: Sequence[tuple[int, str]]) -> Rows:
    """Columns document_id and entity_id: entities in force named as a title, (document id, normal form)."""
    columns = {
        "document_id": np.array([document_id for document_id, _ in titles], dtype=np.int64),
        "norm": texts(norm for _, norm in titles),
    }
    with tx.offering("incoming_norm", columns):
        return tx.columns("mention_bearers")


def chunks_of_documents(tx: Reader, document_ids: Ids) -> Rows:
    """Columns document_id and chunk_id of the top-level chunks of documents, by document and in reading order."""
    with tx.offering("incoming_document_id", {"document_id": document_ids}):
        return tx.columns("mention_chunks_of_documents")


def mention_spans(tx: Reader, chunk_ids: Iterable[int]) -> list[tuple[int, int, int, int]]:
    """(chunk id, entity id, start, end) of the mentions in chunks; the span in characters of the document."""
    return [(row[0], row[1], row[2], row[3]) for row in tx.rows_by_id("mention_spans", chunk_ids)]


def chunks_mentioning(tx: Reader, entity_ids: Ids) -> Ids:
    """The chunks in force that mention any of the entities, in no order."""
    with tx.offering("mentioned", {"id": entity_ids}):
        return np.asarray(tx.columns("chunks_mentioning")["chunk_id"], dtype=np.int64)


def triples_told_in(tx: Reader, chunk_ids: Iterable[int], *, without: Collection[str]) -> list[Told]:
    """The triples in force for which chunks give evidence, but for that by the extractors `without`; by chunk."""
    rows = tx.rows_by_id("evidence_told_in", chunk_ids)
    told = sorted({(chunk_id, triple_id) for chunk_id, triple_id, extractor in rows if extractor not in without})
    parts = {row[0]: row for row in tx.rows_by_id("parts_of_triples", {triple_id for _, triple_id in told})}
    return [Told(chunk_id, *parts[triple_id]) for chunk_id, triple_id in told if triple_id in parts]


def chunks_stating(tx: Reader, predicate_ids: Ids, as_of: datetime | None) -> Ids:
    """The chunks in force that give evidence for a triple of one of the predicates, in no order."""
    found = tx.columns("chunks_stating", {"predicates": predicate_ids.tolist(), "as_of": as_of})
    return np.asarray(found["chunk_id"], dtype=np.int64)


def chunks_of_evidence(tx: Reader, evidence_ids: Iterable[int]) -> list[tuple[int, int]]:
    """(triple id, chunk id) of the pieces of evidence that have a chunk."""
    return [(row[1], row[2]) for row in tx.rows_by_id("chunks_of_evidence", evidence_ids) if row[2] is not None]


def hash_norms(tx: Reader, norms: Sequence[str]) -> NDArray[np.uint64]:
    """The hashes under which `alias_hashes` has normal forms, in their order."""
    columns = {"position": np.arange(len(norms)), "norm": texts(norms)}
    with tx.offering("incoming_norm", columns):
        return np.asarray(tx.columns("hash_norms")["hash"], dtype=np.uint64)


def norms_borne(tx: Reader, norms: Sequence[str]) -> list[tuple[int, int, bool]]:
    """(place in `norms`, entity id, whether only an alias) of the bearers of normal forms, by a scan."""
    columns = {"position": np.arange(len(norms)), "norm": texts(norms)}
    with tx.offering("incoming_norm", columns):
        return [(row[0], row[1], bool(row[2])) for row in tx.rows("norms_borne")]
