"""The communities of a snapshot: the stored ones, or if these are out of date, ones built in memory."""

import threading
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from mcp_graphrag.communities.build_communities import build_rows
from mcp_graphrag.errors import BadInput, PartMissing
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.community_rows import (
    CommunityRow,
    built_at,
    communities_are_stale,
    communities_generation,
    mention_count,
    stored_communities,
)

MAX_TRIPLES = 100_000  # of a graph whose communities are built while a caller waits
MAX_CACHED_MOMENTS = 2
PAST_NOTE = "Communities were built for that moment, without summaries of a model."
REBUILD_HINT = "Build them with `mcp-graphrag communities --rebuild`."


@dataclass(eq=False)  # compared by identity, as a key of caches
class CommunitySnapshot:
    """The communities of a snapshot with notes, the broadest level first, within a level the largest first."""

    rows: Sequence[CommunityRow]
    notes: tuple[str, ...] = ()
    mark: int | None = None
    last_id: int = 0  # the highest id that any community of this file had in this process

    @cached_property
    def by_id(self) -> Mapping[int, CommunityRow]:
        """Every community by its id."""
        return {row.id: row for row in self.rows}

    @cached_property
    def levels(self) -> Mapping[int, int]:
        """How many communities each level has."""
        return dict(sorted(Counter(row.level for row in self.rows).items()))

    @cached_property
    def children(self) -> Mapping[int | None, Sequence[CommunityRow]]:
        """Communities by the id of the one that contains them, None for the broadest."""
        found: dict[int | None, list[CommunityRow]] = defaultdict(list)
        for row in self.rows:
            found[row.parent_id].append(row)
        return found


class _Cache:
    """The communities of one file that are kept between calls."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.key: tuple[int, int] | None = None
        self.present: CommunitySnapshot | None = None
        self.past_lock = threading.Lock()  # separate, so that calls about the present do not wait for it
        self.past: dict[tuple[int, int, int], CommunitySnapshot] = {}


def current_communities(snapshot: Snapshot, *, max_triples: int = MAX_TRIPLES) -> CommunitySnapshot:
    """The communities of the snapshot: the stored ones, or if they are out of date, new ones. Writes nothing.

    For a graph of more than `max_triples` triples the stored ones are used anyway, with a note. Raises PartMissing if
    there are none, BadInput for a past moment of such a graph.
    """
    cache = snapshot.indexes.cache(_Cache)
    if snapshot.tx.known is not None:
        return _past(snapshot, cache, max_triples, snapshot.tx.known)
    key = snapshot.tx.epoch, snapshot.tx.generation
    with cache.lock:
        if cache.present is None or cache.key != key:
            same_file = cache.key is not None and cache.key[0] == snapshot.tx.epoch
            cache.present = _present(snapshot, cache.present if same_file else None, max_triples)
            cache.key = key
        return cache.present


def _past(snapshot: Snapshot, cache: _Cache, max_triples: int, known: int) -> CommunitySnapshot:
    """The communities of a past moment; those of the last few moments are cached until the next write."""
    key = snapshot.tx.epoch, snapshot.tx.generation, known
    with cache.past_lock:
        cached = cache.past.pop(key, None)
        if cached is None and graph_weight(snapshot) > max_triples:
            raise BadInput("Communities of a graph of this size are available for the present only.", "Omit known_at.")
        cached = cached or _built(snapshot, (PAST_NOTE,))
        current = [(other, snapshot_) for other, snapshot_ in cache.past.items() if other[:2] == key[:2]]
        cache.past = {**dict(current[-(MAX_CACHED_MOMENTS - 1) :]), key: cached}
        return cached


def _present(snapshot: Snapshot, before: CommunitySnapshot | None, max_triples: int) -> CommunitySnapshot:
    """The communities of the present; `before` are reused if they are still the stored ones."""
    mark = communities_generation(snapshot.tx)
    if not communities_are_stale(snapshot.tx):
        if before is not None and before.mark == mark and not before.notes:
            return before
        return CommunitySnapshot(stored_communities(snapshot.tx), mark=mark)
    if graph_weight(snapshot) <= max_triples:
        return _built(snapshot, before=before)
    if mark is None:
        raise PartMissing("The communities of this graph are not built yet.", REBUILD_HINT)
    moment = built_at(snapshot.tx)
    as_of = f" as of {moment:%Y-%m-%d %H:%M} UTC" if moment else ""
    note = f"The communities are of the graph{as_of}, which has changed since. {REBUILD_HINT}"
    return CommunitySnapshot(stored_communities(snapshot.tx), (note,))


def _built(
    snapshot: Snapshot, notes: tuple[str, ...] = (), before: CommunitySnapshot | None = None
) -> CommunitySnapshot:
    before = before or CommunitySnapshot(())
    rows = build_rows(snapshot, before.rows, before.last_id).rows
    last_id = max(before.last_id, *(row.id for row in (*before.rows, *rows)), 0)
    return CommunitySnapshot(sorted(rows, key=lambda row: (row.level, -row.size, row.id)), notes, last_id=last_id)


def graph_weight(snapshot: Snapshot) -> int:
    """The size of the graph for building communities, in triples: four mentions cost about as much as one triple."""
    return snapshot.triple_graph.size + mention_count(snapshot.tx) // 4
