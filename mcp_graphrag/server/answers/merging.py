"""What the tools that review, merge and split answer."""

from typing import Annotated

from pydantic import BaseModel, Field

from mcp_graphrag.server.answers.base import Answer, Listing
from mcp_graphrag.server.answers.reading import TripleOut


class ReviewOut(BaseModel):
    """Something to decide: a conflict between facts, or two entities that may be one."""

    kind: Annotated[str, Field(description="conflict or merge.")]
    detail: str
    act: Annotated[str, Field(description="The calls that settle it.")]
    conflict: Annotated[int | None, Field(description="The number for resolve.")] = None
    triples: Annotated[list[TripleOut], Field(description="The first and the second side of a conflict.")] = []
    preferred: Annotated[str, Field(description="The side from a more trusted source: first or second.")] = ""
    keep: Annotated[str, Field(description="The better connected of two entities.")] = ""
    merge: Annotated[str, Field(description="The entity that may be the same.")] = ""
    score: Annotated[float | None, Field(description="From 0 to 1, how likely they are one.")] = None
    reasons: list[str] = []

    def in_words(self) -> str:
        """What it is, why, and what to do."""
        head = f"{self.kind} {self.conflict or ''}".strip()
        lines = [f"{head}: {self.detail}{f' (score {self.score:.2f})' if self.score is not None else ''}"]
        lines += [f"  {side}: {each.in_words()}" for side, each in zip(("first", "second"), self.triples, strict=False)]
        lines += [f"  more trusted: {self.preferred}"] if self.preferred else []
        lines += [f"  because: {'; '.join(self.reasons)}"] if self.reasons else []
        return "\n".join([*lines, f"  to settle: {self.act}"])


class ReviewAnswer(Listing):
    """Conflicts, oldest first, then merges to consider, the likeliest first."""

    conflicts: Annotated[int, Field(description="How many conflicts are open.")]
    merges: Annotated[int, Field(description="How many merges are suggested.")]
    review: list[ReviewOut]
    next_cursor: Annotated[str, Field(description="Pass it as cursor for more; absent at the end.")] = ""

    def in_words(self) -> str:
        """The counts, then each in a few lines."""
        head = f"{self.conflicts} open conflicts, {self.merges} suggested merges"
        more = f"\nnext_cursor: {self.next_cursor}" if self.next_cursor else ""
        return "\n".join([head, *(each.in_words() for each in self.review)]) + self.footer() + more


class MergeAnswer(Answer):
    """What became of two entities."""

    kept: str
    other: Annotated[str, Field(description="The entity that was merged into it, or is kept apart.")]
    type: Annotated[str, Field(description="Of what was kept.")] = ""
    triples: Annotated[int, Field(description="Triples that moved.")] = 0
    between: Annotated[int, Field(description="Triples between the two, no longer held.")] = 0
    distinct: Annotated[bool, Field(description="Whether they are known to be two things from now on.")] = False

    def in_words(self) -> str:
        """What was done in a sentence."""
        if self.distinct:
            return f"'{self.kept}' and '{self.other}' are two things: they will not be suggested for a merge again."
        between = f" {self.between} between the two are no longer held." if self.between else ""
        return f"'{self.other}' is '{self.kept}' from now on; {self.triples} triples moved.{between} split undoes it."


class SplitAnswer(Answer):
    """The two entities of a merge that was taken back."""

    entity: Annotated[str, Field(description="The entity that is back.")]
    kept: Annotated[str, Field(description="The one that it had been merged into.")]
    triples: Annotated[int, Field(description="Triples of the entity that is back.")]

    def in_words(self) -> str:
        """What was done in a sentence."""
        return f"'{self.entity}' is no longer '{self.kept}'; it has {self.triples} triples."
