"""Removal: out of force, so that it can be looked back at and undone, or for good.

What a document alone supported goes with it; what others support stays.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mcp_graphrag.model import StoredDocument
from mcp_graphrag.store.documents import document_from
from mcp_graphrag.store.embeddings import embedder_mark
from mcp_graphrag.store.transaction import Reader, Writer, id_column


@dataclass(frozen=True)
class Supporting:
    """A document with what it supports: entities it mentions, triples it says, and those that it alone says."""

    document: StoredDocument
    chunks: int
    entities: int
    triples: int
    triples_alone: int


def supporting_documents(tx: Reader, *, after: int, limit: int) -> list[Supporting]:
    """Documents in force with an id above `after`, the oldest first."""
    rows = tx.rows("list_documents", {"after": after, "limit": limit})
    return [Supporting(document_from(row[:10]), *row[10:]) for row in rows]


def document_ids_titled(tx: Reader, title: str) -> list[int]:
    """The documents in force under a title."""
    return [row[0] for row in tx.rows("documents_titled", {"title": title})]


def touched_by_document(tx: Reader, document_id: int) -> list[int]:
    """The entities that a document in force mentions, names or says something of."""
    return [row[0] for row in tx.rows("touched_by_document", {"id": document_id})]


def triples_of_entity(tx: Reader, entity_id: int) -> list[int]:
    """The triples in force that name an entity."""
    return [row[0] for row in tx.rows("triples_of_entity", {"id": entity_id})]


def retire_triples(tx: Writer, triple_ids: Sequence[int]) -> list[int]:
    """Take triples out of force with all that supports them; answers the entities that they name."""
    if not triple_ids:
        return []
    with tx.offering("removed", id_column(triple_ids)):
        tx.rows("retire_triples", tx.stamp())
        tx.rows("retire_evidence_of_triples", tx.stamp())
        return [row[0] for row in tx.rows("ends_of_triples")]


def retire_entity(tx: Writer, entity_id: int) -> list[int]:
    """Take an entity out of force with its names, mentions and triples; answers the entities those triples name."""
    ends = retire_triples(tx, triples_of_entity(tx, entity_id))
    tx.rows("retire_mentions_of_entity", {"id": entity_id, "change": tx.change})
    tx.rows("retire_names_of_entity", {"id": entity_id, **tx.stamp()})
    tx.rows("retire_entity", {"id": entity_id, **tx.stamp()})
    return ends


def purge_document(tx: Writer, uri: str) -> None:
    """Remove every version of a retired document for good, with what it alone had supported, now or ever."""
    tx.rows("mark_purged_documents", {"uri": uri})
    touched = [row[0] for row in tx.rows("touched_by_purged")]
    tx.rows("purge_documents")
    tx.rows("purge_triples")
    if embedder_mark(tx):
        tx.rows("purge_embeddings")
    _purge_entities(tx, touched)


def purge_triples(tx: Writer, triple_ids: Sequence[int]) -> None:
    """Remove triples for good, with every row that ever said the same."""
    with tx.offering("removed", id_column(triple_ids)):
        same = [row[0] for row in tx.rows("same_triples")]
    with tx.offering("removed", id_column(same)):
        ends = [row[0] for row in tx.rows("ends_of_triples")]
        tx.rows("mark_purged_triples")
    tx.rows("purge_triples")
    _purge_entities(tx, ends)


def purge_entity(tx: Writer, entity_id: int) -> None:
    """Remove a retired entity for good, with every triple and mention that it ever had."""
    with tx.offering("candidate", id_column([entity_id])):
        triples = [row[0] for row in tx.rows("triples_ever_of")]
        tx.rows("purge_mentions_of")
    with tx.offering("removed", id_column(triples)):
        ends = [row[0] for row in tx.rows("ends_of_triples")]
        tx.rows("mark_purged_triples")
    tx.rows("purge_triples")
    _purge_entities(tx, [*ends, entity_id])


def _purge_entities(tx: Writer, candidates: Iterable[int]) -> None:
    """Remove for good those of the entities that are out of force and have nothing left."""
    with tx.offering("candidate", id_column(candidates)):
        tx.rows("purge_entities")
    if embedder_mark(tx):
        tx.rows("purge_entity_embeddings")
