"""The chunk edges in memory: sorted by chunk in both directions, walked without touching the file.

A slot is one chunk edge. The base is sorted once; edges recorded since are in a small overlay, retired ones are marked.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import concatenated_ranges
from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.chunk_edge_rows import chunk_edge_rows, chunk_edge_rows_since

Slots = NDArray[np.int64]
MAX_OVERLAY = 5_000


@dataclass(frozen=True)
class Ends:
    """One end of the edges of the base: chunk ids ascending, and for each the slot of its edge."""

    chunk_ids: Ids
    slots: Slots

    def at(self, chunk_ids: Ids) -> Slots:
        """The slots that have any of the chunks at this end, chunk by chunk."""
        first = np.searchsorted(self.chunk_ids, chunk_ids, side="left")
        lengths = np.searchsorted(self.chunk_ids, chunk_ids, side="right") - first
        return self.slots[concatenated_ranges(first, lengths)]


@dataclass(frozen=True)
class ChunkEdges:
    """Chunk edges, each column with one row per slot; slots from `base` on are overlay.

    `relations` are positions in the store's `RELATIONS`, `weights` are in (0, 1]; `active` marks those not retired.
    """

    edge_ids: Ids
    sources: Ids
    targets: Ids
    relations: NDArray[np.int64]
    weights: NDArray[np.float32]
    active: NDArray[np.bool_]
    outgoing: Ends
    incoming: Ends
    base: int

    @property
    def size(self) -> int:
        """The number of active chunk edges."""
        return int(self.active.sum())

    def leaving(self, chunk_ids: Ids) -> Slots:
        """The active slots whose source is one of the chunks, which ascend."""
        return self._at(self.outgoing, self.sources, chunk_ids)

    def entering(self, chunk_ids: Ids) -> Slots:
        """The active slots whose target is one of the chunks, which ascend."""
        return self._at(self.incoming, self.targets, chunk_ids)

    def _at(self, base: Ends, ends: Ids, chunk_ids: Ids) -> Slots:
        slots = base.at(chunk_ids)
        if self.base < len(self.edge_ids):
            overlay = np.flatnonzero(np.isin(ends[self.base :], chunk_ids)) + self.base
            slots = np.concatenate([slots, overlay])
        return slots[self.active[slots]]


def chunk_edges_from(rows: dict[str, NDArray[Any]]) -> ChunkEdges:
    """Chunk edges from columns id, source_id, target_id, relation and weight, all of them base and active."""
    order = np.argsort(rows["id"], kind="stable")
    columns = _columns({name: column[order] for name, column in rows.items()})
    count = len(order)
    return ChunkEdges(
        *columns, np.ones(count, dtype=np.bool_), outgoing=_ends(columns[1]), incoming=_ends(columns[2]), base=count
    )


def build_chunk_edges(tx: Reader) -> ChunkEdges:
    """The active chunk edges, without overlay."""
    return chunk_edges_from(chunk_edge_rows(tx))


def update_chunk_edges(tx: Reader, old: ChunkEdges, since: int) -> ChunkEdges | None:
    """The edges after the changes since a generation; None if the overlay would become large, to rebuild."""
    rows = chunk_edge_rows_since(tx, since)
    at = _slots_of(old, rows["id"])
    retired = np.asarray(rows["retired"], dtype=np.bool_)
    known = at >= 0
    new = ~retired & ~known
    if len(old.edge_ids) - old.base + int(new.sum()) > max(MAX_OVERLAY, old.base // 50):
        return None
    active = old.active.copy()
    active[at[known]] = ~retired[known]
    if not new.any():
        return replace(old, active=active)
    edge_ids, sources, targets, relations, weights = _columns({name: column[new] for name, column in rows.items()})
    return replace(
        old,
        edge_ids=np.concatenate([old.edge_ids, edge_ids]),
        sources=np.concatenate([old.sources, sources]),
        targets=np.concatenate([old.targets, targets]),
        relations=np.concatenate([old.relations, relations]),
        weights=np.concatenate([old.weights, weights]),
        active=np.concatenate([active, np.ones(len(edge_ids), dtype=np.bool_)]),
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
    """The slot of each edge, -1 for those without one."""
    if not len(edges.edge_ids):
        return np.full(len(edge_ids), -1, dtype=np.int64)
    # Restored edges come after newer ids.
    order = np.argsort(edges.edge_ids, kind="stable")
    at = np.minimum(np.searchsorted(edges.edge_ids, edge_ids, sorter=order), len(order) - 1)
    return np.where(edges.edge_ids[order[at]] == edge_ids, order[at], -1)
