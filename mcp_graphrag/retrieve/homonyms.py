"""Exactly one entity by name: homonyms are told apart by their type."""

import re
from collections.abc import Sequence

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.retrieve.entities import link_name
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.entities import EntityHead, type_key

TYPED = re.compile(r"(?P<name>.+?)\s*\((?P<type>[^()]+)\)\s*")
UNTYPED = "untyped"


def sole_entity(store: Store, tx: Reader, name: str) -> EntityHead:
    """The one entity of a name or alias, written "Name (Type)" where several bear it.

    Raises UnknownName with the nearest names, BadInput that lists the bearers where they are several.
    """
    return sole_of(entities_named(store, tx, name), name)


def entities_named(store: Store, tx: Reader, name: str) -> Sequence[EntityHead]:
    """The entities of a name or alias; of "Name (Type)" those of the type, if nothing bears all of that as its name."""
    try:
        return link_name(store, tx, name).entities
    except UnknownName:
        typed = TYPED.fullmatch(name)
        if typed is None:
            raise
        found = link_name(store, tx, typed["name"]).entities
        fitting = [each for each in found if _is_of(each, typed["type"])]
        if not fitting:
            raise UnknownName("entity", name, [shown(each) for each in found]) from None
        return fitting


def sole_of(found: Sequence[EntityHead], name: str) -> EntityHead:
    """The only one of what was found. Raises BadInput that lists them where they are several."""
    if len(found) > 1:
        listed = ", ".join(sorted(shown(each) for each in found))
        raise BadInput(f"{len(found)} entities bear the name '{name}': {listed}.", "Give the name with its type.")
    return found[0]


def shown(entity: EntityHead) -> str:
    """An entity as it is named where its type matters."""
    return f"{entity.name} ({entity.type or UNTYPED})"


def _is_of(entity: EntityHead, type_: str) -> bool:
    return type_key(entity.type or UNTYPED) == type_key(type_)
