"""The tools that learn from outcomes, and that declare and reword entities."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from mcp_graphrag.model import Entity
from mcp_graphrag.pipeline import entities, outcomes
from mcp_graphrag.pipeline.outcome_names import Kind, Outcome
from mcp_graphrag.server.answers.memory import (
    AddEntitiesAnswer,
    DeclaredOut,
    KnownFixOut,
    OutcomeAnswer,
    RaisedOut,
    SimilarErrorOut,
    UpdateEntityAnswer,
)
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.shape import LONGEST_VALUE, brief, clipped, triple_out, triple_text, within_budget
from mcp_graphrag.server.tools.arguments import Name, OptionalType, Strings

MOST_ENTITIES = 1_000
MOST_ALIASES = 20  # shown of one entity


class EntityIn(BaseModel):
    """An entity to store."""

    model_config = ConfigDict(extra="forbid")

    name: str
    type: str | None = None
    description: str = ""
    properties: dict[str, Any] = {}
    aliases: Strings = []


def record_outcome(
    call: Call,
    error: Annotated[str, Field(description="Its text, or a name as in error:timeout.")] = "",
    tool: Annotated[str, Field(description="The tool or action that failed.")] = "",
    session: Annotated[str, Field(description="Name of your session or task.")] = "",
    fix: Annotated[str, Field(description="What resolved the error.")] = "",
    outcome: Annotated[
        Kind | None, Field(description="Left out: fixed if there is a fix, else failure. success: a fix worked again.")
    ] = None,
    context: Annotated[str, Field(description="What was tried or seen.")] = "",
    metadata: Annotated[dict[str, Any], Field(description="Pairs to keep.")] = {},  # noqa: B006  (pydantic copies it)
) -> OutcomeAnswer:
    """Learn from errors: record what failed, then what fixed it, then that it worked again.

    Answers how this and similar errors were solved before. Call it when something fails.
    """
    kind: Kind = outcome or ("fixed" if fix.strip() else "failure")
    told = Outcome(error, tool, session, fix, kind, context, metadata)
    found = outcomes.record_outcome(call.pipeline, told, call.origin("record_outcome"))
    if found.document:
        call.app.background.embed_soon()
    third = call.tokens // 3
    fixes, fewer_fixes = within_budget((_known_fix(each) for each in found.fixes), third)
    triples, fewer_triples = within_budget((triple_out(each) for each in found.triples), third)
    raised, fewer_raised = within_budget((_raised(each) for each in found.raised), third)
    cut = fewer_fixes or fewer_triples or fewer_raised
    similar = [
        SimilarErrorOut(
            error=each.name,
            similarity=round(each.similarity, 3),
            description=clipped(each.description, LONGEST_VALUE // 8)[0],
        )
        for each in found.similar
    ]
    untried = f"Once it works, record it with fix: error {found.error}." if kind == "failure" and not fixes else ""
    known = "Try a known fix; if it works, record outcome success with it." if kind == "failure" and fixes else ""
    return OutcomeAnswer(
        outcome=found.kind,
        error=found.error,
        added=len(found.new),
        entities_added=found.entities_added,
        known_fixes=fixes,
        similar=similar,
        triples=triples,
        raised=raised,
        document=found.document,
        notes=list(found.notes),
        truncated=cut,
        hint="get_neighbourhood of the error shows the rest." if cut else untried or known,
    )


def _known_fix(found: outcomes.KnownFix) -> KnownFixOut:
    evidence = next((each for each in found.triple.evidence if each.citation), None)
    return KnownFixOut(
        fix=found.triple.object,
        error=found.triple.subject,
        similarity=round(found.similarity, 3),
        confidence=found.triple.confidence,
        chunk=evidence.citation if evidence else "",
    )


def _raised(found: outcomes.Raised) -> RaisedOut:
    return RaisedOut(
        triple=triple_text(found.triple),
        before=round(found.before, 4),
        confidence=found.triple.confidence,
        directly=found.directly,
    )


def add_entities(
    call: Call,
    entities: Annotated[list[EntityIn], Field(description="The things.", min_length=1, max_length=MOST_ENTITIES)],
) -> AddEntitiesAnswer:
    """Store things with type, description, properties and aliases. Known ones are completed, never overwritten.

    One name with two types is two things.
    """
    given = [_given(each) for each in entities]
    found = _add(call, given)
    outs = (_declared(each, _state(found, each.id)) for each in found.entities)
    listed, cut = within_budget(outs, call.tokens)
    ids = {each.id for each in found.entities}
    return AddEntitiesAnswer(
        added=len(found.added),
        completed=len(found.completed),
        known=len(ids) - len(found.added) - len(found.completed),
        entities=listed,
        truncated=cut,
        hint="All are stored; the answer shows the first of them." if cut else "",
    )


def _add(call: Call, given: list[entities.EntityGiven]) -> entities.Declared:
    found = entities.add_entities(call.pipeline, given, call.origin("add_entities"))
    if found.added:
        call.app.background.embed_soon()
    return found


def _given(each: EntityIn) -> entities.EntityGiven:
    return entities.EntityGiven(each.name, each.type, each.description, each.properties, each.aliases)


def _state(found: entities.Declared, entity_id: int) -> str:
    return "added" if entity_id in found.added else "completed" if entity_id in found.completed else "known"


def update_entity(
    call: Call,
    entity: Name,
    rename: Annotated[str | None, Field(description="Its new name; the old one stays as an alias.")] = None,
    type: Annotated[str | None, Field(description="Its new type.")] = None,
    description: Annotated[str | None, Field(description="Its new description.")] = None,
    properties: Annotated[dict[str, Any], Field(description="Merged with its own; null removes a key.")] = {},  # noqa: B006
    aliases_add: Annotated[Strings, Field(description="More names.")] = [],  # noqa: B006
    aliases_remove: Annotated[Strings, Field(description="Names that it has no more.")] = [],  # noqa: B006
    of_type: OptionalType = None,
) -> UpdateEntityAnswer:
    """Correct an entity: rename it, change its words, properties or aliases. known_at still shows the old ones.

    of_type says which one is meant where several bear the name.
    """
    update = entities.Update(rename, type, description, properties, aliases_add, aliases_remove, of_type)
    found = entities.update_entity(call.pipeline, entity, update, call.origin("update_entity"))
    if "name" in found.changed:
        call.app.background.embed_soon()
    state = "updated" if found.changed else "known"
    return UpdateEntityAnswer(was=found.was, changed=list(found.changed), entity=_declared(found.entity, state))


def _declared(entity: Entity, state: str) -> DeclaredOut:
    return DeclaredOut(
        name=entity.name,
        type=entity.type,
        state=state,
        aliases=list(entity.aliases)[:MOST_ALIASES],
        description=clipped(entity.description, LONGEST_VALUE)[0],
        properties=brief(entity.properties),
    )
