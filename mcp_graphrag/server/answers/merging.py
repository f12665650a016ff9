"""What the tools that review, merge and split answer."""

from typing import Annotated

from pydantic import BaseModel, Field

from mcp_graphrag.server.answers.base import Answer, Listing
from mcp_graphrag.server.answers.reading import TripleOut


def counted(number: int, word: str) -> str:
    """A number with its word, in the plural unless it is one."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def are(number: int) -> str:
    """The verb that goes with a number."""
    return "is" if number == 1 else "are"


class ReviewOut(BaseModel):
    """Something to decide, or decided: a conflict between facts, or two entities that may be one."""

    kind: Annotated[str, Field(description="conflict, merge or resolved.")]
    detail: str
    act: Annotated[str, Field(description="The calls that settle it.")] = ""
    conflict: Annotated[int | None, Field(description="The number for resolve.")] = None
    triples: Annotated[list[TripleOut], Field(description="The first and the second side of a conflict.")] = []
    preferred: Annotated[str, Field(description="The side from a more trusted source: first or second.")] = ""
    kept: Annotated[str, Field(description="Of what is resolved: first, second or both.")] = ""
    reason: Annotated[str, Field(description="Why that was kept.")] = ""
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
        lines += [f"  kept: {self.kept}, because: {self.reason}"] if self.kept else []
        return "\n".join([*lines, *([f"  to settle: {self.act}"] if self.act else [])])


class ReviewAnswer(Listing):
    """Conflicts, oldest first, then merges to consider, the likeliest first."""

    conflicts: Annotated[int, Field(description="How many conflicts are open.")]
    merges: Annotated[int, Field(description="How many merges are suggested.")]
    resolved: Annotated[int | None, Field(description="How many are resolved, where these are asked for.")] = None
    review: list[ReviewOut]
    next_cursor: Annotated[str, Field(description="Pass it as cursor for more; absent at the end.")] = ""

    def in_words(self) -> str:
        """The counts, then each in a few lines."""
        head = f"{counted(self.conflicts, 'open conflict')}, {counted(self.merges, 'suggested merge')}"
        if self.resolved is not None:
            head = counted(self.resolved, "resolved conflict")
        more = f"\nnext_cursor: {self.next_cursor}" if self.next_cursor else ""
        return "\n".join([head, *(each.in_words() for each in self.review)]) + self.footer() + more


class MergeAnswer(Answer):
    """What became of two entities."""

    kept: str
    other: Annotated[str, Field(description="The entity that was merged into it, or is kept apart.")]
    type: Annotated[str, Field(description="Of what was kept.")] = ""
    other_type: Annotated[str, Field(description="Of the other.")] = ""
    triples: Annotated[int, Field(description="Triples that moved.")] = 0
    between: Annotated[int, Field(description="Triples between the two, no longer held.")] = 0
    distinct: Annotated[bool, Field(description="Whether they are known to be two things from now on.")] = False

    def in_words(self) -> str:
        """What was done in a sentence."""
        kept, other = self._told_apart()
        if self.distinct:
            return f"'{kept}' and '{other}' are two things: they will not be suggested for a merge again."
        between = f" {self.between} between the two {are(self.between)} no longer held." if self.between else ""
        return f"'{other}' is '{kept}' from now on; {counted(self.triples, 'triple')} moved.{between} split undoes it."

    def _told_apart(self) -> tuple[str, str]:
        """Both names, with the types where the names are alike."""
        if self.kept.casefold() != self.other.casefold():
            return self.kept, self.other
        return f"{self.kept} ({self.type or 'untyped'})", f"{self.other} ({self.other_type or 'untyped'})"


class SplitAnswer(Answer):
    """The two entities of a merge that was taken back."""

    entity: Annotated[str, Field(description="The entity that is back.")]
    kept: Annotated[str, Field(description="The one that it had been merged into.")]
    triples: Annotated[int, Field(description="Triples of the entity that is back.")]

    def in_words(self) -> str:
        """What was done in a sentence."""
        return f"'{self.entity}' is no longer '{self.kept}'; it has {counted(self.triples, 'triple')}."
