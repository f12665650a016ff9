"""The map of a graph to look at: its communities with the links between them, and inside a small one its entities."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.communities.current_communities import current_communities
from mcp_graphrag.communities.list_communities import communities_of
from mcp_graphrag.errors import PartMissing, UnknownName
from mcp_graphrag.index.triple_graph import FAR_FUTURE
from mcp_graphrag.lookup.query_triples import fetch_triples
from mcp_graphrag.model import Community, Triple
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.community_rows import CommunityRow
from mcp_graphrag.store.rows.entity_rows import EntityLabel, entity_labels

FEW_ENTITIES = 250  # that are drawn themselves
MAX_COMMUNITIES = 200
QUICKLY_BUILT = 10_000  # triples of a graph whose communities are built when it is opened
MAX_LINKS = 500  # between communities, the strongest
MAX_TRIPLES_SHOWN = 1_000


@dataclass(frozen=True)
class CommunityMap:
    """What is drawn of a graph, or of the community `inside`; `above` are those that contain it, the broadest first.

    `links` are two communities by id, and how many triples lead from one to the other. Where there are few `entities`,
    each with how many triples it has in the graph, they and their `triples` stand in place of communities. `left_out`
    counts what is not drawn, by what it is. With `unbuilt` there are no communities yet, and building takes long.
    """

    communities: Sequence[Community] = ()
    links: Sequence[tuple[int, int, int]] = ()
    entities: Sequence[tuple[EntityLabel, int]] = ()
    triples: Sequence[Triple] = ()
    inside: Community | None = None
    above: Sequence[Community] = ()
    left_out: tuple[tuple[str, int], ...] = ()
    notes: Sequence[str] = ()
    unbuilt: bool = False


def map_communities(snapshot: Snapshot, inside: int | None = None) -> CommunityMap:
    """The map of the graph, or of one community. Raises UnknownName for a community that is not there.

    Whoever looks does not wait for communities to be built, so of a large graph the stored ones are shown.
    """
    degrees = _degrees(snapshot)
    if inside is None and len(degrees) <= FEW_ENTITIES:
        return _of_entities(snapshot, degrees, list(degrees))
    try:
        current = current_communities(snapshot, max_triples=QUICKLY_BUILT)
    except PartMissing as error:
        drawn = _of_entities(snapshot, degrees, list(degrees))
        return replace(drawn, notes=[error.fact], unbuilt=True)
    if inside is not None and inside not in current.by_id:
        raise UnknownName("community", str(inside), hint="Open the map again: changed communities have new ids.")
    above: list[CommunityRow] = []
    row = None if inside is None else current.by_id[inside]
    while row is not None:
        above.insert(0, row)
        row = None if row.parent_id is None else current.by_id.get(row.parent_id)
    rows = list(current.children.get(inside, ()))
    named = communities_of(snapshot.tx, above)
    placed: dict[str, Any] = {"inside": named[-1] if named else None, "above": named[:-1], "notes": current.notes}
    members: list[int] = above[-1].members.tolist() if above else []
    if above and (not rows or len(members) <= FEW_ENTITIES):
        drawn = _of_entities(snapshot, degrees, members)
        return replace(drawn, **placed)
    shown = rows[:MAX_COMMUNITIES]
    links, fewer = _links(snapshot, shown)
    alone = len(members) - sum(each.size for each in rows) if above else 0
    left_out = (("communities", len(rows) - len(shown)), ("links", fewer), ("entities", max(alone, 0)))
    return CommunityMap(
        communities_of(snapshot.tx, shown), links, left_out=tuple(each for each in left_out if each[1]), **placed
    )


def dated_between(snapshot: Snapshot) -> tuple[datetime, datetime] | None:
    """The first and the last moment (naive UTC) at which a triple begins or ceases to hold, None where none does."""
    graph = snapshot.triple_graph
    ends = np.concatenate([graph.valid_from[graph.active], graph.valid_to[graph.active]])
    ends = ends[(ends > -FAR_FUTURE) & (ends < FAR_FUTURE)]
    if not len(ends):
        return None
    first, last = (datetime(1970, 1, 1) + timedelta(microseconds=int(each)) for each in (ends.min(), ends.max()))  # noqa: DTZ001
    return first, last


def _degrees(snapshot: Snapshot) -> dict[int, int]:
    """How many triples each entity has, those with most first."""
    graph = snapshot.valid_triples
    slots = np.flatnonzero(graph.holds(np.arange(len(graph.triple_ids))))
    counts = np.bincount(np.concatenate([graph.subjects[slots], graph.objects[slots]]), minlength=graph.node_count)
    nodes = np.argsort(-counts, kind="stable")[: int((counts > 0).sum())]
    return dict(zip(graph.entities(nodes).tolist(), counts[nodes].tolist(), strict=True))


def _of_entities(snapshot: Snapshot, degrees: dict[int, int], ids: Sequence[int]) -> CommunityMap:
    """The first entities, and the triples among them."""
    shown = ids[:FEW_ENTITIES]
    labels = entity_labels(snapshot.tx, shown)
    among: list[int] = snapshot.valid_triples.between(shown, shown).tolist()
    triples = fetch_triples(snapshot, among[:MAX_TRIPLES_SHOWN], max_evidence=1).values()
    left_out = (("entities", len(ids) - len(shown)), ("triples", len(among) - len(triples)))
    return CommunityMap(
        entities=[(labels[each], degrees.get(each, 0)) for each in shown if each in labels],
        triples=list(triples),
        left_out=tuple(each for each in left_out if each[1]),
    )


def _links(snapshot: Snapshot, rows: Sequence[CommunityRow]) -> tuple[list[tuple[int, int, int]], int]:
    """The strongest links between communities, and how many weaker ones there are."""
    graph, community = snapshot.valid_triples, _community_of_nodes(snapshot, rows)
    slots = np.flatnonzero(graph.holds(np.arange(len(graph.triple_ids))))
    one, other = community[graph.subjects[slots]], community[graph.objects[slots]]
    between = (one >= 0) & (other >= 0) & (one != other)
    low, high = np.minimum(one, other)[between], np.maximum(one, other)[between]
    pairs, counts = np.unique(low * len(rows) + high, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MAX_LINKS]
    strongest: list[int] = pairs[order].tolist()
    strength: list[int] = counts[order].tolist()
    found = [
        (rows[pair // len(rows)].id, rows[pair % len(rows)].id, count)
        for pair, count in zip(strongest, strength, strict=True)
    ]
    return found, len(pairs) - len(found)


def _community_of_nodes(snapshot: Snapshot, rows: Sequence[CommunityRow]) -> NDArray[np.int64]:
    """The position in `rows` of the community of each node of the graph, -1 for none."""
    graph = snapshot.valid_triples
    ids = graph.entities(np.arange(graph.node_count))
    members = np.concatenate([each.members for each in rows]) if rows else np.empty(0, dtype=np.int64)
    owners = np.repeat(np.arange(len(rows)), [each.size for each in rows])
    order = np.argsort(members, kind="stable")
    at = np.searchsorted(members[order], ids)
    found = np.full(len(ids), -1, dtype=np.int64)
    hit = np.flatnonzero(at < len(members))
    hit = hit[members[order][at[hit]] == ids[hit]]
    found[hit] = owners[order][at[hit]]
    return found
