"""Communities: listed level by level, or ranked for a question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcp_graphrag.communities.clusters import MAX_MEMBERS
from mcp_graphrag.communities.current_communities import MAX_TRIPLES, CommunitySnapshot, current_communities
from mcp_graphrag.communities.score_communities import best_communities
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Community
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.community_rows import CommunityRow
from mcp_graphrag.store.rows.entity_rows import entity_labels

MAX_NAMES_SHOWN = 8


@dataclass(frozen=True)
class CommunityPage:
    """A page of communities; `parent` is the one that contains them, if the caller named one.

    `levels` counts the communities of each level, `children` those inside each listed one. `next_after` continues the
    list, None at its end.
    """

    communities: Sequence[Community]
    total: int
    levels: Mapping[int, int]
    parent: Community | None = None
    children: Mapping[int, int] | None = None
    next_after: int | None = None
    notes: Sequence[str] = ()


def list_communities(
    snapshot: Snapshot,
    *,
    level: int | None = None,
    parent: int | None = None,
    limit: int = 20,
    after: int = 0,
    max_triples: int = MAX_TRIPLES,
) -> CommunityPage:
    """The communities of a level (0, the broadest, by default), or those inside one; without the first `after`.

    Raises UnknownName for an unknown community, BadInput for an unknown level.
    """
    current = current_communities(snapshot, max_triples=max_triples)
    levels = current.levels
    if parent is not None and parent not in current.by_id:
        hint = "Call `get_communities` to list them; changed communities have new ids."
        raise UnknownName("community", str(parent), hint=hint)
    if level is not None and levels and not 0 <= level <= max(levels):
        raise BadInput(f"There is no level {level}.", f"Levels are 0, the broadest, to {max(levels)}.")
    if parent is not None:
        wanted = [row for row in current.children.get(parent, ()) if level in {None, row.level}]
    else:
        wanted = [row for row in current.rows if row.level == (level or 0)]
    page = wanted[after : after + limit]
    return CommunityPage(
        communities_of(snapshot.tx, page),
        len(wanted),
        levels,
        None if parent is None else communities_of(snapshot.tx, [current.by_id[parent]], names=50)[0],
        {row.id: len(current.children.get(row.id, ())) for row in page},
        after + limit if after + limit < len(wanted) else None,
        (*current.notes, *_dominant(current, page)),
    )


def _dominant(current: CommunitySnapshot, page: Sequence[CommunityRow]) -> list[str]:
    """A sentence for a large community of the page that has more than half of the entities in communities."""
    entities = sum(row.size for row in current.rows if row.parent_id is None)
    return [
        f"Community {row.id} has {row.size} of the {entities} entities in communities, so its title says little of it:"
        " look inside."
        for row in page
        if row.parent_id is None and row.size > max(MAX_MEMBERS, entities / 2)
    ]


def rank_communities(
    snapshot: Snapshot, query: str, *, level: int | None = None, limit: int = 10, max_triples: int = MAX_TRIPLES
) -> CommunityPage:
    """The communities that a question is about, best first, by meaning and words; of nested ones only the best.

    For an overview question, the largest ones of the broadest level. Notes say if they were ranked by words alone.
    """
    current = current_communities(snapshot, max_triples=max_triples)
    notes = list(current.notes)
    rows, scores = best_communities(snapshot, current, query, limit, note=notes.append, level=level)
    return CommunityPage(
        communities_of(snapshot.tx, rows, scores),
        len(rows),
        current.levels,
        children={row.id: len(current.children.get(row.id, ())) for row in rows},
        notes=notes,
    )


def communities_of(
    tx: Reader, rows: Sequence[CommunityRow], scores: Sequence[float] = (), *, names: int = MAX_NAMES_SHOWN
) -> list[Community]:
    """Rows as communities, each with the names of its most central members."""
    heads = entity_labels(tx, {int(entity_id) for row in rows for entity_id in row.members[:names]})
    return [
        Community(
            row.id,
            row.level,
            row.parent_id,
            row.title,
            row.summary,
            row.summarised_by,
            row.size,
            tuple(heads[entity_id].name for entity_id in row.members[:names].tolist() if entity_id in heads),
            row.citations,
            scores[at] if scores else 0.0,
        )
        for at, row in enumerate(rows)
    ]
