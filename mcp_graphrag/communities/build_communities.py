"""Communities of a snapshot as rows; one that has not changed keeps its id, title and summary."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mcp_graphrag.communities.community_graph import DetectedCommunity, build_community_graph, detect_communities
from mcp_graphrag.communities.summarize import Summary, summarize_communities
from mcp_graphrag.model import Ids
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.community_rows import (
    EXTRACTIVE,
    CommunityRow,
    active_citations,
    mention_count,
    stored_communities,
)


@dataclass(frozen=True)
class BuiltRows:
    """The communities of a snapshot; those at the positions `fresh` are new and have provisional ids."""

    rows: Sequence[CommunityRow]
    fresh: Sequence[int]
    before: Sequence[CommunityRow]


def graph_weight(tx: Reader, triples: int) -> int:
    """The size of the graph for building communities, in triples: four mentions cost about as much as one triple."""
    return triples + mention_count(tx) // 4


def build_rows(snapshot: Snapshot) -> BuiltRows:
    """The communities of the snapshot, each after the one that contains it. Writes nothing.

    One with the members and triples of a stored one keeps its id, title and summary, if all that it cites is still in
    force.
    """
    before = stored_communities(snapshot.tx) if snapshot.tx.known is None else []
    graph = build_community_graph(snapshot)
    communities = detect_communities(graph)
    known = _reusable(snapshot.tx, before)
    fresh = [at for at, community in enumerate(communities) if community.sha256 not in known]
    first_id = max((row.id for row in before), default=0) + 1
    ids = [known[community.sha256].id if community.sha256 in known else 0 for community in communities]
    for number, at in enumerate(fresh, start=first_id):
        ids[at] = number
    summaries = dict(zip(fresh, summarize_communities(snapshot, graph, [communities[at] for at in fresh]), strict=True))
    rows = [
        _row(community, ids, at, graph.entity_ids, summaries.get(at), known.get(community.sha256))
        for at, community in enumerate(communities)
    ]
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
    """Stored communities by hash, those of which every citation is in force."""
    stored = {row.sha256: row for row in before}
    cited = active_citations(tx, (citation for row in stored.values() for citation in row.citations))
    return {sha256: row for sha256, row in stored.items() if cited.issuperset(row.citations)}


def _row(
    detected: DetectedCommunity,
    ids: Sequence[int],
    at: int,
    entity_ids: Ids,
    summary: Summary | None,
    known: CommunityRow | None,
) -> CommunityRow:
    parent = None if detected.parent is None else ids[detected.parent]
    members = np.asarray(entity_ids[detected.nodes], dtype=np.int64)
    if known is not None:
        return replace(known, level=detected.level, parent_id=parent, members=members, ranks=detected.ranks)
    text = summary or Summary("", "")
    fields = (text.title, text.summary, EXTRACTIVE, text.citations, detected.sha256)
    return CommunityRow(ids[at], detected.level, parent, *fields, members, detected.ranks)
