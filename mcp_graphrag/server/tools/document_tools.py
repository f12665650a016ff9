"""Documents: what the graph holds, the text behind a citation, and removal."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.server.budget import (
    MAX_VALUE,
    OVERHEAD,
    clipped,
    cost,
    paging,
    read_cursor,
    within_budget,
)
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, Tool
from mcp_graphrag.server.records import Answer, DocumentHead, DocumentOut, Listing, Page
from mcp_graphrag.server.tools.arguments import Cursor


class SourceAnswer(Listing):
    """The text behind a citation."""

    citation: str
    document: DocumentOut
    text: str
    span: list[int]
    headings: list[str] = []

    def _lines(self) -> list[str]:
        return [f"### {' > '.join([self.document.title, *self.headings])} <{self.document.uri}>", self.text]


def get_source(
    call: Call,
    citation: Annotated[
        str, Field(description="A citation from an answer, or a document's uri.", min_length=1), ARGUMENT
    ],
) -> SourceAnswer:
    """Read the chunk behind a citation, or a whole document by its uri, even if it was replaced since."""
    found = call.graph.source(citation)
    document = DocumentOut.of(found.document)
    headings = list(found.chunks[0].headings) if found.chunks else []
    spent = OVERHEAD + cost(document) + 3 * cost([citation, *headings])
    text, cut = clipped(found.text, max(call.tokens - spent, MAX_VALUE // 2))
    shown = len(text) - 2 if cut else len(text)
    rest = f"{found.document.uri}#chunk:{found.start + shown}-{found.end}"
    return SourceAnswer(
        citation=citation,
        document=document,
        text=text,
        span=[found.start, found.start + shown],
        headings=headings,
        truncated=cut,
        hint=f"Read on with `get_source` {rest}" if cut else "",
        notes=["The document was replaced or removed since."] if found.document.retired_at else [],
    )


class SupportingOut(Answer):
    """A document with what it supports."""

    document: DocumentHead
    chunks: int
    entities: int
    triples: int
    triples_alone: Annotated[int, Field(description="Supported by nothing else: they would go with it.")]

    def __str__(self) -> str:
        supports = f"{self.entities} entities, {self.triples} triples, {self.triples_alone} of them alone"
        return f"{self.document}: {self.chunks} chunks, {supports}"


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


GET_SOURCE = Tool(get_source, "Read a source", "source")
DOCUMENTS = Tool(documents, "List documents", "documents", "admin")
