"""What the tool that resolves conflicts answers."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.server.answers.base import Answer
from mcp_graphrag.server.answers.reading import TripleOut


class ResolveAnswer(Answer):
    """A conflict with its verdict."""

    conflict: Annotated[int, Field(description="Its number from now on.")]
    detail: Annotated[str, Field(description="What contradicted what.")]
    kept: Annotated[str, Field(description="first, second or both.")]
    reason: str
    dropped: Annotated[list[TripleOut], Field(description="The triple that is no longer held true.")] = []
    ended: Annotated[str, Field(description="With supersede: until when the dropped one is held true.")] = ""
    open: Annotated[int, Field(description="How many conflicts are still open.")]

    def in_words(self) -> str:
        """The verdict in a sentence, then what was dropped."""
        lines = [f"{self.detail}. Kept: {self.kept}, conflict {self.conflict}, reason: {self.reason}"]
        lines += [
            f"ended {self.ended}: {each.in_words()}" if self.ended else f"dropped: {each.in_words()}"
            for each in self.dropped
        ]
        return "\n".join([*lines, f"open: {self.open}"])
