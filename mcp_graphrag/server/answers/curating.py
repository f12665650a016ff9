"""What the tools that keep the graph in order answer: documents, removals, undo, difference, history."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.server.answers.base import Answer, Listing
from mcp_graphrag.server.answers.reading import DocumentOut, TripleOut


class SupportingOut(Answer):
    """A document with what it supports."""

    document: DocumentOut
    chunks: int
    entities: Annotated[int, Field(description="Entities it mentions.")]
    triples: Annotated[int, Field(description="Triples it supports.")]
    triples_alone: Annotated[int, Field(description="Triples that nothing else supports: they would go with it.")]

    def in_words(self) -> str:
        """One line."""
        supports = f"{self.entities} entities, {self.triples} triples, {self.triples_alone} of them alone"
        return f"{self.document.in_words()}: {self.chunks} chunks, {supports}"


class DocumentsAnswer(Listing):
    """Documents, oldest first."""

    documents: list[SupportingOut]
    next_cursor: Annotated[str, Field(description="Pass it as cursor for more; absent at the end.")] = ""

    def in_words(self) -> str:
        """A line a document."""
        listed = "\n".join(each.in_words() for each in self.documents)
        more = f"\nnext_cursor: {self.next_cursor}" if self.next_cursor else ""
        return (listed + self.footer() + more).strip()


class RemovedAnswer(Answer):
    """What went."""

    documents: int
    chunks: int
    entities: int
    triples: int
    purged: bool
    hint: str = ""

    def in_words(self) -> str:
        """One sentence."""
        gone = "for good" if self.purged else "out of force"
        counted = f"{self.documents} documents, {self.chunks} chunks, {self.entities} entities, {self.triples} triples"
        return f"Removed {gone}: {counted}. {self.hint}".strip()


class OperationOut(Answer):
    """One call or job that wrote."""

    operation: int
    tool: str
    client: str
    at: str

    def in_words(self) -> str:
        """One line."""
        return f"operation {self.operation}: {self.tool} by {self.client} at {self.at}"


class UndoneAnswer(Answer):
    """What was taken back."""

    undone: list[OperationOut]

    def in_words(self) -> str:
        """A line an operation."""
        return "\n".join(["Taken back:", *(f"  {each.in_words()}" for each in self.undone)])


class DifferenceAnswer(Listing):
    """What was learned and given up between two moments."""

    since: str
    until: str
    added: Annotated[int, Field(description="Triples learned in all.")]
    removed: Annotated[int, Field(description="Triples given up in all.")]
    triples_added: list[TripleOut] = []
    triples_removed: list[TripleOut] = []
    entities_added: list[str] = []
    entities_removed: list[str] = []
    documents_added: list[str] = []
    documents_removed: list[str] = []

    def in_words(self) -> str:
        """Plus and minus, a line each."""
        lines = [f"From {self.since} to {self.until}: {self.added} triples learned, {self.removed} given up."]
        for sign, each in (("+", self.triples_added), ("-", self.triples_removed)):
            lines += [f"{sign} {triple.in_words()}" for triple in each]
        for sign, what, names in (
            ("+", "entities", self.entities_added),
            ("-", "entities", self.entities_removed),
            ("+", "documents", self.documents_added),
            ("-", "documents", self.documents_removed),
        ):
            if names:
                lines.append(f"{sign} {what}: {', '.join(names)}")
        return "\n".join(lines) + self.footer()


class HappenedOut(Answer):
    """One event."""

    at: str
    what: str
    tool: str
    client: str
    operation: int
    undone: bool = False
    valid_from: str = ""
    valid_to: str = ""

    def in_words(self) -> str:
        """One line."""
        back = ", taken back since" if self.undone else ""
        span = f" [{self.valid_from or '…'} to {self.valid_to or '…'}]" if self.valid_from or self.valid_to else ""
        return f"{self.at} {self.what}{span} ({self.tool} by {self.client}, operation {self.operation}{back})"


class HistoryAnswer(Listing):
    """What happened to an entity, the newest first."""

    entity: str
    type: str
    events: list[HappenedOut]
    next_cursor: Annotated[str, Field(description="Pass it as cursor for more; absent at the end.")] = ""

    def in_words(self) -> str:
        """A line an event."""
        lines = [f"{self.entity} ({self.type or 'untyped'})", *(each.in_words() for each in self.events)]
        more = f"\nnext_cursor: {self.next_cursor}" if self.next_cursor else ""
        return "\n".join(lines) + self.footer() + more
