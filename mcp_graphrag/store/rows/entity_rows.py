"""Entities and their names: added, found, updated, retired."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import md5
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Entity, Ids
from mcp_graphrag.store.engine.columns import record_columns, row_columns, text_column
from mcp_graphrag.store.engine.time_travel import UPDATED_COLUMNS
from mcp_graphrag.store.engine.transaction import Reader, Writer
from mcp_graphrag.store.rows.past_rows import keep_values

MAX_LOOKED_UP = 100  # names; for more, a scan takes less than bringing the index up to date for each batch of an ingest


@dataclass(frozen=True)
class NameMatch:
    """A stored entity with a normal form among its names; `type_extractor` says who gave it its type.

    `name` is its own name.
    """

    norm: str
    entity_id: int
    type: str
    type_extractor: str
    name: str
    by_alias: bool


@dataclass(frozen=True)
class EntityLabel:
    """An entity's name and type."""

    id: int
    name: str
    type: str


class NewEntity(NamedTuple):
    """An entity to add, with its own name. `said_in` is the document that the name comes from, None for a caller."""

    name: str
    norm: str
    type: str
    type_extractor: str
    said_in: int | None = None


@dataclass(frozen=True)
class NewAlias:
    """A name to add to an entity; with `document_id`, it is valid in that document only.

    `said_in` is the document that the name comes from, None for a caller.
    """

    entity_id: int
    name: str
    norm: str
    origin: str
    document_id: int | None = None
    said_in: int | None = None


def match_norms(tx: Reader, norms: Sequence[str]) -> list[NameMatch]:
    """The active entities with any of the normal forms as a name; for each form, own names before aliases."""
    if not norms:
        return []
    if len(norms) > MAX_LOOKED_UP:
        return _match_norms(tx, norms)
    return list(tx.once(f"names {norms}", lambda: _match_norms(tx, norms)))


def _match_norms(tx: Reader, norms: Sequence[str]) -> list[NameMatch]:
    rows = _names_by_norm(tx, norms)
    types = {row[0]: row[1:] for row in tx.rows_by_id("types_by_id", (row[1] for row in rows))}
    matches = [
        NameMatch(norm, entity_id, *types[entity_id], by_alias=by_alias)
        for norm, entity_id, by_alias in rows
        if entity_id in types
    ]
    return sorted(matches, key=lambda match: (match.norm, match.by_alias, match.entity_id))


def _names_by_norm(tx: Reader, norms: Sequence[str]) -> list[tuple[str, int, bool]]:
    found = tx.find_names(norms) if len(norms) <= MAX_LOOKED_UP else None
    names = names_with_forms(tx, norms) if found is None else found
    return [(norm, entity_id, by_alias) for norm, entity_id, by_alias, in_document in names if not in_document]


def names_with_forms(tx: Reader, norms: Sequence[str]) -> list[tuple[str, int, bool, bool]]:
    """(normal form, entity id, whether an alias, whether only inside a document) of the names, by a scan."""
    with tx.incoming("incoming_norm", {"norm": text_column(norms)}):
        return tx.rows("names_with_forms")


def alias_hashes(tx: Reader) -> dict[str, NDArray[Any]]:
    """Columns hash (of the normal form), entity_id, is_alias, in_document of the active names."""
    return tx.columns("alias_hashes")


def alias_changes(tx: Reader, *, since: int) -> dict[str, NDArray[Any]]:
    """The same columns and `retired`: the names that are active now and were not after a generation, or vice versa."""
    return tx.columns("alias_changes", {"since": since})


def hash_norms(norms: Iterable[str]) -> NDArray[np.uint64]:
    """The hashes of normal forms, as in `alias_hashes`, in their order; a lone surrogate counts as a question mark."""
    digests = (md5(norm.encode("utf-8", "replace"), usedforsecurity=False).digest() for norm in norms)
    return np.array([int.from_bytes(digest[8:], "little") for digest in digests], dtype=np.uint64)


def entity_labels(tx: Reader, ids: Iterable[int]) -> dict[int, EntityLabel]:
    """Names and types of entities by id, retired ones included."""
    return {row[0]: EntityLabel(*row) for row in tx.rows_by_id("entity_labels", ids)}


def phrase_ids(tx: Reader, phrases: Iterable[str]) -> dict[str, int]:
    """The stored phrases with exactly these words, by these."""
    words = text_column(phrases)
    if not len(words):
        return {}
    with tx.incoming("incoming_name", {"name": words}):
        return dict(tx.rows("phrases_named"))


def commit_ids(tx: Reader, digits: str) -> dict[str, int]:
    """The stored commits whose hash begins with some digits, by name."""
    return dict(tx.rows("commits_named", {"digits": digits}))


def add_phrases(tx: Writer, phrases: Sequence[NewEntity]) -> Ids:
    """Add entities that are words of a text, which no name leads to; answers their ids, in their order.

    The ids are below 0, so that a triple shows by itself whether its object is a phrase.
    """
    ids = -1 - tx.new_ids("entity_id", len(phrases))  # -1 itself stands for NULL in some tables of incoming rows
    if len(ids):
        with tx.incoming("incoming_entity", {"id": ids, **record_columns(NewEntity, phrases)}):
            tx.execute("add_entities")
    return ids


def add_entities(tx: Writer, entities: Sequence[NewEntity]) -> Ids:
    """Add entities, each with its name as first alias; answers their ids, in their order."""
    ids = tx.new_ids("entity_id", len(entities))
    if not len(ids):
        return ids
    if len(ids) <= 2:  # those of one triple: a table of them would take longer
        for entity_id, entity in zip(ids.tolist(), entities, strict=True):
            values = {"id": entity_id, **entity._asdict()}
            tx.add_row("add_entity", values)
            tx.add_row("add_own_name", values)
        return ids
    with tx.incoming("incoming_entity", {"id": ids, **record_columns(NewEntity, entities)}):
        tx.execute("add_entities")
        tx.execute("add_own_names")
    return ids


def add_aliases(tx: Writer, aliases: Sequence[NewAlias]) -> None:
    """Add the names that the entities do not have yet."""
    if not aliases:
        return
    with tx.incoming("incoming_alias", record_columns(NewAlias, aliases)):
        tx.execute("add_aliases")


def update_entities(tx: Writer, updates: Sequence[tuple[int, Mapping[str, str]]]) -> None:
    """Update values of entities, (id, values) each, `properties` as JSON text; the old values are kept."""
    if not updates:
        return
    keep_values(tx, "entity", [entity_id for entity_id, _ in updates])
    names = UPDATED_COLUMNS["entity"]
    rows = [(entity_id, *(values.get(name) for name in names)) for entity_id, values in updates]
    with tx.incoming("incoming_entity", row_columns({"id": int, **dict.fromkeys(names, str)}, rows)):
        tx.execute("update_entities")


def retire_names(tx: Writer, entity_id: int, norms: Sequence[str], *, declared_only: bool = False) -> None:
    """Retire names of an entity, wherever they come from, or only those that callers declared."""
    with tx.incoming("incoming_norm", {"norm": text_column(norms)}):
        tx.execute("retire_names", {"id": entity_id, "declared_only": declared_only})


def own_name_to_alias(tx: Writer, entity_id: int, norm: str) -> None:
    """Make the own name of an entity one of its aliases."""
    tx.execute("copy_own_name_to_alias", {"id": entity_id, "norm": norm})
    tx.execute("retire_own_name", {"id": entity_id, "norm": norm})


def names_of_entities(tx: Reader, ids: Iterable[int]) -> list[str]:
    """The names and aliases of entities, each once."""
    ids = list(ids)
    names = [label.name for label in entity_labels(tx, ids).values()]
    return list(dict.fromkeys([*names, *(name for _, name in tx.rows_by_id("aliases_of", ids))]))


def entities_by_id(tx: Reader, ids: Iterable[int], *, as_of: datetime | None = None) -> dict[int, Entity]:
    """Entities by id, with aliases, degree (valid at `as_of`, if given), number of mentions and properties."""
    ids = list(ids)
    aliases: dict[int, list[str]] = defaultdict(list)
    for entity_id, name in tx.rows_by_id("aliases_of", ids):
        aliases[entity_id].append(name)
    degrees = dict(tx.rows_by_id("degrees", ids, {"as_of": as_of}))
    mentions = dict(tx.rows_by_id("mention_counts", ids))
    found: dict[int, Entity] = {}
    for entity_id, name, type_, description, properties in tx.rows_by_id("entities_by_id", ids):
        others = tuple(alias for alias in aliases[entity_id] if alias != name)
        numbers = (degrees.get(entity_id, 0), mentions.get(entity_id, 0))
        found[entity_id] = Entity(entity_id, name, type_, others, description, *numbers, json.loads(properties))
    return found


def entity_descriptions(tx: Reader, ids: Iterable[int]) -> dict[int, tuple[str, str]]:
    """(name, description) of entities by id."""
    return {row[0]: (row[1], row[3]) for row in tx.rows_by_id("entities_by_id", ids)}


def qualified_entities(tx: Reader, norm: str, types: Collection[str]) -> list[int]:
    """The entities of the types whose normal form ends with whole parts of a qualified name, whatever joins them."""
    return tx.values("qualified_entities", {"norm": norm, "types": sorted(types)})


def similar_entities(
    tx: Reader, norm: str, *, types: Sequence[str] | None = None, min_similarity: float = 0.82, limit: int = 10
) -> list[tuple[int, float]]:
    """(id, score) of entities by name: 2 for equal, below that prefixes, parts, then Jaro–Winkler similarity.

    Only those of the types, given by their keys (see `type_key`); None takes all.
    """
    parameters = {"norm": norm, "types": types, "min_similarity": min_similarity, "limit": limit}
    return [(row[0], float(row[1])) for row in tx.rows("similar_entities", parameters)]


def entities_of_type(tx: Reader, *, types: Sequence[str] | None, limit: int) -> list[int]:
    """The best connected entities of the types, given by their keys; None takes all."""
    return tx.values("entities_of_type", {"types": types, "limit": limit})


def entity_ids_of_type(tx: Reader, *keys: str) -> Ids:
    """The active entities of some types, given by their keys, ascending."""
    return tx.ids("entity_ids_of_type", {"types": keys})


def names_of_types(tx: Reader, *keys: str, limit: int) -> list[tuple[str, str]]:
    """(name, type) of the entities of some types, given by their keys, and of those named like "checkout-api"."""
    return tx.rows("names_of_types", {"types": keys, "limit": limit})


def roles_of(tx: Reader, ids: Iterable[int]) -> dict[int, list[tuple[int, bool]]]:
    """The predicates of the triples of each entity, each once: (predicate id, whether the entity is the subject)."""
    roles: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for entity_id, predicate, is_subject in tx.rows_by_id("roles_of", ids):
        roles[entity_id].append((predicate, bool(is_subject)))
    return roles


def rebuild_normal_forms(tx: Writer, normal_form: Callable[[str], str]) -> None:
    """Replace the stored normal form of each name, also of those no longer in force, by what the function says."""
    changed = [[name, norm] for name, was in tx.rows("normal_forms") if (norm := normal_form(name)) != was]
    if not changed:
        return
    tx.log_change()
    tx.voids_indexes = True
    with tx.incoming("incoming_name", row_columns({"name": str, "norm": str}, changed)):
        tx.execute("update_entity_forms")
        tx.execute("update_alias_forms")


def entity_types(tx: Reader, *, phrases: bool = False) -> dict[str, int]:
    """How many active entities have each type, most frequent first; "" stands for unknown.

    Phrases, which are no names, count only if asked for.
    """
    return dict(tx.rows("entity_types", {"phrases": phrases}))


@lru_cache(maxsize=4096)
def type_key(type: str) -> str:
    """The form in which types are compared: lower case, no spaces, dashes or underscores ("costcenter")."""
    return re.sub(r"[\s_-]", "", type.lower())
