"""What entities are called by the documents in force, and what was said under one name moved to another entity."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mcp_graphrag.store.confidence import combine_touched
from mcp_graphrag.store.documents import texts
from mcp_graphrag.store.transaction import Reader, Writer, id_column


@dataclass(frozen=True)
class Words:
    """An entity's own name and type, and who gave the type."""

    entity_id: int
    name: str
    norm: str
    type: str
    type_extractor: str


@dataclass(frozen=True)
class Name:
    """A normal form that stands for an entity, why, and the document that taught it; None: a caller declared it."""

    entity_id: int
    norm: str
    origin: str
    said_in: int | None


@dataclass(frozen=True)
class Use:
    """A name under which something in force speaks of an entity; `document_id` is None for what a caller asserted."""

    entity_id: int
    name: str
    type: str | None = None
    extractor: str = ""
    document_id: int | None = None


def retire_stale_names(tx: Writer, entity_ids: Iterable[int]) -> None:
    """Take out of force the names of entities that only documents out of force taught."""
    with tx.offering("candidate", id_column(entity_ids)):
        tx.rows("retire_stale_names", tx.stamp())


def words_of(tx: Reader, entity_ids: Iterable[int]) -> list[Words]:
    """The own names and types of entities in force."""
    with tx.offering("candidate", id_column(entity_ids)):
        return [Words(*row) for row in tx.rows("words_of_candidates")]


def names_in_force(tx: Reader, entity_ids: Iterable[int]) -> list[Name]:
    """The names of entities, by normal form."""
    with tx.offering("candidate", id_column(entity_ids)):
        return [Name(*row) for row in tx.rows("names_of_candidates")]


def uses_of(tx: Reader, entity_ids: Iterable[int]) -> list[Use]:
    """What entities are called in what is in force: document by document, typed uses first, then by callers."""
    with tx.offering("candidate", id_column(entity_ids)):
        mentioned = [Use(*row[:5]) for row in tx.rows("uses_of_candidates")]
        spoken = [Use(row[0], row[1]) for row in tx.rows("spoken_names_of_candidates")]
    return mentioned + spoken


def unsettled(tx: Reader) -> list[int]:
    """Entities that an interrupted update left with names of retired documents, or with nothing at all."""
    return [row[0] for statement in ("stale_names", "orphans") for row in tx.rows(statement)]


def move_said(tx: Writer, entity_id: int, other_id: int, names: Sequence[str]) -> None:
    """Let all that was said of an entity under the names be said of another one: mentions, evidence, triples."""
    ends = {"id": entity_id, "other": other_id}
    with tx.offering("said", {"name": texts(names)}):
        tx.rows("move_spoken_mentions", {**ends, "change": tx.change})
        tx.rows("retire_moved_mentions", {"id": entity_id, "change": tx.change})
        tx.rows("said_of", ends)
    tx.rows("respoken_triples")
    tx.rows("add_respoken_triples", tx.stamp())
    tx.rows("move_spoken_evidence", {"other": other_id, **tx.stamp()})
    tx.rows("retire_spoken_evidence", tx.stamp())
    tx.rows("retire_unsupported_triples", tx.stamp())
    combine_touched(tx)
