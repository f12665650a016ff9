"""What the tool that shows communities answers."""

from typing import Annotated

from pydantic import BaseModel, Field

from mcp_graphrag.server.answers.base import Listing


class CommunityOut(BaseModel):
    """A community: what its entities are about."""

    community: Annotated[int, Field(description="Its number: pass it to look inside.")]
    level: Annotated[int, Field(description="0 is the broadest.")]
    title: str
    summary: str
    size: Annotated[int, Field(description="How many entities it has.")]
    members: Annotated[list[str], Field(description="The most central entities, the first the most.")] = []
    inside: Annotated[int | None, Field(description="How many communities it falls into, if any.")] = None
    part_of: Annotated[int | None, Field(description="The broader community that it is part of.")] = None
    score: Annotated[float | None, Field(description="How well it fits the query.")] = None
    summarised_by: Annotated[str, Field(description="The model that wrote title and summary, if one did.")] = ""
    citations: Annotated[list[str], Field(description="Of what the summary quotes.")] = []

    def in_words(self) -> str:
        """Title and summary, members and citations a line each."""
        place = f"community {self.community}, level {self.level}, {self.size} entities"
        place += f", part of {self.part_of}" if self.part_of is not None else ""
        place += f", {self.inside} inside" if self.inside else ""
        place += f", score {self.score:.3f}" if self.score is not None else ""
        place += f", by {self.summarised_by}" if self.summarised_by else ""
        lines = [f"### {self.title}", f"[{place}]", self.summary]
        lines += [f"members: {', '.join(self.members)}"] if self.members else []
        return "\n".join([*lines, *(f"— {each}" for each in self.citations)])


class CommunitiesAnswer(Listing):
    """Communities: the largest first, or the best for a query; of one that was asked for, those inside it."""

    total: Annotated[int, Field(description="How many there are of this kind.")]
    levels: Annotated[dict[str, int], Field(description="How many communities each level has.")] = {}
    community: Annotated[CommunityOut | None, Field(description="The one that was asked for.")] = None
    communities: list[CommunityOut]
    next_cursor: Annotated[str, Field(description="Pass it as cursor for more; absent at the end.")] = ""

    def in_words(self) -> str:
        """The counts, then each in a few lines."""
        levels = ", ".join(f"level {level}: {count}" for level, count in self.levels.items())
        head = f"{self.total} {'community' if self.total == 1 else 'communities'}"
        if self.community:
            head += f" inside community {self.community.community}"
        elif levels:
            head += f" ({levels})"
        shown = [self.community.in_words()] if self.community else []
        more = f"\nnext_cursor: {self.next_cursor}" if self.next_cursor else ""
        return "\n\n".join([head, *shown, *(each.in_words() for each in self.communities)]) + self.footer() + more
