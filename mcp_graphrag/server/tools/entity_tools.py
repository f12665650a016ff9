"""Entities: find, add and update them."""

from typing import Annotated, Any

from pydantic import Field

from mcp_graphrag.edit.edit_entities import EntityInput, EntityUpdate
from mcp_graphrag.lookup.find_entities import FoundEntity
from mcp_graphrag.model import Entity
from mcp_graphrag.search.quoting import one_line
from mcp_graphrag.server.budget import STORED_HINT, within_budget
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, Cli, Tool
from mcp_graphrag.server.records import Answer, Brief, Clipped, Listing, Rounded, counted, counts_line, properties_text
from mcp_graphrag.server.tools.arguments import AsOf, KnownAt, Name, OptionalType, Record, Strings, when

MAX_ENTITIES = 1_000
MAX_FOUND_ALIASES = 10
MAX_ALIASES = 20  # shown of one stored entity


class EntityOut(Answer):
    """An entity."""

    name: str
    type: str
    triples: int
    score: Rounded
    matched: str
    inferred_types: list[str] = []
    told_apart_by: list[str] = []
    aliases: list[str] = []
    description: Clipped = ""
    properties: Brief = {}
    mentions: int = 0
    values: list[str] = []

    def __str__(self) -> str:
        known = f", also {', '.join(self.aliases)}" if self.aliases else ""
        types = f", inferred: {', '.join(self.inferred_types)}" if self.inferred_types else ""
        about = f"\n    {one_line(self.description)}" if self.description else ""
        about += f"\n    unlike others of the name: {'; '.join(self.told_apart_by)}" if self.told_apart_by else ""
        about += f"\n    {one_line('; '.join(self.values))}" if self.values else ""
        found = (
            f"{counts_line(triple=self.triples, mention=self.mentions)}, {self.matched} match, score {self.score:.3g}"
        )
        return f"{self.name} ({self.type or 'untyped'}{known}): {found}{types}{properties_text(self.properties)}{about}"


class EntitiesAnswer(Listing):
    """Entities, best match first."""

    notes_first = True
    entities: list[EntityOut]

    def _lines(self) -> list[str]:
        return list(map(str, self.entities))


def find_entities(
    call: Call,
    query: Annotated[
        str, Field(description="A name, part of one, or something like it; empty: the best connected."), ARGUMENT
    ] = "",
    type: OptionalType = None,
    limit: Annotated[int, Field(description="Maximum entities.", ge=1, le=100)] = 10,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> EntitiesAnswer:
    """Find which names are stored: by part, alias, spelling or meaning, or the best connected of a type.

    When you are unsure how a thing is called, when a tool does not know a name, or to list all things of a type.
    """
    found = call.graph.find_entities(query, type=type, limit=limit + 1, when=when(as_of, known_at))
    listed, _ = within_budget(map(_entity_out, found[:limit]), call.tokens)
    cut = len(listed) < len(found)
    near = bool(found) and found[0].how in ("fuzzy", "embedding")
    what = "entity of that type is stored yet" if type and not query.strip() else "entity has that name"
    hint = f"No {what}. `brief` shows what there is." if not found else ""
    return EntitiesAnswer(
        entities=listed,
        truncated=cut,
        hint=hint or ("Raise limit or narrow the query." if cut else ""),
        notes=[f"No entity is named '{query}'; the nearest are listed."] if near else [],
    )


def _entity_out(found: FoundEntity) -> EntityOut:
    return EntityOut.of(
        found.entity,
        triples=found.entity.degree,
        score=found.score,
        matched=found.how,
        inferred_types=found.inferred_types,
        told_apart_by=found.told_apart_by,
        aliases=found.entity.aliases[:MAX_FOUND_ALIASES],
        values=list(found.values),
    )


class EntityIn(Record):
    """An entity to store."""

    name: Annotated[str, ARGUMENT]
    type: str | None = None
    description: str = ""
    properties: Annotated[dict[str, Any], Cli("--property")] = {}
    aliases: Annotated[Strings, Cli("--alias")] = []


class StoredOut(Answer):
    """An entity as it is stored."""

    name: str
    type: str
    state: Annotated[str, Field(description="added, completed, updated or known.")]
    aliases: list[str] = []
    description: Clipped = ""
    properties: Brief = {}

    def __str__(self) -> str:
        also = f", also {', '.join(self.aliases)}" if self.aliases else ""
        about = f": {one_line(self.description)}" if self.description else ""
        return f"{self.state}: {self.name} ({self.type or 'untyped'}{also}){about}{properties_text(self.properties)}"


class AddEntitiesAnswer(Listing):
    """What became of the entities: `completed` ones gained a description, property or alias, `known` ones nothing."""

    added: int
    completed: int
    known: int
    entities: list[StoredOut]

    def _lines(self) -> list[str]:
        head = f"{counted(self.added, 'entity')} added, {self.completed} completed, {self.known} known already."
        return [head, *map(str, self.entities)]


def add_entities(
    call: Call,
    entities: Annotated[list[EntityIn], Field(min_length=1, max_length=MAX_ENTITIES, description="The entities.")],
) -> AddEntitiesAnswer:
    """Store entities with type, description, properties and aliases; known ones are completed, never overwritten.

    One name with two types is two entities.
    """
    given = [EntityInput(**dict(each)) for each in entities]
    found = call.graph.add_entities(given, origin=call.origin("add_entities"))
    if found.added:
        call.app.background.embed_soon(call.graph)
    states = dict.fromkeys(found.completed, "completed") | dict.fromkeys(found.added, "added")
    outs = (_stored(each, states.get(each.id, "known")) for each in found.entities)
    listed, cut = within_budget(outs, call.tokens)
    ids = {each.id for each in found.entities}
    return AddEntitiesAnswer(
        added=len(found.added),
        completed=len(found.completed),
        known=len(ids) - len(found.added) - len(found.completed),
        entities=listed,
        truncated=cut,
        notes=list(found.refused),
        hint=STORED_HINT if cut else "",
    )


def _stored(entity: Entity, state: str) -> StoredOut:
    return StoredOut.of(entity, state=state, aliases=entity.aliases[:MAX_ALIASES])


class UpdateEntityAnswer(Answer):
    """An entity after an update."""

    was: Annotated[str, Field(description="Its name before.")]
    changed: list[str]
    entity: StoredOut

    def __str__(self) -> str:
        what = ", ".join(self.changed) or "nothing"
        return f"{self.was}: changed {what}.\n{self.entity}"


def update_entity(
    call: Call,
    entity: Annotated[Name, ARGUMENT],
    rename: Annotated[str | None, Field(description="New name; the old one stays as an alias.")] = None,
    type: Annotated[str | None, Field(description="New type.")] = None,
    description: Annotated[str | None, Field(description="New description.")] = None,
    properties: Annotated[
        dict[str, Any], Field(description="Merged with its own; null removes a key."), Cli("--property")
    ] = {},
    aliases_add: Annotated[Strings, Field(description="More names."), Cli("--add-alias")] = [],
    aliases_remove: Annotated[Strings, Field(description="Names to remove."), Cli("--remove-alias")] = [],
    of_type: Annotated[str | None, Field(description="Its type now, where several have the name.")] = None,
) -> UpdateEntityAnswer:
    """Rename an entity, or change its type, description, properties or aliases. known_at still shows the old ones."""
    update = EntityUpdate(rename, type, description, properties, aliases_add, aliases_remove, of_type)
    found = call.graph.update_entity(entity, update, origin=call.origin("update_entity"))
    if "name" in found.changed:
        call.app.background.embed_soon(call.graph)
    state = "updated" if found.changed else "known"
    return UpdateEntityAnswer(was=found.was, changed=list(found.changed), entity=_stored(found.entity, state))


FIND_ENTITIES = Tool(find_entities, "Find entities", "entities", spans=True, settings=("embedder",))
ADD_ENTITIES = Tool(
    add_entities, "Add entities", "add-entities", "admin", reads=False, needs_file=False, settings=("embedder",)
)
UPDATE_ENTITY = Tool(update_entity, "Update an entity", "update-entity", "admin", reads=False, settings=("embedder",))
