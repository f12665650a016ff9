"""Communities of a snapshot: drawn from it, with the words of those that are still the same kept."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.model import Ids
from mcp_graphrag.retrieve.community_ground import Drawn, draw, survey
from mcp_graphrag.retrieve.community_summary import Summary, summarise
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.communities import (
    EXTRACTIVE,
    CommunityRow,
    cited_in_force,
    mention_count,
    stored_communities,
)


@dataclass(frozen=True)
class DrawnRows:
    """The communities of a snapshot; those at `fresh` (positions) are new, and have ids from `first_id` on."""

    rows: Sequence[CommunityRow]
    fresh: Sequence[int]
    before: Sequence[CommunityRow]
    first_id: int


def graph_weight(tx: Reader, triples: int) -> int:
    """How much there is to draw communities from, in triples: four mentions cost about as much as one."""
    return triples + mention_count(tx) // 4


def draw_rows(store: Store, tx: Reader, embedder: Embedder) -> DrawnRows:
    """The communities of the snapshot, a broader one before those inside it.

    One whose members and triples are those of a stored one keeps its id, title and summary, if all that it quotes is
    still in force. Writes nothing.
    """
    before = stored_communities(tx) if tx.known is None else []
    ground = survey(store, tx)
    drawn = draw(ground)
    known = _still_the_same(tx, before)
    fresh = [at for at, each in enumerate(drawn) if each.sha256 not in known]
    first_id = max((row.id for row in before), default=0) + 1
    ids = [known[each.sha256].id if each.sha256 in known else 0 for each in drawn]
    for number, at in enumerate(fresh, start=first_id):
        ids[at] = number
    summaries = dict(zip(fresh, summarise(tx, ground, embedder, [drawn[at] for at in fresh]), strict=True))
    rows = [
        _row(each, ids, at, ground.entity_ids, summaries.get(at), known.get(each.sha256))
        for at, each in enumerate(drawn)
    ]
    return DrawnRows(rows, fresh, before, first_id)


def numbered(drawn: DrawnRows, ids: Ids) -> list[CommunityRow]:
    """The rows with other ids for those that are fresh."""
    new = {drawn.rows[at].id: int(each) for at, each in zip(drawn.fresh, ids, strict=True)}
    return [
        replace(
            row,
            id=new.get(row.id, row.id),
            parent_id=None if row.parent_id is None else new.get(row.parent_id, row.parent_id),
        )
        for row in drawn.rows
    ]


def _still_the_same(tx: Reader, before: Iterable[CommunityRow]) -> dict[str, CommunityRow]:
    stored = {row.sha256: row for row in before}
    cited = cited_in_force(tx, (citation for row in stored.values() for citation in row.citations))
    return {sha256: row for sha256, row in stored.items() if cited.issuperset(row.citations)}


def _row(
    drawn: Drawn, ids: Sequence[int], at: int, entity_ids: Ids, summary: Summary | None, known: CommunityRow | None
) -> CommunityRow:
    parent = None if drawn.parent is None else ids[drawn.parent]
    members = np.asarray(entity_ids[drawn.nodes], dtype=np.int64)
    if known is not None:
        return replace(known, level=drawn.level, parent_id=parent, members=members, ranks=drawn.ranks)
    said = summary or Summary("", "")
    words = (said.title, said.summary, EXTRACTIVE, said.citations, drawn.sha256)
    return CommunityRow(ids[at], drawn.level, parent, *words, members, drawn.ranks)
