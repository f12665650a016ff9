"""Forget: remove what is stored, or take back the last operations."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Counts
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.records import Answer, Instant, counts_line
from mcp_graphrag.server.tools.arguments import OptionalName

TAKEN_BACK = "`forget` with undo 1 takes it back."


class OperationOut(Answer):
    """One call or job that wrote."""

    operation: int
    tool: str
    client: str
    at: Instant

    def __str__(self) -> str:
        return f"operation {self.operation}: {self.tool} by {self.client} at {self.at}"


class ForgetAnswer(Answer):
    """Counts of what was removed, or the operations that were undone."""

    documents: int = 0
    chunks: int = 0
    entities: int = 0
    triples: int = 0
    values: int = 0
    purged: bool = False
    undone: list[OperationOut] = []
    hint: str = ""

    def __str__(self) -> str:
        if self.undone:
            return "\n".join(["Undone:", *(f"  {each}" for each in self.undone)])
        how = "for good" if self.purged else "out of force"
        removed = counts_line(document=self.documents, chunk=self.chunks, entity=self.entities, triple=self.triples)
        removed += f", {counts_line(value=self.values)}" if self.values else ""
        return f"Removed {how}: {removed}. {self.hint}".strip()


def forget(
    call: Call,
    document: Annotated[str | None, Field(description="Uri or title of a document.")] = None,
    entity: OptionalName = None,
    subject: Annotated[str | None, Field(description="With predicate and object: a triple.")] = None,
    predicate: Annotated[str | None, Field(description="Predicate of the triple.")] = None,
    object: Annotated[str | None, Field(description="Object of the triple.")] = None,
    undo: Annotated[int, Field(description="Instead, undo so many of the last operations.", ge=0, le=100)] = 0,
    purge: Annotated[bool, Field(description="Remove for good: no undo, no looking back.")] = False,
) -> ForgetAnswer:
    """Remove a document, an entity or a triple with all that it alone supported; or undo the last operations.

    For what is wrong or must go. A value that has changed is corrected by `add_triples` with replace.
    """
    triple = (subject, predicate, object)
    if any(triple) and not all(triple):
        raise BadInput("A triple has three parts.", "Give subject, predicate and object.")
    if undo and (document or entity or any(triple) or purge):
        raise BadInput("Both undo and what to remove were given.", "Give the one or the other.")
    if undo:
        found = call.graph.undo(undo, origin=call.origin("undo"))
        return ForgetAnswer(undone=[OperationOut.of(each, operation=each.id, at=each.recorded_at) for each in found])
    named = (subject or "", predicate or "", object or "") if all(triple) else None
    removed: Counts = call.graph.remove(Removal(document, entity, named, purge=purge), origin=call.origin("remove"))
    return ForgetAnswer.of(removed, purged=purge, hint="" if purge else TAKEN_BACK)


FORGET = Tool(forget, "Forget", "forget", reads=False, destroys=True, repeats=False)
