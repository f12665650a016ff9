"""The tools that keep the graph in order: what supports what, removal, undo, and looking back."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.errors import BadInput
from mcp_graphrag.pipeline import remove as removal
from mcp_graphrag.pipeline import undo as undoing
from mcp_graphrag.pipeline.triples import parse_time
from mcp_graphrag.retrieve import history as past
from mcp_graphrag.server.answers.curating import (
    DifferenceAnswer,
    DocumentsAnswer,
    HappenedOut,
    HistoryAnswer,
    OperationOut,
    RemovedAnswer,
    SupportingOut,
    UndoneAnswer,
)
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.shape import (
    document_out,
    instant,
    moment,
    read_cursor,
    triple_out,
    within_budget,
    write_cursor,
)
from mcp_graphrag.server.tools.arguments import Name, OptionalName

Limit = Annotated[int, Field(description="Most of them.", ge=1, le=500)]
Cursor = Annotated[str | None, Field(description="next_cursor of the answer before.")]


def documents(call: Call, limit: Limit = 20, cursor: Cursor = None) -> DocumentsAnswer:
    """List the documents in force, each with what it supports, and what would go if it were removed."""
    after = read_cursor(cursor or "", ["documents"])
    found = removal.list_documents(call.pipeline, after=after, limit=limit + 1)
    outs = (
        SupportingOut(
            document=document_out(each.document),
            chunks=each.chunks,
            entities=each.entities,
            triples=each.triples,
            triples_alone=each.triples_alone,
        )
        for each in found[:limit]
    )
    listed, _ = within_budget(outs, call.tokens)
    more = len(listed) < len(found)
    return DocumentsAnswer(
        documents=listed,
        truncated=more,
        next_cursor=write_cursor(found[len(listed) - 1].document.id, ["documents"]) if more else "",
        hint="There are more: pass next_cursor as cursor." if more else "" if found else "No document is stored.",
    )


def remove(
    call: Call,
    document: Annotated[str | None, Field(description="Uri or title of a document.")] = None,
    entity: OptionalName = None,
    subject: OptionalName = None,
    predicate: Annotated[str | None, Field(description="With subject and object: a triple.")] = None,
    object: OptionalName = None,
    purge: Annotated[bool, Field(description="For good: no undo, no looking back.")] = False,  # noqa: FBT002
) -> RemovedAnswer:
    """Remove a document, an entity or a triple, with all that it alone supported; undo takes it back unless purged."""
    triple = (subject, predicate, object)
    if any(triple) and not all(triple):
        raise BadInput("A triple has three parts.", "Give subject, predicate and object.")
    named = (subject or "", predicate or "", object or "") if all(triple) else None
    wanted = removal.Removal(document, entity, named, purge=purge)
    gone = removal.remove(call.pipeline, wanted, call.origin("remove"))
    return RemovedAnswer(
        documents=gone.documents,
        chunks=gone.chunks,
        entities=gone.entities,
        triples=gone.triples,
        purged=purge,
        hint="" if purge else "undo takes it back.",
    )


def undo(
    call: Call,
    operations: Annotated[int, Field(description="How many of the last operations.", ge=1, le=100)] = 1,
) -> UndoneAnswer:
    """Take back the last operations, whoever made them: a call or a job each. Look at history or diff first."""
    found = undoing.undo(call.pipeline, call.origin("undo"), operations=operations)
    return UndoneAnswer(
        undone=[
            OperationOut(operation=each.id, tool=each.tool, client=each.client, at=instant(each.recorded_at))
            for each in found
        ]
    )


def diff(
    call: Call,
    since: Annotated[str, Field(description="ISO time: what was known then.", min_length=1)],
    until: Annotated[str | None, Field(description="ISO time to compare with; now, if absent.")] = None,
    limit: Limit = 50,
) -> DifferenceAnswer:
    """Compare what was known at two moments: facts, entities and documents learned and given up in between."""
    newer = parse_time(until, "until") if until else None
    with call.pipeline.reading():
        found = past.diff(call.pipeline.store, since=parse_time(since, "since"), until=newer, limit=limit)
    added, fewer = within_budget((triple_out(each) for each in found.triples_added), call.tokens // 3)
    removed, less = within_budget((triple_out(each) for each in found.triples_removed), call.tokens // 3)
    names = {
        "entities_added": found.entities_added,
        "entities_removed": found.entities_removed,
        "documents_added": found.documents_added,
        "documents_removed": found.documents_removed,
    }
    most = max(call.tokens // 120, 1)
    shortened = any(len(each) > most for each in names.values())
    cut = fewer or less or shortened or found.total_added > len(added) or found.total_removed > len(removed)
    return DifferenceAnswer(
        since=instant(found.since),
        until=instant(found.until),
        added=found.total_added,
        removed=found.total_removed,
        triples_added=added,
        triples_removed=removed,
        **{what: list(each[:most]) for what, each in names.items()},
        truncated=cut,
        hint="There is more: compare a shorter span, or raise limit." if cut else "",
    )


def history(call: Call, entity: Name, limit: Limit = 50, cursor: Cursor = None) -> HistoryAnswer:
    """See what happened to an entity, the newest first: facts, names, types, merges, and who changed them."""
    asked = ["history", entity]
    after = read_cursor(cursor or "", asked)
    with call.pipeline.reading():
        found = past.history(call.pipeline.store, entity, limit=limit, after=after)
    outs = (
        HappenedOut(
            at=instant(each.recorded_at),
            what=each.what,
            tool=each.tool,
            client=each.client,
            operation=each.operation,
            undone=each.undone,
            valid_from=moment(each.triple.valid_from) if each.triple else "",
            valid_to=moment(each.triple.valid_to) if each.triple else "",
        )
        for each in found.events
    )
    listed, cut = within_budget(outs, call.tokens)
    following = found.marks[len(listed) - 1] if cut else found.next_after
    return HistoryAnswer(
        entity=found.entity.name,
        type=found.entity.type,
        events=listed,
        truncated=following is not None,
        next_cursor=write_cursor(following, asked) if following is not None else "",
    )
