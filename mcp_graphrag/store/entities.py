"""Entities, their names and their mentions: found, added."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Entity, Ids
from mcp_graphrag.store.documents import optional_ids, texts
from mcp_graphrag.store.history import reword_entities
from mcp_graphrag.store.transaction import Reader, Writer


@dataclass(frozen=True)
class NameMatch:
    """A stored entity that carries a normal form; `type_extractor` says who gave it its type."""

    norm: str
    entity_id: int
    type: str
    type_extractor: str
    by_alias: bool


@dataclass(frozen=True)
class EntityHead:
    """An entity's name and type."""

    id: int
    name: str
    type: str


@dataclass(frozen=True)
class NewEntity:
    """An entity to be added under its own name."""

    name: str
    norm: str
    type: str
    type_extractor: str
    said_in: int | None = None


@dataclass(frozen=True)
class NewAlias:
    """Another name of an entity; with a document, it holds only for what that document says.

    `said_in` is the document that taught the name, None where a caller did.
    """

    entity_id: int
    name: str
    norm: str
    origin: str
    document_id: int | None = None
    said_in: int | None = None


@dataclass(frozen=True)
class NewMention:
    """A span that names an entity: where it is in the document, and what the extractor called it and took it for."""

    chunk_id: int
    entity_id: int
    start: int
    end: int
    name: str
    type: str | None


def match_norms(tx: Reader, norms: Sequence[str]) -> list[NameMatch]:
    """The entities in force that carry one of the normal forms; for each form, bearers of the name come first."""
    if not norms:
        return []
    with tx.offering("incoming_norm", {"norm": texts(norms)}):
        rows = tx.rows("match_norms")
    types = {row[0]: row[1:] for row in tx.rows_by_id("types_by_id", (row[1] for row in rows))}
    found = [
        NameMatch(norm, entity_id, *types[entity_id], by_alias=origin != "name")
        for norm, entity_id, origin in rows
        if entity_id in types
    ]
    return sorted(found, key=lambda match: (match.norm, match.by_alias, match.entity_id))


def alias_hashes(tx: Reader, *, since: int) -> dict[str, NDArray[Any]]:
    """Columns hash (of the normal form), entity_id, is_alias of the names recorded after a generation."""
    return tx.columns("alias_hashes", {"since": since})


def names_were_retired(tx: Reader, *, since: int) -> bool:
    """Whether any name was retired after a generation."""
    return bool(tx.count("retired_aliases", {"since": since}))


def hash_norm(tx: Reader, norm: str) -> int:
    """The hash under which `alias_hashes` has a normal form."""
    return tx.count("hash_norm", {"norm": norm})


def bearers_of(tx: Reader, norm: str) -> list[tuple[int, bool]]:
    """(entity id, whether only an alias) of the bearers of a normal form, by a scan, those of that very name first."""
    return [(row[0], bool(row[1])) for row in tx.rows("bearers_of", {"norm": norm})]


def entity_heads(tx: Reader, ids: Iterable[int]) -> dict[int, EntityHead]:
    """Names and types of entities by id, retired ones included."""
    return {row[0]: EntityHead(*row) for row in tx.rows_by_id("entity_heads", ids)}


def add_entities(tx: Writer, entities: Sequence[NewEntity]) -> Ids:
    """The ids of the new entities, in their order; each gets its name as first alias."""
    ids = tx.new_ids("entity_id", len(entities))
    if not len(ids):
        return ids
    columns = {
        "id": ids,
        "name": texts(entity.name for entity in entities),
        "norm": texts(entity.norm for entity in entities),
        "type": texts(entity.type for entity in entities),
        "type_extractor": texts(entity.type_extractor for entity in entities),
        "said_in": optional_ids([entity.said_in for entity in entities]),
    }
    with tx.offering("incoming_entity", columns):
        tx.rows("add_entities", tx.stamp())
        tx.rows("name_entities", tx.stamp())
    return ids


def add_aliases(tx: Writer, aliases: Sequence[NewAlias]) -> None:
    """Store names that the entities do not have yet."""
    if not aliases:
        return
    columns = {
        "entity_id": np.array([alias.entity_id for alias in aliases], dtype=np.int64),
        "name": texts(alias.name for alias in aliases),
        "norm": texts(alias.norm for alias in aliases),
        "origin": texts(alias.origin for alias in aliases),
        "document_id": optional_ids([alias.document_id for alias in aliases]),
        "said_in": optional_ids([alias.said_in for alias in aliases]),
    }
    with tx.offering("incoming_alias", columns):
        tx.rows("add_aliases", tx.stamp())


def type_entities(tx: Writer, types: Sequence[tuple[int, str, str]]) -> None:
    """Give entities a better founded type: (id, type, extractor) each."""
    reword_entities(tx, [(each[0], {"type": each[1], "type_extractor": each[2]}) for each in types])


def retire_names(tx: Writer, entity_id: int, norms: Sequence[str], *, declared_only: bool = False) -> None:
    """Take names of an entity out of force, whoever taught them, or only those that callers did."""
    with tx.offering("forgotten", {"norm": texts(norms)}):
        tx.rows("retire_names", {"id": entity_id, "declared_only": declared_only, **tx.stamp()})


def rename_to_alias(tx: Writer, entity_id: int, norm: str) -> None:
    """Let the own name of an entity be one of its aliases from now on."""
    tx.rows("alias_own_name", {"id": entity_id, "norm": norm, **tx.stamp()})
    tx.rows("retire_own_name", {"id": entity_id, "norm": norm, **tx.stamp()})


def add_mentions(tx: Writer, mentions: Sequence[NewMention], extractor: str) -> None:
    """Store mentions."""
    if not mentions:
        return
    columns = {
        "chunk_id": np.array([each.chunk_id for each in mentions], dtype=np.int64),
        "entity_id": np.array([each.entity_id for each in mentions], dtype=np.int64),
        "start_offset": np.array([each.start for each in mentions], dtype=np.int64),
        "end_offset": np.array([each.end for each in mentions], dtype=np.int64),
        "name": texts(each.name for each in mentions),
        "type": texts(each.type for each in mentions),
        "extractor": texts([extractor] * len(mentions)),
    }
    with tx.offering("incoming_mention", columns):
        tx.rows("add_mentions", {"change": tx.change})


def entities_by_id(tx: Reader, ids: Iterable[int], *, as_of: datetime | None = None) -> dict[int, Entity]:
    """Entities by id, with aliases, degree (of what held at a moment), number of mentions and properties."""
    wanted = [int(each) for each in ids]
    aliases: dict[int, list[str]] = defaultdict(list)
    for entity_id, name in tx.rows_by_id("aliases_of", wanted):
        aliases[entity_id].append(name)
    moment = None if as_of is None else {"as_of": as_of}
    degrees = dict(tx.rows_by_id("degrees_then" if moment else "degrees_of", wanted, moment))
    mentions = dict(tx.rows_by_id("mentions_of", wanted))
    return {
        row[0]: Entity(
            row[0],
            row[1],
            row[2],
            tuple(name for name in aliases[row[0]] if name != row[1]),
            row[3],
            degrees.get(row[0], 0),
            mentions.get(row[0], 0),
            json.loads(row[4]),
        )
        for row in tx.rows_by_id("entities_by_id", wanted)
    }


def said_of_entities(tx: Reader, ids: Iterable[int]) -> dict[int, tuple[str, str]]:
    """(name, description) of entities by id."""
    return {row[0]: (row[1], row[3]) for row in tx.rows_by_id("entities_by_id", ids)}


def entities_like(
    tx: Reader, norm: str, *, types: Sequence[str] | None = None, least: float = 0.82, limit: int = 10
) -> list[tuple[int, float]]:
    """(id, score) of entities by name: 2 for equal, below that prefixes, parts, then Jaro–Winkler from `least` up.

    Only those of one of the types, given by their keys (see `type_key`); None takes all.
    """
    rows = tx.rows("entities_like", {"norm": norm, "types": types and list(types), "least": least, "limit": limit})
    return [(row[0], float(row[1])) for row in rows]


def entities_of_type(tx: Reader, *, types: Sequence[str] | None, limit: int) -> list[int]:
    """The ids of the best connected entities of some types, given by their keys, or of all."""
    return [row[0] for row in tx.rows("entities_of_type", {"types": types and list(types), "limit": limit})]


def entity_ids_of_type(tx: Reader, *keys: str) -> Ids:
    """The ids of all entities in force of some types, given by their keys, ascending."""
    return np.asarray(tx.columns("entity_ids_of_type", {"types": list(keys)})["id"], dtype=np.int64)


def roles_of(tx: Reader, ids: Iterable[int]) -> dict[int, list[tuple[int, bool]]]:
    """The predicates around entities: by entity (predicate id, whether it is the subject) each once."""
    found: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for entity_id, predicate, is_subject in tx.rows_by_id("roles_of", ids):
        found[entity_id].append((predicate, bool(is_subject)))
    return found


def entity_types(tx: Reader) -> dict[str, int]:
    """How many entities have each type, most frequent first; "" stands for unknown."""
    return dict(tx.rows("entity_types"))


@lru_cache(maxsize=4096)
def type_key(type: str) -> str:
    """The form in which types are compared: lower case, no space, dash or underscore ("Cost Center": "costcenter")."""
    return re.sub(r"[\s_-]", "", type.lower())
