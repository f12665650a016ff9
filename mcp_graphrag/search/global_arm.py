"""The search arm that goes from communities to chunks."""

from mcp_graphrag.communities.current_communities import current_communities
from mcp_graphrag.communities.list_communities import communities_of
from mcp_graphrag.communities.score_communities import best_communities
from mcp_graphrag.communities.themes import is_overview_question
from mcp_graphrag.fusion import Ranked
from mcp_graphrag.model import Community
from mcp_graphrag.search.community_chunks import nearest_chunks, typical_chunks
from mcp_graphrag.search.search_context import SearchContext

MAX_COMMUNITIES = 5
MAX_OVERVIEW_COMMUNITIES = 8  # for a question about the whole corpus


def global_arm(context: SearchContext) -> tuple[list[Community], Ranked]:
    """The communities that a question is about, and the chunks that name or support their central members.

    Chunks are ranked by their score for the question and the weight of their members. For an overview question, to
    which no chunk is near, the largest communities take turns with typical prose. A note says if the communities were
    ranked by words alone, or if none has a word of the question.
    """
    query = context.query.text
    current = current_communities(context.snapshot, max_triples=context.query.max_community_triples)
    overview = is_overview_question(query)
    limit = MAX_OVERVIEW_COMMUNITIES if overview else MAX_COMMUNITIES
    rows, scores = best_communities(context.snapshot, current, query, limit, note=context.note, terms=context.terms)
    if overview:
        chunks = typical_chunks(context.snapshot, current, rows, context.among)
    else:
        chunks = nearest_chunks(context, list(zip(rows, scores, strict=True)))
    return communities_of(context.snapshot.tx, rows, scores), chunks[: context.depth]
