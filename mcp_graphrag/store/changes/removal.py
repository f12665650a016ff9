"""Removal of documents, triples and entities: retired, so that it can be undone, or deleted for good.

What only a document supports goes with it; what others support stays. A compaction drops what was retired long ago.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from mcp_graphrag.model import StoredDocument
from mcp_graphrag.store.changes.problem_rows import delete_vectors_of_nothing
from mcp_graphrag.store.engine.columns import id_column
from mcp_graphrag.store.engine.transaction import Reader, Writer
from mcp_graphrag.store.rows.document_rows import document_from_row
from mcp_graphrag.store.rows.mention_rows import SPAN_TABLES
from mcp_graphrag.store.rows.triple_rows import retire_triples


@dataclass(frozen=True)
class DocumentSupport:
    """A document with the number of its chunks, of entities it mentions, of triples it supports, alone or not."""

    document: StoredDocument
    chunks: int
    entities: int
    triples: int
    triples_alone: int


@dataclass(frozen=True)
class Compacted:
    """Rows retired up to a change were dropped: those retired until a moment, UTC. Both only grow."""

    change: int
    at: datetime


def document_support(tx: Reader, *, after: int, limit: int) -> list[DocumentSupport]:
    """The active documents with an id above `after`, oldest first."""
    rows = tx.rows("document_support", {"after": after, "limit": limit})
    return [DocumentSupport(document_from_row(row[:12]), *row[12:]) for row in rows]


def document_ids_titled(tx: Reader, title: str) -> list[int]:
    """The active documents with a title, whatever its case."""
    return tx.values("documents_titled", {"title": title})


def entities_of_document(tx: Reader, document_id: int) -> list[int]:
    """The entities that an active document mentions, names, gives a value or is evidence for."""
    return tx.values("entities_of_document", {"id": document_id})


def retire_entity(tx: Writer, entity_id: int) -> list[int]:
    """Retire an entity with its names, mentions, values and triples; answers the entities that those triples name."""
    ends = retire_triples(tx, tx.values("triples_of_entity", {"id": entity_id}))
    for table in SPAN_TABLES:
        tx.execute("retire_spans_of_entity", {"id": entity_id}, table=table)
    tx.execute("retire", {"id": entity_id}, table="entity_alias", column="entity_id")
    tx.execute("retire", {"id": entity_id}, table="entity", column="id")
    return ends


def retire_unsupported_entities(tx: Writer, entity_ids: Iterable[int]) -> list[int]:
    """Retire those of the entities that no mention, value, triple or declaration supports; answers their ids."""
    retired = [row[0] for row in tx.rows_by_id("unsupported_among", entity_ids)]
    if retired:
        tx.rows_by_id("retire_entities", retired)
        tx.execute("retire_names_of_retired")
    return retired


def unsupported_count(tx: Reader) -> int:
    """How many active entities no mention, value, triple or declaration supports."""
    return len(tx.rows("unsupported_entities"))


def purge_document(tx: Writer, uri: str) -> None:
    """Delete every version of a retired document for good, with what only it has ever supported."""
    tx.voids_indexes = True
    with tx.temporary("purged_document", "purged_documents", {"uri": uri}):
        entities = tx.values("entities_of_purged")
        with tx.temporary("purged_chunk", "purged_chunks"):
            triples = tx.values("triples_of_purged")
            tx.execute("purge_documents")
            tx.execute("purge_terms")
    _purge_triple_rows(tx, triples)
    _purge_entity_rows(tx, entities)


def purge_triples(tx: Writer, triple_ids: Sequence[int]) -> None:
    """Delete triples for good, with every row of the same subject, predicate and object."""
    with tx.incoming("incoming_id", id_column(triple_ids)):
        duplicates = tx.values("duplicate_triples")
    _purge_entity_rows(tx, _purge_triple_rows(tx, duplicates))


def purge_entity(tx: Writer, entity_id: int) -> None:
    """Delete a retired entity for good, with every triple, mention and value that it ever had."""
    triples = tx.values("triples_ever_of_entity", {"id": entity_id})
    for table in SPAN_TABLES:
        tx.execute("purge_spans_of_entity", {"id": entity_id}, table=table)
    _purge_entity_rows(tx, [*_purge_triple_rows(tx, triples), entity_id])


def compacted(tx: Reader) -> Compacted | None:
    """Up to when retired rows were dropped, None if they never were."""
    row = tx.row("compacted")
    return Compacted(*row) if row else None


def drop_retired(tx: Writer, until: datetime) -> int:
    """How many rows were dropped: those retired until a moment, for good.

    The change log stays, and the log of merges with the entities that it names and the names that they had.
    """
    change = tx.count("change_at", {"moment": until})
    before = compacted(tx)
    if before is not None and before.change >= change:
        return 0
    held = tx.count("all_rows")
    tx.voids_indexes = True
    tx.log_change()
    tx.execute("drop_retired", {"until": change})
    delete_vectors_of_nothing(tx)
    tx.execute("set_meta", {"key": "compacted_change", "value": str(change)})
    tx.execute("set_meta", {"key": "compacted_at", "value": until.isoformat(" ")})
    return held - tx.count("all_rows")


def _purge_triple_rows(tx: Writer, triple_ids: Iterable[int]) -> list[int]:
    """Delete rows of triples for good; answers the entities that they name."""
    tx.voids_indexes = True
    with tx.incoming("incoming_id", id_column(triple_ids)):
        ends = tx.values("ends_of_triples")
        tx.execute("purge_triples")
    return ends


def _purge_entity_rows(tx: Writer, entity_ids: Iterable[int]) -> None:
    """Delete those of the entities for good that are retired and have nothing left, and vectors of what is deleted."""
    with tx.incoming("incoming_id", id_column(entity_ids)), tx.temporary("purged_entity", "purged_entities"):
        tx.execute("purge_entities")
    delete_vectors_of_nothing(tx)
