"""What the tools that learn and declare answer."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from mcp_graphrag.server.answers.base import Answer, Listing
from mcp_graphrag.server.answers.reading import TripleOut, properties_text


class KnownFixOut(BaseModel):
    """What resolved an error before."""

    fix: str
    error: Annotated[str, Field(description="The error that it resolved.")]
    similarity: Annotated[float, Field(description="Of that error to this one; 1 for this one.")]
    confidence: float
    chunk: Annotated[str, Field(description="Citation; resolve it with get_source.")] = ""


class SimilarErrorOut(BaseModel):
    """An error that is like this one."""

    error: str
    similarity: float
    description: str = ""


class RaisedOut(BaseModel):
    """A triple that a success has made surer."""

    triple: str
    before: float
    confidence: float
    directly: Annotated[bool, Field(description="False: by a similar error.")]


class OutcomeAnswer(Listing):
    """What was stored of an outcome, and what helped before."""

    outcome: str
    error: Annotated[str, Field(description="Name of the error: pass it for its fix and success.")]
    added: Annotated[int, Field(description="Triples that are new.")]
    entities_added: int
    known_fixes: Annotated[list[KnownFixOut], Field(description="How it was solved before, likeliest first.")] = []
    similar: list[SimilarErrorOut] = []
    triples: Annotated[list[TripleOut], Field(description="What is stored of it.")] = []
    raised: list[RaisedOut] = []
    document: Annotated[str, Field(description="Uri of the text that tells it.")] = ""

    def in_words(self) -> str:
        """What was stored, then fixes, similar errors and raised triples, a line each."""
        lines = [f"{self.outcome} of {self.error}: {self.added} triples added, {self.entities_added} new entities."]
        lines += [
            f"known fix: {each.fix} (confidence {each.confidence:.2g}, for {each.error}, similarity"
            f" {each.similarity:.2g}){f' [{each.chunk}]' if each.chunk else ''}"
            for each in self.known_fixes
        ]
        lines += [f"similar: {each.error} ({each.similarity:.2g})" for each in self.similar]
        lines += [each.in_words() for each in self.triples]
        lines += [f"surer: {each.triple}: {each.before:.2f} to {each.confidence:.2f}" for each in self.raised]
        return "\n".join([*lines, *([f"told in {self.document}"] if self.document else [])]) + self.footer()


class DeclaredOut(Answer):
    """An entity as it is stored."""

    name: str
    type: str
    state: Annotated[str, Field(description="added, completed, updated or known.")]
    aliases: list[str] = []
    description: str = ""
    properties: dict[str, Any] = {}

    def in_words(self) -> str:
        """One line."""
        also = f", also {', '.join(self.aliases)}" if self.aliases else ""
        said = f": {self.description}" if self.description else ""
        return f"{self.state}: {self.name} ({self.type or 'untyped'}{also}){said}{properties_text(self.properties)}"


class AddEntitiesAnswer(Listing):
    """What became of declared entities."""

    added: Annotated[int, Field(description="Entities that are new.")]
    completed: Annotated[int, Field(description="Known ones that gained a word, a property or an alias.")]
    known: Annotated[int, Field(description="Known ones that gained nothing.")]
    entities: list[DeclaredOut]

    def in_words(self) -> str:
        """The counts, then a line an entity."""
        head = f"{self.added} entities added, {self.completed} completed, {self.known} known already."
        return "\n".join([head, *(each.in_words() for each in self.entities)]) + self.footer()


class UpdateEntityAnswer(Answer):
    """An entity after an update."""

    was: Annotated[str, Field(description="Its name before.")]
    changed: Annotated[list[str], Field(description="Which of its words changed; none: it was so already.")]
    entity: DeclaredOut

    def in_words(self) -> str:
        """What changed, and the entity."""
        what = ", ".join(self.changed) or "nothing"
        return f"{self.was}: changed {what}.\n{self.entity.in_words()}"
