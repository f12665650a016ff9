"""Communities of a snapshot as rows; one that has not changed keeps its id, title and summary."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mcp_graphrag.communities.community_graph import build_community_graph, detect_communities
from mcp_graphrag.communities.summarize import summarize_communities
from mcp_graphrag.model import Ids
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.community_rows import (
    EXTRACTIVE,
    CommunityRow,
    active_citations,
    stored_communities,
)


@dataclass(frozen=True)
class BuiltRows:
    """The communities of a snapshot; those at the positions `fresh` are new and have provisional ids."""

    rows: Sequence[CommunityRow]
    fresh: Sequence[int]
    before: Sequence[CommunityRow]


def build_rows(snapshot: Snapshot, previous: Sequence[CommunityRow] = (), last_id: int = 0) -> BuiltRows:
    """The communities of the snapshot, each after the one that contains it. Writes nothing.

    One with the members and triples of a stored one, or of one of `previous`, keeps its id, title and summary, if all
    that it cites is still in force. New ids are above those of both and above `last_id`.
    """
    before = stored_communities(snapshot.tx) if snapshot.tx.known is None else []
    graph = build_community_graph(snapshot)
    communities = detect_communities(graph)
    known = _reusable(snapshot.tx, [*previous, *before])
    fresh = [at for at, community in enumerate(communities) if community.sha256 not in known]
    first_id = max(last_id, *(row.id for row in (*previous, *before)), 0) + 1
    new_ids = dict(zip(fresh, itertools.count(first_id), strict=False))
    ids = [new_ids[at] if at in new_ids else known[one.sha256].id for at, one in enumerate(communities)]
    summaries = dict(zip(fresh, summarize_communities(snapshot, graph, [communities[at] for at in fresh]), strict=True))
    rows: list[CommunityRow] = []
    for at, one in enumerate(communities):
        parent = None if one.parent is None else ids[one.parent]
        members = np.asarray(graph.entity_ids[one.nodes], dtype=np.int64)
        if at in summaries:
            text = summaries[at]
            fields = (text.title, text.summary, EXTRACTIVE, text.citations, one.sha256)
            rows.append(CommunityRow(ids[at], one.level, parent, *fields, members, one.ranks))
        else:
            row = known[one.sha256]
            rows.append(replace(row, level=one.level, parent_id=parent, members=members, ranks=one.ranks))
    return BuiltRows(rows, fresh, before)


def with_ids(built: BuiltRows, ids: Ids) -> list[CommunityRow]:
    """The rows with these ids in place of the provisional ones."""
    new = {built.rows[at].id: int(new_id) for at, new_id in zip(built.fresh, ids, strict=True)}
    return [
        replace(
            row,
            id=new.get(row.id, row.id),
            parent_id=None if row.parent_id is None else new.get(row.parent_id, row.parent_id),
        )
        for row in built.rows
    ]


def _reusable(tx: Reader, before: Iterable[CommunityRow]) -> dict[str, CommunityRow]:
    """Communities by hash, the last of each, those of which every citation is in force."""
    stored = {row.sha256: row for row in before}
    cited = active_citations(tx, (citation for row in stored.values() for citation in row.citations))
    return {sha256: row for sha256, row in stored.items() if cited.issuperset(row.citations)}
