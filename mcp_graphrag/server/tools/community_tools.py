"""Communities: what the whole graph is about."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Community
from mcp_graphrag.server.budget import cost, paging, read_cursor, within_budget
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.declaration import ARGUMENT, Tool
from mcp_graphrag.server.records import Answer, Page, counted
from mcp_graphrag.server.tools.arguments import Cursor
from mcp_graphrag.server.written_forms import place
from mcp_graphrag.store.rows.community_rows import EXTRACTIVE

NONE_YET = (
    "There are no communities: it takes three entities connected by triples or chunks. Ingest texts or add triples."
)


class ThemeOut(Answer):
    """A community, in short."""

    community: int
    title: str
    summary: str
    citations: list[str] = []

    def __str__(self) -> str:
        return "\n".join([f"### {self.title}", self.summary, *(f"— {place(each)}" for each in self.citations)])


class CommunityOut(Answer):
    """A cluster of entities: how many, the most central of them, how many communities are inside."""

    community: int
    level: int
    title: str
    summary: str
    size: int
    members: list[str] = []
    inside: int | None = None
    part_of: int | None = None
    score: float | None = None
    summarised_by: str = ""
    citations: list[str] = []

    def __str__(self) -> str:
        head = f"community {self.community}, level {self.level}, {counted(self.size, 'entity')}"
        head += f", part of {self.part_of}" if self.part_of is not None else ""
        head += f", {self.inside} inside" if self.inside else ""
        head += f", score {self.score:.3f}" if self.score is not None else ""
        head += f", by {self.summarised_by}" if self.summarised_by else ""
        lines = [f"### {self.title}", f"[{head}]", self.summary]
        lines += [f"members: {', '.join(self.members)}"] if self.members else []
        return "\n".join([*lines, *(f"— {place(each)}" for each in self.citations)])


class CommunitiesAnswer(Page):
    """The largest first, or the best for a query."""

    total: int
    levels: dict[str, int] = {}
    community: CommunityOut | None = None
    communities: list[CommunityOut]

    def _lines(self) -> list[str]:
        levels = ", ".join(f"level {level}: {count}" for level, count in self.levels.items())
        of = f"{len(self.communities)} of " if len(self.communities) < self.total else ""
        head = f"{of}{self.total} {'community' if self.total == 1 else 'communities'}"
        if self.community:
            head += f" inside community {self.community.community}"
        elif levels:
            head += f" ({levels})"
        parts = [self.community] if self.community else []
        return ["\n\n".join([head, *map(str, (*parts, *self.communities))])]


def get_communities(
    call: Call,
    query: Annotated[str | None, Field(description="A question or theme: the best communities for it.")] = None,
    level: Annotated[int | None, Field(description="Default 0, the broadest.", ge=0)] = None,
    community: Annotated[int | None, Field(description="Show what is inside this one."), ARGUMENT] = None,
    limit: Annotated[int, Field(description="Maximum communities.", ge=1, le=100)] = 8,
    cursor: Cursor = None,
) -> CommunitiesAnswer:
    """Get the themes of the whole collection: clusters of related entities with title, summary and members.

    For broad questions ("what are the main topics?"), not for one thing or fact.
    """
    if query and community is not None:
        raise BadInput("Both query and community were given.", "Give query to search all, or community to look inside.")
    if query and query.strip():
        return _for_query(call, query, level, limit)
    key = (level, community)
    after = read_cursor(cursor, key)
    page = call.graph.list_communities(level=level, inside=community, limit=limit, after=after)
    inside = community_out(page.parent, page.total) if page.parent else None
    left = call.tokens - (cost(inside) if inside else 0)
    sizes = page.children or {}
    listed, cut = within_budget((community_out(each, sizes.get(each.id)) for each in page.communities), left)
    following = after + len(listed) if cut else page.next_after
    nothing = "" if page.levels else NONE_YET
    if page.parent and not page.communities:
        nothing = "Nothing finer: walk on from its members with `get_neighbourhood`."
    return CommunitiesAnswer.of(
        page,
        levels={str(number): count for number, count in page.levels.items()},
        community=inside,
        communities=listed,
        **paging(following, key, nothing),
    )


def _for_query(call: Call, query: str, level: int | None, limit: int) -> CommunitiesAnswer:
    page = call.graph.rank_communities(query, level=level, limit=limit)
    sizes = page.children or {}
    ranked = (community_out(each, sizes[each.id], scored=True) for each in page.communities)
    listed, cut = within_budget(ranked, call.tokens)
    nothing = "No community fits. Leave query out to list all." if page.levels else NONE_YET
    return CommunitiesAnswer.of(
        page,
        levels={},
        communities=listed,
        truncated=cut,
        hint=("The rest did not fit: lower limit." if cut else "") if listed else nothing,
    )


def community_out(community: Community, inside: int | None, *, scored: bool = False) -> CommunityOut:
    """A community as answers show it; `inside` counts those in it."""
    return CommunityOut.of(
        community,
        community=community.id,
        inside=inside or None,
        part_of=community.parent_id,
        score=community.score if scored else None,
        summarised_by="" if community.summarised_by == EXTRACTIVE else community.summarised_by,
    )


GET_COMMUNITIES = Tool(
    get_communities,
    "Get communities",
    "communities",
    settings=("embedder", "max_community_triples", "claude_model"),
)
