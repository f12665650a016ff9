"""Entities that a caller declares, completes or rewords: checked whole, then stored in one transaction.

A declared entity outlives the documents that name it. Nothing is overwritten: the words before an update stay readable
at the time at which they were known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.index.norms import normal_form
from mcp_graphrag.model import Entity, Metadata, Origin
from mcp_graphrag.pipeline.embed import embed_entities
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.pipeline.triples import CALLER, LONGEST_PREDICATE
from mcp_graphrag.pipeline.vocabulary import check_types, spelled
from mcp_graphrag.pipeline.words import check_properties, clean_line, clean_text, properties_json
from mcp_graphrag.resolve.entities import Group, resolve_names
from mcp_graphrag.resolve.vocabulary import canonical_type
from mcp_graphrag.retrieve.entities import link_name
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.embeddings import forget_entity_embeddings
from mcp_graphrag.store.entities import (
    NewAlias,
    add_aliases,
    entities_by_id,
    match_norms,
    rename_to_alias,
    retire_names,
    type_key,
)
from mcp_graphrag.store.history import reword_entities

MOST_ALIASES = 100


@dataclass(frozen=True)
class EntityGiven:
    """An entity as a caller describes it."""

    name: str
    type: str | None = None
    description: str = ""
    properties: Metadata = field(default_factory=dict[str, Any])
    aliases: Sequence[str] = ()


@dataclass(frozen=True)
class Declared:
    """What became of the entities that were given: one a name, in order.

    `added` are the ids of those that are new, `completed` of those that gained a word, a property or a name.
    """

    entities: Sequence[Entity]
    added: frozenset[int]
    completed: frozenset[int]


@dataclass(frozen=True)
class Update:
    """New words for an entity; None leaves one as it is. Properties are merged, and None removes a key.

    `of_type` says which one is meant where several entities bear the name.
    """

    rename: str | None = None
    type: str | None = None
    description: str | None = None
    properties: Metadata = field(default_factory=dict[str, Any])
    aliases_add: Sequence[str] = ()
    aliases_remove: Sequence[str] = ()
    of_type: str | None = None


@dataclass(frozen=True)
class Updated:
    """An entity after an update, its name before, and the words that changed."""

    entity: Entity
    was: str
    changed: Sequence[str]


def add_entities(pipeline: Pipeline, given: Sequence[EntityGiven], origin: Origin) -> Declared:
    """Make the entities, or complete those that are known: what they have already is kept.

    Raises BadInput, naming the entity, for one that cannot be stored; then nothing is.
    """
    checked = [_checked(each) for each in given]
    with pipeline.writing(origin) as tx:
        names = spelled([(each.name, each.type) for each in checked], pipeline.ontology(tx))
        if pipeline.settings.strict:
            check_types(names, pipeline.ontology(tx))
        resolved = resolve_names(tx, [Group(names)], CALLER)
        ids = [resolved.ids[0][named] for named in names]
        before = entities_by_id(tx, ids)
        _declare_names(tx, checked, ids, before)
        _complete(tx, checked, ids, before)
        embed_entities(tx, pipeline.embedder, resolved.fresh)
        after = entities_by_id(tx, ids)
    added = frozenset(entity_id for entity_id, _ in resolved.fresh)
    changed = frozenset(each for each in ids if each not in added and after[each] != before[each])
    return Declared([after[each] for each in ids], added, changed)


def update_entity(pipeline: Pipeline, name: str, update: Update, origin: Origin) -> Updated:
    """Give an entity other words; those before stay known at their time.

    Raises UnknownName for a name that nothing bears, BadInput where several do, or where an update cannot be.
    """
    wanted = _checked_update(update)
    with pipeline.writing(origin) as tx:
        entity = _the_entity(pipeline, tx, name, wanted.of_type)
        type_ = canonical_type(wanted.type, pipeline.ontology(tx)) if wanted.type else None
        if pipeline.settings.strict:
            check_types([(entity.name, type_)], pipeline.ontology(tx))
        words = _words(tx, entity, replace(wanted, type=type_))
        if wanted.rename is not None and wanted.rename != entity.name:
            words |= _renamed(tx, entity, wanted.rename)
        _change_aliases(tx, entity, wanted)
        if words:
            reword_entities(tx, [(entity.id, words)])
        if "name" in words:
            embed_entities(tx, pipeline.embedder, [(entity.id, words["name"])])
        after = entities_by_id(tx, [entity.id])[entity.id]
    changed = [
        each
        for each in ("name", "type", "description", "properties", "aliases")
        if getattr(entity, each) != getattr(after, each)
    ]
    return Updated(after, entity.name, changed)


def _declare_names(tx: Writer, given: Sequence[EntityGiven], ids: Sequence[int], before: Mapping[int, Entity]) -> None:
    """Store the names as the caller's own, so that they outlive what documents say."""
    names: list[NewAlias] = []
    for each, entity_id in zip(given, ids, strict=True):
        own = before[entity_id].name
        origins = {normal_form(own): "name"}
        names.append(NewAlias(entity_id, own, normal_form(own), "name"))
        for name in (each.name, *each.aliases):
            norm = normal_form(name)
            if norm not in origins:
                origins[norm] = "alias"
                names.append(NewAlias(entity_id, name, norm, "alias"))
    _check_free(tx, [each for each in names if each.origin == "alias"], before)
    add_aliases(tx, names)


def _check_free(tx: Reader, aliases: Sequence[NewAlias], entities: Mapping[int, Entity]) -> None:
    """Raise BadInput for an alias that is another entity's own name."""
    matches = match_norms(tx, list(dict.fromkeys(each.norm for each in aliases)))
    bearers = {match.norm: match for match in reversed(matches) if not match.by_alias}
    for each in aliases:
        bearer = bearers.get(each.norm)
        if bearer is not None and bearer.entity_id != each.entity_id:
            other = entities_by_id(tx, [bearer.entity_id])[bearer.entity_id]
            mine = entities[each.entity_id].name
            raise BadInput(
                f"'{each.name}' cannot be an alias of {mine}: {_called(other)} bears that name.",
                "Merge the two if they are one thing.",
            )


def _complete(tx: Writer, given: Sequence[EntityGiven], ids: Sequence[int], before: Mapping[int, Entity]) -> None:
    """Fill in descriptions and properties where there are none."""
    words: dict[int, dict[str, str]] = {}
    properties = {entity_id: dict(entity.properties) for entity_id, entity in before.items()}
    for each, entity_id in zip(given, ids, strict=True):
        mine = words.setdefault(entity_id, {})
        if each.description and not before[entity_id].description:
            mine.setdefault("description", each.description)
        if any(key not in properties[entity_id] for key in each.properties):
            properties[entity_id] = {**each.properties, **properties[entity_id]}
            mine["properties"] = properties_json(properties[entity_id], before[entity_id].name)
    reword_entities(tx, [(entity_id, each) for entity_id, each in words.items() if each])


def _the_entity(pipeline: Pipeline, tx: Reader, name: str, of_type: str | None) -> Entity:
    heads = link_name(pipeline.store, tx, name).entities
    chosen = [each for each in heads if of_type is None or type_key(each.type) == type_key(of_type)]
    if not chosen:
        known = [f"{each.name} ({each.type or 'untyped'})" for each in heads]
        raise UnknownName("entity", f"{name} ({of_type})", known, "Give the type that it has now.")
    if len(chosen) > 1:
        listed = ", ".join(f"{each.name} ({each.type or 'untyped'})" for each in chosen)
        raise BadInput(f"{len(chosen)} entities bear the name '{name}': {listed}.", "Say which with of_type.")
    return entities_by_id(tx, [chosen[0].id])[chosen[0].id]


def _called(entity: Entity) -> str:
    return f"{entity.name} ({entity.type or 'untyped'})"


def _words(tx: Reader, entity: Entity, wanted: Update) -> dict[str, str]:
    words: dict[str, str] = {}
    if wanted.type is not None and wanted.type != entity.type:
        for other in match_norms(tx, [normal_form(entity.name)]):
            same = type_key(other.type) == type_key(wanted.type) and not other.by_alias
            if same and other.entity_id != entity.id:
                raise BadInput(
                    f"There is another {wanted.type} named '{entity.name}'.", "Merge the two if they are one thing."
                )
        words |= {"type": wanted.type, "type_extractor": CALLER}
    if wanted.description is not None and wanted.description != entity.description:
        words["description"] = wanted.description
    merged = {key: value for key, value in {**entity.properties, **wanted.properties}.items() if value is not None}
    if merged != entity.properties:
        words["properties"] = properties_json(merged, entity.name)
    return words


def _renamed(tx: Writer, entity: Entity, name: str) -> dict[str, str]:
    """The words of a renamed entity; its old name stays as an alias."""
    old, new = normal_form(entity.name), normal_form(name)
    if others := [each.entity_id for each in match_norms(tx, [new]) if each.entity_id != entity.id]:
        other = entities_by_id(tx, others[:1])[others[0]]
        raise BadInput(
            f"{entity.name} cannot be renamed to '{name}': {_called(other)} bears that name.",
            "Merge the two if they are one thing.",
        )
    retire_names(tx, entity.id, [new], declared_only=True)
    if old != new:
        rename_to_alias(tx, entity.id, old)
        add_aliases(tx, [NewAlias(entity.id, entity.name, old, "alias")])
    forget_entity_embeddings(tx, [entity.id])
    add_aliases(tx, [NewAlias(entity.id, name, new, "name")])
    return {"name": name, "norm": new}


def _change_aliases(tx: Writer, entity: Entity, wanted: Update) -> None:
    known = {normal_form(each) for each in entity.aliases}
    own = normal_form(wanted.rename or entity.name)
    for each in wanted.aliases_remove:
        if normal_form(each) == own:
            raise BadInput(f"'{each}' is the entity's own name.", "Rename it instead.")
        if normal_form(each) not in known:
            raise UnknownName("alias", each, entity.aliases, f"These are the aliases of {entity.name}.")
    if wanted.aliases_remove:
        retire_names(tx, entity.id, [normal_form(each) for each in wanted.aliases_remove])
    new = [
        NewAlias(entity.id, each, normal_form(each), "alias") for each in wanted.aliases_add if normal_form(each) != own
    ]
    _check_free(tx, new, {entity.id: entity})
    add_aliases(tx, new)


def _checked(given: EntityGiven) -> EntityGiven:
    name = clean_line(given.name, "name of an entity")
    type_ = clean_line(given.type, f"type of {name}", LONGEST_PREDICATE) if given.type else None
    check_properties(given.properties, name)
    aliases = _checked_aliases(given.aliases, name)
    return EntityGiven(name, type_, clean_text(given.description, f"description of {name}"), given.properties, aliases)


def _checked_aliases(aliases: Sequence[str], name: str) -> list[str]:
    if len(aliases) > MOST_ALIASES:
        raise BadInput(f"{name} has {len(aliases)} aliases.", f"Give at most {MOST_ALIASES} at a time.")
    return [clean_line(each, f"alias of {name}") for each in aliases]


def _checked_update(update: Update) -> Update:
    words = (update.rename, update.type, update.description)
    if words == (None, None, None) and not (update.properties or update.aliases_add or update.aliases_remove):
        raise BadInput("The update says nothing.", "Give a new name, type, description, properties or aliases.")
    check_properties(update.properties, "the entity")
    type_ = None if update.type is None else clean_line(update.type, "type", LONGEST_PREDICATE)
    return Update(
        None if update.rename is None else clean_line(update.rename, "new name"),
        type_,
        None if update.description is None else clean_text(update.description, "description"),
        update.properties,
        _checked_aliases(update.aliases_add, "the entity"),
        _checked_aliases(update.aliases_remove, "the entity"),
        update.of_type,
    )
