"""Communities: listed level by level, ranked for a question, and the chunks of their members that matter."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Community
from mcp_graphrag.retrieve.asked import Asked
from mcp_graphrag.retrieve.community_chunks import nearest_chunks, typical_chunks
from mcp_graphrag.retrieve.community_rank import Note, rank_rows
from mcp_graphrag.retrieve.community_standing import MOST_AT_ONCE, Standing, standing
from mcp_graphrag.retrieve.fuse import Ranked
from mcp_graphrag.retrieve.whole import is_about_the_whole
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.communities import CommunityRow
from mcp_graphrag.store.entities import entity_heads

NAMES_SHOWN = 8
GLOBAL_COMMUNITIES, WHOLE_COMMUNITIES = 5, 8  # for a question about something, about the whole


@dataclass(frozen=True)
class CommunityPage:
    """Communities, and of the one that was asked for itself, its members and how many each child has.

    `levels` counts the communities of each level, `children` those inside each that is listed. `next_after` continues
    the list, None at its end.
    """

    communities: Sequence[Community]
    total: int
    levels: Mapping[int, int]
    parent: Community | None = None
    children: Mapping[int, int] | None = None
    next_after: int | None = None
    notes: Sequence[str] = ()


def list_communities(
    store: Store,
    tx: Reader,
    embedder: Embedder,
    *,
    level: int | None = None,
    parent: int | None = None,
    limit: int = 20,
    after: int = 0,
    most: int = MOST_AT_ONCE,
) -> CommunityPage:
    """The communities of a level (0, the broadest, by default), or those inside one; behind the first `after`.

    Raises UnknownName for a community that is not there, BadInput for a level that is not.
    """
    found = standing(store, tx, embedder, most=most)
    levels = dict(sorted(Counter(row.level for row in found.rows).items()))
    inside = _known(found, parent)
    if level is not None and found.rows and not 0 <= level <= max(levels):
        raise BadInput(f"There is no level {level}.", f"Levels are 0, the broadest, to {max(levels)}.")
    if inside is not None:
        wanted = [row for row in found.children.get(inside.id, ()) if level in {None, row.level}]
    else:
        wanted = [row for row in found.rows if row.level == (level or 0)]
    page = wanted[after : after + limit]
    shown = communities_of(tx, page)
    more = after + limit < len(wanted)
    return CommunityPage(
        shown,
        len(wanted),
        levels,
        communities_of(tx, [inside], names=50)[0] if inside else None,
        {row.id: len(found.children.get(row.id, ())) for row in page},
        after + limit if more else None,
        found.notes,
    )


def rank_communities(
    store: Store,
    tx: Reader,
    embedder: Embedder,
    query: str,
    limit: int = 10,
    *,
    level: int | None = None,
    most: int = MOST_AT_ONCE,
    note: Note = lambda _: None,
) -> list[Community]:
    """The communities that a question is about, best first, by meaning and by words; of nested ones the best only.

    For a question about the whole, the largest of the broadest level. `note` is told where words alone ranked them.
    """
    found = standing(store, tx, embedder, most=most)
    return communities_of(tx, *rank_rows(store, tx, embedder, found, query, limit, note=note, level=level))


def global_arm(asked: Asked) -> tuple[list[Community], Ranked]:
    """The communities that a question is about, and the chunks that name or support their central members.

    They are ranked by how near they are to the question and by what their members count in the communities. For a
    question about the whole, to which nothing is near, the largest communities take turns with their typical prose.
    The question is told where words alone ranked the communities, or none did.
    """
    store, tx, embedder, query = asked.store, asked.tx, asked.embedder, asked.question.query
    found = standing(store, tx, embedder, most=asked.question.community_most)
    whole = is_about_the_whole(query)
    most_rows = WHOLE_COMMUNITIES if whole else GLOBAL_COMMUNITIES
    rows, scores = rank_rows(store, tx, embedder, found, query, most_rows, note=asked.note, terms=asked.terms)
    if whole:
        chunks = typical_chunks(store, tx, embedder, found, rows, asked.among)
    else:
        chunks = nearest_chunks(asked, list(zip(rows, scores, strict=True)))
    return communities_of(tx, rows, scores), chunks[: asked.depth]


def communities_of(
    tx: Reader, rows: Sequence[CommunityRow], scores: Sequence[float] = (), *, names: int = NAMES_SHOWN
) -> list[Community]:
    """Communities as they are shown, each with the names of its most central members."""
    heads = entity_heads(tx, {int(each) for row in rows for each in row.members[:names]})
    return [
        Community(
            row.id,
            row.level,
            row.parent_id,
            row.title,
            row.summary,
            row.summarised_by,
            row.size,
            tuple(heads[each].name for each in row.members[:names].tolist() if each in heads),
            row.citations,
            scores[at] if scores else 0.0,
        )
        for at, row in enumerate(rows)
    ]


def _known(found: Standing, number: int | None) -> CommunityRow | None:
    if number is None:
        return None
    if number not in found.by_id:
        raise UnknownName("community", str(number), hint="get_communities lists them; rebuilt ones have new numbers.")
    return found.by_id[number]
