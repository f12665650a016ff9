"""The resident chunk edges: compressed rows over chunk ids in both directions, walked without touching the file.

A slot is one chunk edge. The base is sorted once; edges recorded since lie in a small overlay, retired ones are marked.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.runs import places_of_runs
from mcp_graphrag.model import Ids
from mcp_graphrag.store.chunk_edges import chunk_edge_rows, chunk_edge_rows_since
from mcp_graphrag.store.transaction import Reader

Slots = NDArray[np.int64]
MOST_OVERLAY = 5_000


@dataclass(frozen=True)
class Ends:
    """One end of the edges of the base: chunk ids ascending, and beside each the slot of its edge."""

    chunk_ids: Ids
    slots: Slots

    def at(self, chunk_ids: Ids) -> Slots:
        """The slots that have any of the chunks at this end, chunk by chunk."""
        first = np.searchsorted(self.chunk_ids, chunk_ids, side="left")
        lengths = np.searchsorted(self.chunk_ids, chunk_ids, side="right") - first
        return self.slots[places_of_runs(first, lengths)]


@dataclass(frozen=True)
class ChunkEdges:
    """Chunk edges, each column with one row a slot; slots from `base` on are overlay.

    `relations` are places in the store's `RELATIONS`, `weights` in (0, 1]; only what is `alive` is in force.
    """

    edge_ids: Ids
    sources: Ids
    targets: Ids
    relations: NDArray[np.int64]
    weights: NDArray[np.float32]
    alive: NDArray[np.bool_]
    out: Ends
    into: Ends
    base: int

    @property
    def size(self) -> int:
        """The number of chunk edges in force."""
        return int(self.alive.sum())

    def leaving(self, chunk_ids: Ids) -> Slots:
        """The slots in force whose source is one of the chunks, which ascend."""
        return self._at(self.out, self.sources, chunk_ids)

    def entering(self, chunk_ids: Ids) -> Slots:
        """The slots in force whose target is one of the chunks, which ascend."""
        return self._at(self.into, self.targets, chunk_ids)

    def _at(self, base: Ends, ends: Ids, chunk_ids: Ids) -> Slots:
        slots = base.at(chunk_ids)
        if self.base < len(self.edge_ids):
            late = np.flatnonzero(np.isin(ends[self.base :], chunk_ids)) + self.base
            slots = np.concatenate([slots, late])
        return slots[self.alive[slots]]


def chunk_edges_from(rows: dict[str, NDArray[Any]]) -> ChunkEdges:
    """Chunk edges from columns id, source_id, target_id, relation and weight, all of them base and in force."""
    order = np.argsort(rows["id"], kind="stable")
    columns = _columns({name: column[order] for name, column in rows.items()})
    count = len(order)
    return ChunkEdges(
        *columns, np.ones(count, dtype=np.bool_), out=_ends(columns[1]), into=_ends(columns[2]), base=count
    )


def build_chunk_edges(tx: Reader) -> ChunkEdges:
    """The chunk edges in force, without overlay."""
    return chunk_edges_from(chunk_edge_rows(tx))


def update_chunk_edges(tx: Reader, old: ChunkEdges, since: int) -> ChunkEdges | None:
    """The edges after the changes since a generation; None asks for a rebuild, when the overlay would be large."""
    rows = chunk_edge_rows_since(tx, since)
    at = _slots_of(old, rows["id"])
    retired = np.asarray(rows["retired"], dtype=np.bool_)
    known = at >= 0
    fresh = ~retired & ~known
    if len(old.edge_ids) - old.base + int(fresh.sum()) > max(MOST_OVERLAY, old.base // 50):
        return None
    alive = old.alive.copy()
    alive[at[known]] = ~retired[known]
    if not fresh.any():
        return replace(old, alive=alive)
    edge_ids, sources, targets, relations, weights = _columns({name: column[fresh] for name, column in rows.items()})
    return replace(
        old,
        edge_ids=np.concatenate([old.edge_ids, edge_ids]),
        sources=np.concatenate([old.sources, sources]),
        targets=np.concatenate([old.targets, targets]),
        relations=np.concatenate([old.relations, relations]),
        weights=np.concatenate([old.weights, weights]),
        alive=np.concatenate([alive, np.ones(len(edge_ids), dtype=np.bool_)]),
    )


def _columns(rows: dict[str, NDArray[Any]]) -> tuple[Ids, Ids, Ids, NDArray[np.int64], NDArray[np.float32]]:
    return (
        np.asarray(rows["id"], dtype=np.int64),
        np.asarray(rows["source_id"], dtype=np.int64),
        np.asarray(rows["target_id"], dtype=np.int64),
        np.asarray(rows["relation"], dtype=np.int64),
        np.asarray(rows["weight"], dtype=np.float32),
    )


def _ends(chunk_ids: Ids) -> Ends:
    order = np.argsort(chunk_ids, kind="stable")
    return Ends(chunk_ids[order], order)


def _slots_of(edges: ChunkEdges, edge_ids: NDArray[Any]) -> Slots:
    """The slot of each edge, -1 for those that are not there."""
    if not len(edges.edge_ids):
        return np.full(len(edge_ids), -1, dtype=np.int64)
    # What came back into force lies behind younger ids.
    order = np.argsort(edges.edge_ids, kind="stable")
    at = np.minimum(np.searchsorted(edges.edge_ids, edge_ids, sorter=order), len(order) - 1)
    return np.where(edges.edge_ids[order[at]] == edge_ids, order[at], -1)
