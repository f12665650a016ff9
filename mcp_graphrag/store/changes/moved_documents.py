"""What documents say of entities with one name, and documents moved from one entity to another."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mcp_graphrag.store.changes.reconcile import EntityRow, move_evidence
from mcp_graphrag.store.engine.columns import id_column, row_columns
from mcp_graphrag.store.engine.transaction import Reader, Writer
from mcp_graphrag.store.rows.mention_rows import SPAN_TABLES

NO_ENTITY = -1
PERSON = frozenset({"person", "per"})  # keys of types
NEVER_TOLD_APART = frozenset({"date", "role", "document"})  # by what titles have in brackets


@dataclass(frozen=True)
class NamedIn:
    """A document that mentions an entity of the normal form, None if none does.

    `as_person` says whether the type is given there, `was_known` whether it did so before the present change,
    `has_titles` whether titles of documents have the name with different words in brackets, and `names` how it calls
    the entity.
    """

    norm: str
    entity_id: int
    document_id: int | None
    as_person: bool
    was_known: bool
    has_titles: bool
    names: Sequence[str] = ()


@dataclass(frozen=True)
class Passage:
    """A text of a document around a name of an entity, and the position of the name in it."""

    entity_id: int
    document_id: int
    uri: str
    title: str
    source: str
    name: str
    text: str
    position: int


def uses_of_names(
    tx: Writer, entity_ids: Iterable[int], may_be_one: Callable[[Sequence[EntityRow]], bool]
) -> list[NamedIn]:
    """Where the names of entities are used, for each name that is a person's or that titles of documents tell apart.

    And for each name of several entities that `may_be_one`: titles that are out of force told them apart. By name,
    entity and document.
    """
    with tx.incoming("incoming_id", id_column(entity_ids)):
        named = [EntityRow(*row) for row in tx.rows("entities_of_same_names")]
        has_titles = tx.count("has_titles_in_brackets")
        titled = set[str](tx.values("names_told_apart_by_titles")) if has_titles else set[str]()
    by_norm: dict[str, list[EntityRow]] = {}
    for entity in named:
        by_norm.setdefault(entity.norm, []).append(entity)
    norms: dict[int, str] = {}
    for norm, same in by_norm.items():
        is_person = any(entity.type in PERSON for entity in same)
        things = [entity for entity in same if entity.type not in NEVER_TOLD_APART]
        if is_person:
            norms |= {entity.entity_id: norm for entity in same if entity.type in {"", *PERSON}}
        if norm in titled or (not is_person and len(things) > 1 and may_be_one(things)):
            norms |= {entity.entity_id: norm for entity in things}
    uses = [
        NamedIn(norms[entity_id], entity_id, document_id, as_person, was_known, norms[entity_id] in titled, names)
        for entity_id, document_id, as_person, was_known, names in tx.rows_by_id("documents_of_entities", norms)
    ]
    unused = norms.keys() - {use.entity_id for use in uses}
    uses += [
        NamedIn(norms[each], each, None, as_person=False, was_known=False, has_titles=norms[each] in titled)
        for each in unused
    ]
    return sorted(uses, key=lambda use: (use.norm, use.entity_id, use.document_id or 0))


def decided_entities(tx: Reader, entity_ids: Iterable[int]) -> dict[int, bool]:
    """Those of the entities that were merged, split or kept apart on request.

    Each with whether it was merged with another of its own name, so that the name was decided to be one entity's.
    """
    if not tx.count("has_decided_entities"):
        return {}
    with tx.incoming("incoming_id", id_column(entity_ids)):
        return dict(tx.rows("decided_entities"))


def passages_naming(tx: Reader, entity_ids: Iterable[int], *, near: int, limit: int) -> list[Passage]:
    """The first passages of each document that mention each entity, with `near` characters on either side.

    By document, in reading order.
    """
    with tx.incoming("incoming_id", id_column(entity_ids)):
        return [Passage(*row) for row in tx.rows("passages_naming", {"near": near, "limit": limit})]


def names_beside(tx: Reader, entity_ids: Iterable[int]) -> list[tuple[int, int, str, str | None]]:
    """(entity id, document id, name, key of the type) of the names of others in chunks that mention the entities."""
    with tx.incoming("incoming_id", id_column(entity_ids)):
        return tx.rows("names_beside")


def entities_beside_chunks(tx: Reader, chunk_ids: Iterable[int]) -> dict[int, set[int]]:
    """The entities that the document of each chunk mentions."""
    found: dict[int, set[int]] = {}
    for chunk_id, entity_id in tx.rows_by_id("entities_beside_chunks", chunk_ids):
        found.setdefault(chunk_id, set()).add(entity_id)
    return found


def move_documents(tx: Writer, moves: Sequence[tuple[int, int, int]]) -> None:
    """Move what a document says of an entity to another, (entity id, document id, other id) each.

    Mentions and values are moved, names, and evidence with its triples.
    """
    columns = {"entity_id": int, "document_id": int, "other_id": int}
    with tx.incoming("incoming_move", row_columns(columns, moves)):
        for table in SPAN_TABLES:
            tx.execute("copy_moved_spans", table=table)
            tx.execute("retire_moved_spans", table=table)
        tx.execute("copy_moved_names")
        tx.execute("retire_moved_names")
        move_evidence(tx, "moved_evidence", {"other": NO_ENTITY})


def titles_mentioning(tx: Reader, entity_ids: Iterable[int], *, limit: int = 3) -> dict[int, list[str]]:
    """The titles of the first documents that mention each entity: what tells homonyms apart."""
    found: dict[int, list[str]] = {}
    for entity_id, title in tx.rows_by_id("titles_mentioning", entity_ids, {"limit": limit}):
        found.setdefault(entity_id, []).append(title)
    return found
