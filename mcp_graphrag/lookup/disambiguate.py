"""Exactly one entity by name; its type distinguishes it from others of that name."""

from collections.abc import Sequence

from mcp_graphrag.errors import BadInput
from mcp_graphrag.lookup.find_entities import link_name, with_type
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.entity_rows import EntityLabel


def single_entity(snapshot: Snapshot, name: str) -> EntityLabel:
    """The one entity with a name or alias, written as "Name (Type)" if several have it.

    Raises UnknownName with the nearest names, BadInput that lists the entities if there are several.
    """
    return require_single(entities_named(snapshot, name), name)


def entities_named(snapshot: Snapshot, name: str) -> Sequence[EntityLabel]:
    """The entities with a name, or else with such an alias; for "Name (Type)" those of the type."""
    return link_name(snapshot, name, names_first=True).entities


def require_single(found: Sequence[EntityLabel], name: str) -> EntityLabel:
    """The only entity that was found. Raises BadInput that lists them if there are several."""
    if len(found) > 1:
        listed = ", ".join(sorted(with_type(entity) for entity in found))
        raise BadInput(f"{len(found)} entities have the name '{name}': {listed}.", "Give the name with its type.")
    return found[0]


__all__ = ["entities_named", "require_single", "single_entity", "with_type"]
