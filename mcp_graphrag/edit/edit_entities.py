"""Entities that a caller adds, completes or updates: all checked first, then stored.

Such an entity outlives the documents that name it. Nothing is overwritten: the values before an update stay readable at
the time at which they were known.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mcp_graphrag.clean_input import CONTROL, MAX_PREDICATE, MAX_TEXT, clean_line, clean_text
from mcp_graphrag.edit.index_text import embed_entities
from mcp_graphrag.edit.normalize_candidates import check_types, refusal
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.lookup.find_entities import link_name, with_type
from mcp_graphrag.mentions.no_names import is_placeholder
from mcp_graphrag.model import Entity, Metadata
from mcp_graphrag.ontology.map_predicates import canonical_type
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.resolve.callers_names import name_without_id, settle_names
from mcp_graphrag.resolve.resolve_entities import AGENT, Group, resolve_names
from mcp_graphrag.snapshot import Snapshot, Write
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.rows.document_rows import to_json
from mcp_graphrag.store.rows.embedding_rows import delete_some_embeddings
from mcp_graphrag.store.rows.entity_rows import (
    NewAlias,
    add_aliases,
    entities_by_id,
    entity_labels,
    match_norms,
    own_name_to_alias,
    retire_names,
    type_key,
    update_entities,
)

MAX_ALIASES = 100
MAX_KEY = 200
MERGE = "Merge the two if they are the same entity."


@dataclass(frozen=True)
class EntityInput:
    """An entity to add."""

    name: str
    type: str | None = None
    description: str = ""
    properties: Metadata = field(default_factory=dict[str, Any])
    aliases: Sequence[str] = ()


@dataclass(frozen=True)
class DeclaredEntities:
    """The entities that were added, in order, as they are now stored.

    `added` are the ids of those that are new, `completed` of those that gained a description, a property or an alias.
    `refused` says why placeholders were left out.
    """

    entities: Sequence[Entity]
    added: frozenset[int]
    completed: frozenset[int]
    refused: Sequence[str] = ()


@dataclass(frozen=True)
class EntityUpdate:
    """New values for an entity; None leaves a value as it is. Properties are merged, and None removes a key.

    `of_type` selects one of several entities with the name.
    """

    rename: str | None = None
    type: str | None = None
    description: str | None = None
    properties: Metadata = field(default_factory=dict[str, Any])
    aliases_add: Sequence[str] = ()
    aliases_remove: Sequence[str] = ()
    of_type: str | None = None


@dataclass(frozen=True)
class UpdatedEntity:
    """An entity after an update, its name before it, and the fields that changed."""

    entity: Entity
    was: str
    changed: Sequence[str]


def add_entities(write: Write, given: Sequence[EntityInput], *, strict: bool) -> DeclaredEntities:
    """Add the entities, or complete those that are stored: what they have already is kept.

    Raises BadInput, naming the entity, for one that cannot be stored and for a name of several entities that the type
    does not decide, with `strict` also for a type outside the ontologies in force.
    """
    tx = write.tx
    refused = [refusal(entity.name, "entity") for entity in given if is_placeholder(entity.name)]
    if refused and len(refused) == len(given):
        raise BadInput(f"'{given[0].name.strip()}' names nothing.", "Give the name of the entity.")
    checked = [_checked(entity, write.ontology) for entity in given if not is_placeholder(entity.name)]
    names = [(entity.name, entity.type) for entity in checked]
    if strict:
        check_types(names, write.ontology)
    settled = settle_names(tx, names)
    resolved = resolve_names(tx, [Group([named for named in names if named not in settled])], AGENT)
    ids = [settled[named] if named in settled else resolved.ids[0][named] for named in names]
    before = entities_by_id(tx, ids)
    _declare_names(tx, checked, ids, before)
    _complete(tx, checked, ids, before)
    embed_entities(tx, write.embedders.static, resolved.fresh)
    after = entities_by_id(tx, ids)
    added = frozenset(entity_id for entity_id, _ in resolved.fresh)
    changed = frozenset(entity_id for entity_id in ids if after[entity_id] != before[entity_id]) - added
    return DeclaredEntities([after[entity_id] for entity_id in ids], added, changed, refused)


def update_entity(write: Write, name: str, update: EntityUpdate, *, strict: bool) -> UpdatedEntity:
    """Update an entity; its former values stay readable at their time.

    Raises UnknownName for a name that no entity has, BadInput if several have it or for an invalid value; with `strict`
    also for a type outside the ontologies in force.
    """
    tx = write.tx
    wanted = _checked_update(update, write.ontology)
    entity = _the_entity(write, name, wanted.of_type)
    if strict:
        check_types([(entity.name, wanted.type)], write.ontology)
    columns = _new_columns(tx, entity, wanted)
    if wanted.rename is not None and wanted.rename != entity.name:
        columns |= _renamed(tx, entity, wanted.rename)
    _change_aliases(tx, entity, wanted)
    if columns:
        update_entities(tx, [(entity.id, columns)])
    if "name" in columns:
        embed_entities(tx, write.embedders.static, [(entity.id, columns["name"])])
    after = entities_by_id(tx, [entity.id])[entity.id]
    changed = [
        field_name
        for field_name in ("name", "type", "description", "properties", "aliases")
        if getattr(entity, field_name) != getattr(after, field_name)
    ]
    return UpdatedEntity(after, entity.name, changed)


def _declare_names(tx: Writer, given: Sequence[EntityInput], ids: Sequence[int], before: Mapping[int, Entity]) -> None:
    """Store the names as declared by the caller, so that they outlive the documents that contain them."""
    names: list[NewAlias] = []
    for entity, entity_id in zip(given, ids, strict=True):
        own = before[entity_id].name
        names.append(NewAlias(entity_id, own, normal_form(own), "name"))
        norms = {normal_form(own)}
        for name in (name_without_id(entity.name), *entity.aliases):
            if (norm := normal_form(name)) not in norms:
                norms.add(norm)
                names.append(NewAlias(entity_id, name, norm, "alias"))
    _check_free(tx, [name for name in names if name.origin == "alias"], before)
    add_aliases(tx, names)


def _check_free(tx: Reader, aliases: Sequence[NewAlias], entities: Mapping[int, Entity]) -> None:
    """Raise BadInput for an alias that is another entity's own name."""
    matches = match_norms(tx, list(dict.fromkeys(alias.norm for alias in aliases)))
    owners = {match.norm: match for match in reversed(matches) if not match.by_alias}
    for alias in aliases:
        owner = owners.get(alias.norm)
        if owner is not None and owner.entity_id != alias.entity_id:
            other = entity_labels(tx, [owner.entity_id])[owner.entity_id]
            raise BadInput(
                f"'{alias.name}' cannot be an alias of {entities[alias.entity_id].name}:"
                f" {with_type(other)} has that name.",
                MERGE,
            )


def _complete(tx: Writer, given: Sequence[EntityInput], ids: Sequence[int], before: Mapping[int, Entity]) -> None:
    """Store descriptions and properties where there are none."""
    columns: dict[int, dict[str, str]] = {}
    properties = {entity_id: dict(entity.properties) for entity_id, entity in before.items()}
    for entity, entity_id in zip(given, ids, strict=True):
        mine = columns.setdefault(entity_id, {})
        if entity.description and not before[entity_id].description:
            mine.setdefault("description", entity.description)
        if any(key not in properties[entity_id] for key in entity.properties):
            properties[entity_id] = {**entity.properties, **properties[entity_id]}
            mine["properties"] = _properties_json(properties[entity_id], before[entity_id].name)
    update_entities(tx, [(entity_id, changed) for entity_id, changed in columns.items() if changed])


def _the_entity(snapshot: Snapshot, name: str, of_type: str | None) -> Entity:
    heads = link_name(snapshot, name).entities
    chosen = [head for head in heads if of_type is None or type_key(head.type) == type_key(of_type)]
    if not chosen:
        known = [with_type(head) for head in heads]
        raise UnknownName("entity", f"{name} ({of_type})", known, "Give its present type as of_type.")
    if len(chosen) > 1:
        listed = ", ".join(with_type(head) for head in chosen)
        raise BadInput(f"{len(chosen)} entities have the name '{name}': {listed}.", "Choose one with of_type.")
    return entities_by_id(snapshot.tx, [chosen[0].id])[chosen[0].id]


def _new_columns(tx: Reader, entity: Entity, wanted: EntityUpdate) -> dict[str, str]:
    columns: dict[str, str] = {}
    if wanted.type is not None and wanted.type != entity.type:
        for other in match_norms(tx, [normal_form(entity.name)]):
            same = type_key(other.type) == type_key(wanted.type) and not other.by_alias
            if same and other.entity_id != entity.id:
                raise BadInput(f"There is another {wanted.type} named '{entity.name}'.", MERGE)
        columns |= {"type": wanted.type, "type_extractor": AGENT}
    if wanted.description is not None and wanted.description != entity.description:
        columns["description"] = wanted.description
    merged = {key: value for key, value in {**entity.properties, **wanted.properties}.items() if value is not None}
    if merged != entity.properties:
        columns["properties"] = _properties_json(merged, entity.name)
    return columns


def _renamed(tx: Writer, entity: Entity, name: str) -> dict[str, str]:
    """The changed columns of a renamed entity; its old name stays as an alias."""
    old, new = normal_form(entity.name), normal_form(name)
    if others := [match.entity_id for match in match_norms(tx, [new]) if match.entity_id != entity.id]:
        other = entity_labels(tx, others)[others[0]]
        raise BadInput(f"{entity.name} cannot be renamed to '{name}': {with_type(other)} has that name.", MERGE)
    retire_names(tx, entity.id, [new], declared_only=True)
    if old != new:
        own_name_to_alias(tx, entity.id, old)
        add_aliases(tx, [NewAlias(entity.id, entity.name, old, "alias")])
    delete_some_embeddings(tx, "entity", [entity.id])
    add_aliases(tx, [NewAlias(entity.id, name, new, "name")])
    return {"name": name, "norm": new}


def _change_aliases(tx: Writer, entity: Entity, wanted: EntityUpdate) -> None:
    known = {normal_form(alias) for alias in entity.aliases}
    own = normal_form(wanted.rename or entity.name)
    for alias in wanted.aliases_remove:
        if normal_form(alias) == own:
            raise BadInput(f"'{alias}' is the entity's own name.", "Rename it instead.")
        if normal_form(alias) not in known:
            raise UnknownName("alias", alias, entity.aliases, f"These are the aliases of {entity.name}.")
    if wanted.aliases_remove:
        retire_names(tx, entity.id, [normal_form(alias) for alias in wanted.aliases_remove])
    new = [
        NewAlias(entity.id, alias, norm, "alias") for alias in wanted.aliases_add if (norm := normal_form(alias)) != own
    ]
    _check_free(tx, new, {entity.id: entity})
    add_aliases(tx, new)


def _checked(given: EntityInput, ontology: Ontology) -> EntityInput:
    name = clean_line(given.name, "name of an entity")
    type_ = _checked_type(given.type, f"type of {name}", ontology) if given.type else None
    check_properties(given.properties, name)
    aliases = _checked_aliases(given.aliases, name)
    return EntityInput(name, type_, clean_text(given.description, f"description of {name}"), given.properties, aliases)


def _checked_type(type_: str, what: str, ontology: Ontology) -> str:
    return canonical_type(clean_line(type_, what, limit=MAX_PREDICATE), ontology)


def _checked_aliases(aliases: Sequence[str], name: str) -> list[str]:
    if len(aliases) > MAX_ALIASES:
        raise BadInput(f"{name} has {len(aliases)} aliases.", f"Give at most {MAX_ALIASES} at a time.")
    return [clean_line(alias, f"alias of {name}") for alias in aliases]


def _checked_update(update: EntityUpdate, ontology: Ontology) -> EntityUpdate:
    values = (update.rename, update.type, update.description)
    if values == (None, None, None) and not (update.properties or update.aliases_add or update.aliases_remove):
        raise BadInput("The update is empty.", "Give a new name, type, description, properties or aliases.")
    check_properties(update.properties, "the entity")
    return replace(
        update,
        type=None if update.type is None else _checked_type(update.type, "type", ontology),
        rename=None if update.rename is None else clean_line(update.rename, "new name"),
        description=None if update.description is None else clean_text(update.description, "description"),
        aliases_add=_checked_aliases(update.aliases_add, "the entity"),
        aliases_remove=_checked_aliases(update.aliases_remove, "the entity"),
    )


def check_properties(properties: Metadata, name: str) -> None:
    """Raise BadInput for properties of an entity that cannot be stored."""
    for key in properties:
        if not key.strip() or len(key) > MAX_KEY or CONTROL.search(key):
            raise BadInput(
                f"A property of {name} has the key '{key[:40]}'.", f"A key is one line of 1 to {MAX_KEY} characters."
            )
    _properties_json(properties, name)


def _properties_json(properties: Metadata, name: str) -> str:
    """The properties of an entity as they are stored. Raises BadInput for NaN, infinity or too much text."""
    try:
        json.dumps(properties, allow_nan=False, default=str)
    except ValueError as error:
        raise BadInput(f"A property of {name} is no number that JSON has.", "Write it as text.") from error
    written = to_json(properties)
    if len(written) > MAX_TEXT:
        raise BadInput(
            f"The properties of {name} have {len(written)} characters; the most is {MAX_TEXT}.",
            "Ingest long texts as documents.",
        )
    return written
