"""The names of entities in active documents, and evidence by one name moved to another entity."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mcp_graphrag.store.engine.columns import id_column, text_column
from mcp_graphrag.store.engine.transaction import Reader, Writer
from mcp_graphrag.store.rows.confidence import combine_changed_evidence
from mcp_graphrag.store.rows.mention_rows import SPAN_TABLES


@dataclass(frozen=True)
class EntityRow:
    """An entity's own name and type, and who gave the type."""

    entity_id: int
    name: str
    norm: str
    type: str
    type_extractor: str


@dataclass(frozen=True)
class ActiveName:
    """A normal form that is a name of an entity, its origin, and the document it comes from, None for a caller."""

    entity_id: int
    norm: str
    origin: str
    said_in: int | None


@dataclass(frozen=True)
class NameUse:
    """A name that a mention or evidence uses for an entity; `document_id` is None for what a caller asserted."""

    entity_id: int
    name: str
    type: str | None = None
    extractor: str = ""
    document_id: int | None = None


def retire_stale_names(tx: Writer, entity_ids: Iterable[int]) -> None:
    """Retire the names of entities that come only from retired documents."""
    with tx.incoming("incoming_id", id_column(entity_ids)):
        tx.execute("retire_stale_names")


def active_entities(tx: Reader, entity_ids: Iterable[int]) -> list[EntityRow]:
    """Those of the entities that are active."""
    with tx.incoming("incoming_id", id_column(entity_ids)):
        return [EntityRow(*row) for row in tx.rows("active_entities")]


def active_names(tx: Reader, entity_ids: Iterable[int]) -> list[ActiveName]:
    """The active names of entities, by normal form."""
    with tx.incoming("incoming_id", id_column(entity_ids)):
        return [ActiveName(*row) for row in tx.rows("active_names")]


def name_uses(tx: Reader, entity_ids: Iterable[int]) -> list[NameUse]:
    """The names in use for entities: by mentions, document by document, typed ones first, then by evidence."""
    with tx.incoming("incoming_id", id_column(entity_ids)):
        in_mentions = [NameUse(*row[:5]) for row in tx.rows("names_in_mentions")]
        in_evidence = [NameUse(row[0], row[1]) for row in tx.rows("names_in_evidence")]
    return in_mentions + in_evidence


def entities_to_reconcile(tx: Reader) -> list[int]:
    """Entities that an interrupted update has left with names of retired documents, or without support."""
    queries = ("entities_with_stale_names", "unsupported_entities")
    return [row[0] for query in queries for row in tx.rows(query)]


def move_names(tx: Writer, entity_id: int, other_id: int, names: Sequence[str]) -> None:
    """Move the mentions, values and evidence that use any of the names for one entity to another, with triples."""
    ends = {"id": entity_id, "other": other_id}
    with tx.incoming("incoming_name", {"name": text_column(names)}):
        for table in SPAN_TABLES:
            tx.execute("copy_named_spans", ends, table=table)
            tx.execute("retire_named_spans", {"id": entity_id}, table=table)
        move_evidence(tx, "renamed_evidence", ends)


def move_evidence(tx: Writer, query: str, ends: Mapping[str, int]) -> None:
    """Move the evidence that the named query finds to other entities, with its triples.

    The names that it uses for the entity `other` are that entity's own.
    """
    with (
        tx.temporary("renamed_evidence", query, ends),
        tx.temporary("renamed_triple", "renamed_triples"),
    ):
        tx.execute("add_renamed_triples")
        tx.execute("copy_renamed_evidence", {"other": ends["other"]})
        tx.execute("retire_moved_evidence", table="renamed_triple")
    tx.execute("retire_unsupported_triples")
    combine_changed_evidence(tx)
