"""What a search answers."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.server.answers.base import Answer, Listing
from mcp_graphrag.server.answers.communities import CommunityOut
from mcp_graphrag.server.answers.reading import HitOut


class ExpandedOut(Answer):
    """An entity that triples led to."""

    entity: str
    type: str = ""
    via: Annotated[str, Field(description="The predicate that led to it.")]
    from_entity: str
    fact: Annotated[str, Field(description="The triple in words.")]
    chunk: Annotated[str, Field(description="Citation of its evidence.")] = ""

    def in_words(self) -> str:
        """The entity, and how it was reached."""
        cited = f" [{self.chunk}]" if self.chunk else ""
        return f"- **{self.entity}** (via {self.via} from {self.from_entity}): {self.fact}{cited}"


class SeedOut(Answer):
    """An entity from which the graph was walked."""

    entity: str
    type: str = ""
    weight: float
    named_by: Annotated[str, Field(description="Words of the query, or the sentence that brought it in.")]
    chunks: Annotated[int, Field(description="How many say its name.")]

    def in_words(self) -> str:
        """The entity, what named it, and how much it counts."""
        said = f"said in {self.chunks} {'chunk' if self.chunks == 1 else 'chunks'}"
        return f"- {self.entity} ({self.weight:.3g}: named by {self.named_by}, {said})"


class SearchAnswer(Listing):
    """Passages, best first."""

    mode: Annotated[str, Field(description="The mode that answered.")]
    hits: list[HitOut]
    expanded: Annotated[list[ExpandedOut], Field(description="Entities that triples lead to.")] = []
    communities: Annotated[list[CommunityOut], Field(description="With mode global.")] = []
    seeds: Annotated[list[SeedOut], Field(description="With explain: where the graph was entered.")] = []

    def in_words(self) -> str:
        """Communities, every hit with its citation, and what triples lead to."""
        parts = [each.in_words() for each in self.communities]
        parts += [hit.in_words() for hit in self.hits]
        if self.expanded:
            head = "The following related items were discovered through knowledge graph traversal:"
            parts.append("\n".join([head, *(each.in_words() for each in self.expanded)]))
        if self.seeds:
            head = "The question names:" if self.mode == "hybrid" else "The graph was entered at:"
            parts.append("\n".join([head, *(each.in_words() for each in self.seeds)]))
        return "\n\n".join(parts) + self.footer() if parts else self.footer().strip()
