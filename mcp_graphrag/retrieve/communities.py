"""Communities: listed level by level, ranked for a question, and the chunks of their members that matter."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput, PartMissing, UnknownName
from mcp_graphrag.index.resident import chunk_vectors
from mcp_graphrag.model import Community, Ids
from mcp_graphrag.retrieve.community_rank import Note, rank_rows
from mcp_graphrag.retrieve.community_standing import MOST_AT_ONCE, Standing, standing
from mcp_graphrag.retrieve.fuse import Ranked
from mcp_graphrag.retrieve.whole import in_turns, is_about_the_whole
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.communities import CommunityRow, chunks_of_members
from mcp_graphrag.store.entities import entity_heads

NAMES_SHOWN = 8
GLOBAL_COMMUNITIES = 5
GLOBAL_MEMBERS = 12  # the members that matter
UNSEEN = 0.1  # the closeness of a chunk that has no vector


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
    terms: Sequence[str] | None = None,
    level: int | None = None,
    most: int = MOST_AT_ONCE,
    note: Note = lambda _: None,
) -> list[Community]:
    """The communities that a question is about, best first, by meaning and by words; of nested ones the best only.

    For a question about the whole, the largest of the broadest level. `note` is told where words alone ranked them.
    """
    found = standing(store, tx, embedder, most=most)
    return communities_of(tx, *rank_rows(store, tx, embedder, found, query, limit, note=note, terms=terms, level=level))


def global_arm(
    store: Store,
    tx: Reader,
    embedder: Embedder,
    query: str,
    terms: Sequence[str],
    limit: int,
    among: Ids | None = None,
    *,
    most: int = MOST_AT_ONCE,
    note: Note = lambda _: None,
) -> tuple[list[Community], Ranked]:
    """The communities that a question is about, and the chunks that name or support their central members.

    A chunk's score is that of the community times the rank of the member times its closeness to the question. For a
    question about the whole, to which nothing is close, the largest communities take turns. `note` is told where words
    alone ranked the communities.
    """
    found = standing(store, tx, embedder, most=most)
    rows, scores = rank_rows(store, tx, embedder, found, query, GLOBAL_COMMUNITIES, note=note, terms=terms)
    weights: dict[int, float] = {}
    place_of: dict[int, int] = {}
    for place, (row, score) in enumerate(zip(rows, scores, strict=True)):
        for entity_id, rank in zip(row.members[:GLOBAL_MEMBERS].tolist(), row.ranks.tolist(), strict=False):
            weights[entity_id] = max(weights.get(entity_id, 0.0), score * rank)
            place_of.setdefault(entity_id, place)
    chunk_ids, entity_ids = chunks_of_members(tx, weights)
    named: dict[int, list[float]] = defaultdict(list)
    places: dict[int, int] = {}
    for chunk_id, entity_id in zip(chunk_ids.tolist(), entity_ids.tolist(), strict=True):
        named[chunk_id].append(weights[entity_id])
        places[chunk_id] = min(places.get(chunk_id, place_of[entity_id]), place_of[entity_id])
    allowed = set(named) if among is None else set(named) & set(among.tolist())
    whole = is_about_the_whole(query)
    close = {} if whole else _cosines(store, tx, embedder, query, np.array(sorted(allowed), dtype=np.int64))
    # What names several members counts for more, but a list of all of them is not the best of them.
    scored = [
        (each, (max(named[each]) + 0.25 * (sum(named[each]) - max(named[each]))) * close.get(each, UNSEEN))
        for each in sorted(allowed)
    ]
    scored.sort(key=lambda one: (-one[1], one[0]))
    scored = in_turns(places, scored) if whole else scored
    return communities_of(tx, rows, scores), scored[:limit]


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


def _cosines(store: Store, tx: Reader, embedder: Embedder, query: str, chunk_ids: Ids) -> dict[int, float]:
    """The cosine of question and chunk, from UNSEEN up; nothing where there are no vectors."""
    vectors = chunk_vectors(store, tx)
    if not len(chunk_ids) or not vectors.count:
        return {}
    try:
        asked = embedder.embed([query])[0]
    except PartMissing:
        return {}
    if not asked.any():
        return {}
    near = vectors.nearest(tx, asked, limit=len(chunk_ids), among=chunk_ids)
    return {chunk_id: max(cosine, UNSEEN) for chunk_id, cosine in near}
