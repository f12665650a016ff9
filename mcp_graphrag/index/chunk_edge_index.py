"""The chunk edges in memory: sorted by chunk in both directions, walked without touching the file.

A slot is one chunk edge. The base is sorted once; edges recorded since are in a small overlay, retired ones are marked.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import Adjacency, adjacency, appended, mark_slots, typed_columns, with_room
from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.chunk_edge_rows import chunk_edge_rows

FIELDS = {
    "edge_ids": ("id", np.int64),
    "sources": ("source_id", np.int64),
    "targets": ("target_id", np.int64),
    "relations": ("relation", np.int64),
    "weights": ("weight", np.float32),
}


@dataclass(frozen=True)
class ChunkEdges:
    """Chunk edges, each column with one row per slot.

    `relations` are positions in the store's `RELATIONS`, `weights` are in (0, 1]; `active` marks those not retired.
    """

    edge_ids: Ids
    sources: Ids
    targets: Ids
    relations: NDArray[np.int64]
    weights: NDArray[np.float32]
    active: NDArray[np.bool_]
    outgoing: Adjacency
    incoming: Adjacency

    @property
    def size(self) -> int:
        """The number of active chunk edges."""
        return int(self.active.sum())

    def leaving(self, chunk_ids: Ids) -> Ids:
        """The active slots whose source is one of the chunks, which ascend."""
        slots = self.outgoing.around(chunk_ids, self.sources)
        return slots[self.active[slots]]

    def entering(self, chunk_ids: Ids) -> Ids:
        """The active slots whose target is one of the chunks, which ascend."""
        slots = self.incoming.around(chunk_ids, self.targets)
        return slots[self.active[slots]]


def chunk_edges_from(rows: dict[str, NDArray[Any]]) -> ChunkEdges:
    """Chunk edges from columns id, source_id, target_id, relation and weight, all of them base and active."""
    columns = typed_columns(rows, FIELDS)
    active = with_room(np.ones(len(rows["id"]), dtype=np.bool_))
    outgoing, incoming = adjacency(columns["sources"]), adjacency(columns["targets"])
    roomy = {name: with_room(column) for name, column in columns.items()}
    return ChunkEdges(**roomy, active=active, outgoing=outgoing, incoming=incoming)


def build_chunk_edges(tx: Reader) -> ChunkEdges:
    """The active chunk edges, without overlay."""
    return chunk_edges_from(chunk_edge_rows(tx, since=-1))


def update_chunk_edges(tx: Reader, old: ChunkEdges, since: int) -> ChunkEdges | None:
    """The edges after the changes since a generation; None if the overlay would become large, to rebuild."""
    rows = chunk_edge_rows(tx, since=since)
    changed = mark_slots(rows, old.edge_ids, old.active, old.outgoing)
    if changed is None:
        return None
    _, _, new, active = changed
    columns = typed_columns({name: column[new] for name, column in rows.items()}, FIELDS)
    extended = {name: appended(getattr(old, name), column) for name, column in columns.items()}
    return replace(old, active=appended(active, new[new]), **extended)
