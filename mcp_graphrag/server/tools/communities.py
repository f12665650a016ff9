"""The tool that shows communities."""

from typing import Annotated

from pydantic import Field

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Community
from mcp_graphrag.pipeline.communities import bring_up_to_date
from mcp_graphrag.retrieve.communities import CommunityPage, list_communities, rank_communities
from mcp_graphrag.retrieve.community_standing import standing
from mcp_graphrag.server.answers.communities import CommunitiesAnswer, CommunityOut
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.shape import cost, read_cursor, within_budget, write_cursor
from mcp_graphrag.store.communities import EXTRACTIVE

NONE_YET = (
    "There are no communities: it takes three entities that triples or passages bring together."
    " Ingest texts or add triples first."
)


def get_communities(
    call: Call,
    query: Annotated[str | None, Field(description="A question or theme: the best communities for it.")] = None,
    level: Annotated[int | None, Field(description="0, the broadest, by default.", ge=0)] = None,
    community: Annotated[int | None, Field(description="Look inside this one: members, communities in it.")] = None,
    limit: Annotated[int, Field(description="Most communities.", ge=1, le=100)] = 8,
    cursor: Annotated[str | None, Field(description="next_cursor of the answer before.")] = None,
) -> CommunitiesAnswer:
    """See what the whole graph is about: themes as communities of entities, each with title, summary and members.

    For broad questions and overviews; search then finds the passages.
    """
    if query and community is not None:
        raise BadInput("query and community were both given.", "Give query to search all, or community to look inside.")
    pipeline = call.pipeline
    notes: list[str] = []
    origin = call.origin("get_communities")
    bring_up_to_date(pipeline, origin, note=notes.append, progress=call.progress)
    most = pipeline.settings.community_most_triples
    if query and query.strip():
        return _for_query(call, query, level, limit, notes)
    asked = (level, community)
    after = read_cursor(cursor or "", asked)
    with pipeline.reading() as tx:
        page = list_communities(
            pipeline.store,
            tx,
            pipeline.embedder,
            level=level,
            parent=community,
            limit=limit,
            after=after,
            most=most,
        )
    inside = community_out(page.parent, page.total) if page.parent else None
    left = call.tokens - (cost(inside) if inside else 0)
    listed, cut = within_budget(
        (community_out(each, (page.children or {}).get(each.id)) for each in page.communities), left
    )
    following = after + len(listed) if cut else page.next_after
    return CommunitiesAnswer(
        total=page.total,
        levels={str(number): count for number, count in page.levels.items()},
        community=inside,
        communities=listed,
        truncated=following is not None,
        next_cursor=write_cursor(following, asked) if following is not None else "",
        hint=_hint(page, more=following is not None),
        notes=[*notes, *page.notes],
    )


def _for_query(call: Call, query: str, level: int | None, limit: int, notes: list[str]) -> CommunitiesAnswer:
    pipeline = call.pipeline
    most = pipeline.settings.community_most_triples
    with pipeline.reading() as tx:
        found = standing(pipeline.store, tx, pipeline.embedder, most=most)
        notes += found.notes
        ranked = rank_communities(
            pipeline.store, tx, pipeline.embedder, query, limit, level=level, most=most, note=notes.append
        )
        sizes = {each.id: len(found.children.get(each.id, ())) for each in ranked}
    listed, cut = within_budget((community_out(each, sizes[each.id], scored=True) for each in ranked), call.tokens)
    nothing = "No community fits. Leave query out to see them all." if found.rows else NONE_YET
    return CommunitiesAnswer(
        total=len(ranked),
        communities=listed,
        truncated=cut,
        hint=("The rest did not fit: ask for fewer." if cut else "") if listed else nothing,
        notes=notes,
    )


def _hint(page: CommunityPage, *, more: bool) -> str:
    if more:
        return "There are more: pass next_cursor as cursor."
    if page.parent and not page.communities:
        return "Nothing finer: walk on from its members with get_neighbourhood."
    return "" if page.levels else NONE_YET


def community_out(community: Community, inside: int | None, *, scored: bool = False) -> CommunityOut:
    """A community as it goes over the wire; `inside` counts those in it."""
    return CommunityOut(
        community=community.id,
        level=community.level,
        title=community.title,
        summary=community.summary,
        size=community.size,
        members=list(community.members),
        inside=inside or None,
        part_of=community.parent_id,
        score=community.score if scored else None,
        summarised_by="" if community.summarised_by == EXTRACTIVE else community.summarised_by,
        citations=list(community.citations),
    )
