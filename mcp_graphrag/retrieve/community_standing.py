"""The communities that stand for a snapshot: those that are stored, or drawn where these are older."""

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from weakref import WeakKeyDictionary

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput, PartMissing
from mcp_graphrag.index.resident import graph
from mcp_graphrag.retrieve.community_rows import draw_rows, graph_weight
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.communities import (
    CommunityRow,
    built_at,
    communities_are_stale,
    communities_mark,
    stored_communities,
)

MOST_AT_ONCE = 100_000  # triples of a graph whose communities are drawn while somebody waits
MOMENTS_KEPT = 2
THEN = "Communities were built for that moment, without what a model wrote."
REBUILD = "`mcp-graphrag communities --rebuild` builds them."


@dataclass(eq=False)  # one is another only where it is the same, so that what is made of it can be kept beside it
class Standing:
    """The communities of a snapshot, the broadest level first, within a level the largest first, with notes on them."""

    rows: Sequence[CommunityRow]
    notes: tuple[str, ...] = ()
    mark: int | None = None

    @cached_property
    def by_id(self) -> Mapping[int, CommunityRow]:
        """Every community by its id."""
        return {row.id: row for row in self.rows}

    @cached_property
    def children(self) -> Mapping[int | None, Sequence[CommunityRow]]:
        """Communities by the one that they are part of, None for the broadest."""
        found: dict[int | None, list[CommunityRow]] = defaultdict(list)
        for row in self.rows:
            found[row.parent_id].append(row)
        return found


class _Resident:
    """What is kept of one store's communities between questions."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.key: tuple[int, int] | None = None
        self.standing: Standing | None = None
        self.looking_back = threading.Lock()  # its own: who asks about the present does not wait for the past
        self.then: dict[tuple[int, int, int, str], Standing] = {}  # of the last moments that were looked back at


_residents: WeakKeyDictionary[Store, _Resident] = WeakKeyDictionary()


def standing(store: Store, tx: Reader, embedder: Embedder, *, most: int = MOST_AT_ONCE) -> Standing:
    """The communities of the snapshot: the stored ones, or where these are older, new ones if that takes seconds.

    A graph of more than `most` triples is answered by older ones with a note. Raises PartMissing where there are none,
    BadInput for a look back at such a graph.
    """
    resident = _residents.setdefault(store, _Resident())
    if tx.known is not None:
        return _then(store, tx, embedder, resident, most, tx.known)
    key = store.epoch, tx.generation
    with resident.lock:
        if resident.standing is None or resident.key != key:
            same_file = resident.key is not None and resident.key[0] == store.epoch
            resident.standing = _now(store, tx, embedder, resident.standing if same_file else None, most)
            resident.key = key
        return resident.standing


def _then(store: Store, tx: Reader, embedder: Embedder, resident: _Resident, most: int, known: int) -> Standing:
    """The communities of the moment after a change; those of the last few moments are kept until the next write."""
    key = store.epoch, tx.generation, known, embedder.name
    with resident.looking_back:
        kept = resident.then.pop(key, None)
        if kept is None:
            if graph_weight(tx, graph(store, tx).size) > most:
                raise BadInput("Communities of a graph of this size stand for the present.", "Ask without known_at.")
            kept = _drawn(store, tx, embedder, (THEN,))
        current = [(other, each) for other, each in resident.then.items() if other[:2] == key[:2]]
        resident.then = {**dict(current[-(MOMENTS_KEPT - 1) :]), key: kept}
        return kept


def _now(store: Store, tx: Reader, embedder: Embedder, before: Standing | None, most: int) -> Standing:
    mark = communities_mark(tx)
    if not communities_are_stale(tx):
        return before if before is not None and before.mark == mark and not before.notes else _stored(tx, mark)
    if graph_weight(tx, graph(store, tx).size) <= most:
        return _drawn(store, tx, embedder)
    if mark is None:
        raise PartMissing("The communities of this graph are not built yet.", REBUILD)
    moment = built_at(tx)
    since = f" of {moment:%Y-%m-%d %H:%M} UTC" if moment else ""
    return replace(_stored(tx, None), notes=(f"Communities stand for the graph{since}, which has changed; {REBUILD}",))


def _stored(tx: Reader, mark: int | None) -> Standing:
    return Standing(stored_communities(tx), mark=mark)


def _drawn(store: Store, tx: Reader, embedder: Embedder, notes: tuple[str, ...] = ()) -> Standing:
    rows = draw_rows(store, tx, embedder).rows
    return Standing(sorted(rows, key=lambda row: (row.level, -row.size, row.id)), notes)
