"""Documents: what the graph holds, the text behind a citation, and removal."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from pydantic import Field

from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import BadInput
from mcp_graphrag.ingest import shown_roots
from mcp_graphrag.search.search_context import awaiting_embedding
from mcp_graphrag.server.budget import (
    MAX_VALUE,
    OVERHEAD,
    clipped,
    cost,
    paging,
    pairs_within,
    read_cursor,
    within_budget,
)
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, Tool
from mcp_graphrag.server.records import Answer, DocumentHead, DocumentOut, Listing, Page, typed
from mcp_graphrag.server.tools.arguments import AsOf, Cursor, KnownAt, OptionalName, when


class GraphAnswer(Listing):
    """What the graph holds: entities by type, triples by predicate, evidence by extractor."""

    documents: int
    chunks: int
    entities: int
    triples: int
    best_known: dict[str, int] = {}
    types: dict[str, int]
    predicates: dict[str, int]
    extractors: dict[str, int] = {}
    embedder: str
    ontologies: list[str] = []
    recent_documents: list[DocumentHead] = []
    chunks_awaiting_embedding: int = 0
    chunks_awaiting_extraction: int = 0
    chunks_awaiting_agent: int | None = None

    def _lines(self) -> list[str]:
        counts = (
            *(("best known", self.best_known), ("predicates", self.predicates)),
            *(("types", self.types), ("evidence by extractor", self.extractors)),
        )
        awaiting = (
            ("embedding", self.chunks_awaiting_embedding),
            ("extraction", self.chunks_awaiting_extraction),
            ("extraction by an agent", self.chunks_awaiting_agent),
        )
        return [
            f"{self.documents} documents, {self.chunks} chunks, {self.entities} entities, {self.triples} triples",
            *(f"{name}: {', '.join(f'{key} {count}' for key, count in of.items()) or 'none'}" for name, of in counts),
            *(f"document: {document}" for document in self.recent_documents),
            f"ontologies: {', '.join(self.ontologies)}; embedder: {self.embedder}",
            *(f"chunks awaiting {what}: {count}" for what, count in awaiting if count),
        ]


def describe_graph(call: Call, as_of: AsOf = None, known_at: KnownAt = None) -> GraphAnswer:
    """Show what the graph holds: counts by type and predicate, newest documents, embedder. Call it first."""
    graph = call.graph
    found = graph.describe(when(as_of, known_at))
    empty = not any((found.counts.documents, found.counts.triples))
    types, fewer_types = pairs_within(found.types, call.tokens // 4)
    predicates, fewer_predicates = pairs_within(found.predicates, call.tokens // 4)
    documents, _ = within_budget(map(DocumentHead.of, found.documents), call.tokens // 3)
    lacking = call.app.background.lacking if known_at is None and found.chunks_awaiting_embedding else ""
    more = found.counts.documents > len(documents)
    roots = [Path(root).expanduser().resolve() for root in graph.settings.roots]
    notes = {
        f"`ingest` reads files below {shown_roots(roots)}.": bool(roots),
        f"{awaiting_embedding(found.chunks_awaiting_embedding)}: {lacking}": bool(lacking),
        f"Of {len(found.types)} types the {len(types)} most frequent are listed.": fewer_types,
        f"Of {len(found.predicates)} predicates the {len(predicates)} most frequent are listed.": fewer_predicates,
        f"Of {found.counts.documents} documents the newest {len(documents)} are listed; `documents` lists all.": more,
    }
    return GraphAnswer.of(
        found,
        **asdict(found.counts),
        chunks_awaiting_agent=found.chunks_awaiting_agent
        if "get_chunks_to_extract" in call.app.names.offered
        else None,
        types=types,
        predicates=predicates,
        best_known={typed(each.name, each.type): each.degree for each in found.entities},
        recent_documents=documents,
        truncated=fewer_types or fewer_predicates or more,
        hint="The graph is empty. `ingest` takes texts and files, `add_triples` takes triples." if empty else "",
        notes=[note for note, applies in notes.items() if applies],
    )


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


class RemovedAnswer(Answer):
    """Counts of what was removed."""

    documents: int
    chunks: int
    entities: int
    triples: int
    purged: bool
    hint: str = ""

    def __str__(self) -> str:
        how = "for good" if self.purged else "out of force"
        counts = f"{self.documents} documents, {self.chunks} chunks, {self.entities} entities, {self.triples} triples"
        return f"Removed {how}: {counts}. {self.hint}".strip()


def remove(
    call: Call,
    document: Annotated[str | None, Field(description="Uri or title of a document.")] = None,
    entity: OptionalName = None,
    subject: Annotated[str | None, Field(description="With predicate and object: a triple.")] = None,
    predicate: Annotated[str | None, Field(description="Predicate of the triple.")] = None,
    object: Annotated[str | None, Field(description="Object of the triple.")] = None,
    purge: Annotated[bool, Field(description="Remove for good: no undo, no looking back.")] = False,
) -> RemovedAnswer:
    """Remove a document, an entity or a triple, with all that it alone supported. `undo` reverts it unless purged."""
    triple = (subject, predicate, object)
    if any(triple) and not all(triple):
        raise BadInput("A triple has three parts.", "Give subject, predicate and object.")
    named = (subject or "", predicate or "", object or "") if all(triple) else None
    removed = call.graph.remove(Removal(document, entity, named, purge=purge), origin=call.origin("remove"))
    return RemovedAnswer.of(removed, purged=purge, hint="" if purge else "`undo` reverts it.")


DESCRIBE_GRAPH = Tool(describe_graph, "Describe the graph", "stats", spans=True, names_graph=True)
GET_SOURCE = Tool(get_source, "Read a source", "source")
DOCUMENTS = Tool(documents, "List documents", "documents", "admin")
REMOVE = Tool(remove, "Remove a document, entity or triple", "remove", "admin", reads=False, destroys=True)
