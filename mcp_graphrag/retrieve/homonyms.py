"""Exactly one entity by name: homonyms are told apart by their type."""

from collections.abc import Sequence

from mcp_graphrag.errors import BadInput
from mcp_graphrag.retrieve.entities import UNTYPED, link_name
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.entities import EntityHead


def sole_entity(store: Store, tx: Reader, name: str) -> EntityHead:
    """The one entity of a name or alias, written "Name (Type)" where several bear it.

    Raises UnknownName with the nearest names, BadInput that lists the bearers where they are several.
    """
    return sole_of(entities_named(store, tx, name), name)


def entities_named(store: Store, tx: Reader, name: str) -> Sequence[EntityHead]:
    """The entities of a name, or of an alias; of "Name (Type)" those of the type, if nothing is called all of that."""
    return link_name(store, tx, name, own_first=True).entities


def sole_of(found: Sequence[EntityHead], name: str) -> EntityHead:
    """The only one of what was found. Raises BadInput that lists them where they are several."""
    if len(found) > 1:
        listed = ", ".join(sorted(shown(each) for each in found))
        raise BadInput(f"{len(found)} entities bear the name '{name}': {listed}.", "Give the name with its type.")
    return found[0]


def shown(entity: EntityHead) -> str:
    """An entity as it is named where its type matters."""
    return f"{entity.name} ({entity.type or UNTYPED})"
