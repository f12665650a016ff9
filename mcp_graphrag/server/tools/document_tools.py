"""Documents: what the graph holds, their list, and removal."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.server.budget import paging, read_cursor, within_budget
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.records import Answer, DocumentHead, Page, counted, counts_line
from mcp_graphrag.server.tools.arguments import Cursor


class SupportingOut(Answer):
    """A document with what it supports."""

    document: DocumentHead
    chunks: int
    entities: int
    triples: int
    triples_alone: Annotated[int, Field(description="Supported by nothing else: they would go with it.")]

    def __str__(self) -> str:
        supports = f"{counts_line(entity=self.entities, triple=self.triples)}, {self.triples_alone} of them alone"
        return f"{self.document}: {counted(self.chunks, 'chunk')}, {supports}"


class DocumentsAnswer(Page):
    """Documents, oldest first."""

    total: int
    documents: list[SupportingOut]

    def _lines(self) -> list[str]:
        of = [f"{len(self.documents)} of {self.total} documents"] if len(self.documents) < self.total else []
        return [*of, *map(str, self.documents)]


def documents(
    call: Call,
    limit: Annotated[int, Field(description="Maximum documents.", ge=1, le=500)] = 20,
    cursor: Cursor = None,
) -> DocumentsAnswer:
    """List documents, each with what it supports, and what would go if it were removed."""
    after = read_cursor(cursor, ["documents"])
    found = call.graph.documents(after=after, limit=limit + 1)
    outs = (SupportingOut.of(each, document=DocumentHead.of(each.document)) for each in found[:limit])
    listed, _ = within_budget(outs, call.tokens)
    after = found[len(listed) - 1].document.id if len(listed) < len(found) else None
    nothing = "" if found else "No document is stored."
    total = call.graph.describe(documents=0).counts.documents
    return DocumentsAnswer(total=total, documents=listed, **paging(after, ["documents"], nothing))


DOCUMENTS = Tool(documents, "List documents", "documents", "admin")
