"""Names and types of entities after a document was removed: those that the other documents give them.

An entity whose names only that document joined is split. The result is as if the document had never been ingested.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.ontology.ontology import Ontology
from mcp_graphrag.resolve.detect_conflicts import reconcile_conflicts
from mcp_graphrag.resolve.resolve_entities import AGENT, NO_DOCUMENT, TRUST
from mcp_graphrag.resolve.separate_homonyms import separate_homonyms
from mcp_graphrag.store.changes.reconcile import (
    ActiveName,
    EntityRow,
    NameUse,
    active_entities,
    active_names,
    move_names,
    name_uses,
    retire_stale_names,
)
from mcp_graphrag.store.changes.removal import retire_unsupported_entities
from mcp_graphrag.store.engine.transaction import Writer
from mcp_graphrag.store.rows.embedding_rows import delete_some_embeddings
from mcp_graphrag.store.rows.entity_rows import NewAlias, NewEntity, add_aliases, add_entities, update_entities


class _Changes(NamedTuple):
    """New names and values of entities, which are written together."""

    aliases: list[NewAlias]
    updates: list[tuple[int, dict[str, str]]]


def reconcile(tx: Writer, entity_ids: Iterable[int]) -> int:
    """How many of the entities were retired because nothing supports them; embeddings of old names are deleted.

    To be called with the entities that a document mentioned or named, after it is out of force.
    """
    wanted = {int(entity_id) for entity_id in entity_ids}
    if not wanted:
        return 0
    wanted |= separate_homonyms(tx, wanted)
    pruned = retire_unsupported_entities(tx, wanted)
    left = wanted.difference(pruned)
    if not left:
        return len(pruned)
    retire_stale_names(tx, left)
    uses: dict[int, list[NameUse]] = {entity_id: [] for entity_id in left}
    for use in name_uses(tx, left):
        uses[use.entity_id].append(use)
    names: dict[int, list[ActiveName]] = {entity_id: [] for entity_id in left}
    for name in active_names(tx, left):
        names[name.entity_id].append(name)
    renamed: list[int] = []
    changes = _Changes([], [])
    for words in active_entities(tx, left):
        renamed += _reconcile_one(tx, words, uses[words.entity_id], names[words.entity_id], changes)
    add_aliases(tx, changes.aliases)
    update_entities(tx, changes.updates)
    delete_some_embeddings(tx, "entity", renamed)
    return len(pruned)


def reconcile_homonyms(tx: Writer, entity_ids: Iterable[int]) -> bool:
    """Give each person with the names of entities that were just mentioned an entity; whether anything was moved."""
    moved = separate_homonyms(tx, entity_ids)
    reconcile(tx, moved)
    return bool(moved)


def reconcile_entities(tx: Writer, ontology: Ontology, entity_ids: Iterable[int]) -> int:
    """How many of the entities of replaced documents were retired; conflicts are updated too."""
    pruned = reconcile(tx, entity_ids)
    reconcile_conflicts(tx, ontology)
    return pruned


def _reconcile_one(
    tx: Writer, words: EntityRow, uses: Sequence[NameUse], names: Sequence[ActiveName], changes: _Changes
) -> list[int]:
    """The ids of the entities that are new or renamed."""
    by_norm: dict[str, list[NameUse]] = {}
    for use in uses:
        by_norm.setdefault(normal_form(use.name), []).append(use)
    linked = {name.norm for name in names}
    is_named = any(name.norm == words.norm and name.origin == "name" for name in names)
    own = words.norm if is_named else _own_form(words, by_norm, linked)
    # A name that is short for another in a document tells nothing about the type of the entity.
    short = {(name.norm, name.said_in) for name in names if name.origin != "name"}
    typing = [
        use
        for use in uses
        if (norm := normal_form(use.name)) == own or (norm in linked and (norm, use.document_id) not in short)
    ]
    own_use = next(iter(by_norm.get(own, ())), None)
    name = words.name if is_named or own_use is None else own_use.name
    type_, extractor = _type_of(words, typing)
    now = replace(words, name=name, norm=own, type=type_, type_extractor=extractor)
    changed = {key: value for key, value in vars(now).items() if value != getattr(words, key)}
    if changed:
        changes.updates.append((words.entity_id, changed))
    renamed = [words.entity_id] if "name" in changed else []
    if not is_named:
        said_in = (own_use.document_id if own_use else None) or NO_DOCUMENT
        changes.aliases.append(NewAlias(words.entity_id, name, own, "name", said_in=said_in))
    for norm, of_norm in by_norm.items():
        if norm != own and norm not in linked:
            renamed.append(_set_apart(tx, words.entity_id, norm, of_norm))
    return renamed


def _own_form(words: EntityRow, by_norm: Mapping[str, Sequence[NameUse]], linked: Set[str]) -> str:
    """The normal form of the new name of the entity: the old one if it is in use, else the first that is no alias.

    Evidence without names uses the old one.
    """
    if words.norm in by_norm and words.norm not in linked:
        return words.norm
    return next((norm for norm in by_norm if norm not in linked), next(iter(by_norm), words.norm))


def _type_of(words: EntityRow, uses: Sequence[NameUse]) -> tuple[str, str]:
    """The type from the most trusted use, the earliest among equals; a type from a caller stays."""
    if words.type_extractor == AGENT:
        return words.type, words.type_extractor
    typed = [use for use in uses if use.type]
    best = max(typed, key=lambda use: TRUST.get(use.extractor, 0), default=None)
    return (best.type or "", best.extractor) if best else ("", "")


def _set_apart(tx: Writer, entity_id: int, norm: str, uses: Sequence[NameUse]) -> int:
    """A new entity for mentions and triples with a name that nothing joins to this entity any more."""
    first = uses[0]
    type_, extractor = _type_of(EntityRow(0, first.name, norm, "", ""), uses)
    entity = NewEntity(first.name, norm, type_, extractor, said_in=first.document_id or NO_DOCUMENT)
    (new_id,) = add_entities(tx, [entity]).tolist()
    move_names(tx, entity_id, new_id, list(dict.fromkeys(use.name for use in uses)))
    return new_id
