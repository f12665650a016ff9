"""What the tools that find and take chunk edges answer."""

from typing import Annotated

from pydantic import BaseModel, Field

from mcp_graphrag.server.answers.base import Listing


class ChunkEdgeOut(BaseModel):
    """An edge between two passages."""

    source: Annotated[str, Field(description="Citation of the passage that it leads from.")]
    relation: str
    target: Annotated[str, Field(description="Citation of the passage that it leads to.")]
    weight: float
    description: Annotated[str, Field(description="Why.")] = ""
    extractor: Annotated[str, Field(description="Who says so.")] = ""

    def in_words(self) -> str:
        """One line."""
        why = f': "{self.description.strip(chr(34))}"' if self.description else ""
        by = f" by {self.extractor}" if self.extractor else ""
        return f"{self.source} → {self.relation} → {self.target} ({self.weight:.2g}{by}){why}"


class EdgesAnswer(Listing):
    """Edges between passages that were stored."""

    added: Annotated[int, Field(description="Edges that are new, or stronger than before.")]
    known: Annotated[int | None, Field(description="Edges given that were stored already.")] = None
    relations: Annotated[dict[str, int], Field(description="How many were added of each relation.")] = {}
    documents: Annotated[int | None, Field(description="Documents read again.")] = None
    compared: Annotated[int | None, Field(description="Passages compared with those of other documents.")] = None
    edges: Annotated[list[ChunkEdgeOut], Field(description="The edges given, or examples of those found.")]

    def in_words(self) -> str:
        """The counts, then an edge a line."""
        counts = ", ".join(f"{relation} {count}" for relation, count in self.relations.items())
        head = f"{_count(self.added, 'edge')} added"
        head += f" ({counts})" if counts else ""
        head += f", {self.known} known" if self.known is not None else ""
        head += f"; {_count(self.documents, 'document')} read" if self.documents is not None else ""
        head += f", {_count(self.compared, 'passage')} compared" if self.compared is not None else ""
        return "\n".join([f"{head}.", *(each.in_words() for each in self.edges)]) + self.footer()


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
