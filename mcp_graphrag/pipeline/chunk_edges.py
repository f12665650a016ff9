"""Chunk edges that come with the text: found without a model, pruned, and stored in the transaction of their chunks.

A pointer to a document that comes later in the same ingest waits for it. When a document is replaced, those that point
at it are looked at again.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mcp_graphrag.extract.chunk_edges import find_chunk_edges
from mcp_graphrag.model import ChunkEdge, Relation
from mcp_graphrag.pipeline.pointers import Pending, Targets, Told, keys_of, told_documents
from mcp_graphrag.settings import Settings
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.chunk_edges import (
    add_chunk_edges,
    documents_pointing_at,
    outgoing_edges,
    retire_chunk_edges,
    strongest,
)

MOST_WAITING = 200_000  # pointers to documents that may still come
MOST_LOOKED_AT_AGAIN = 200  # documents that point at replaced ones; more are left to a discovery

EdgeKey = tuple[int, int, Relation]


@dataclass
class EdgeFinder:
    """Finds and stores the chunk edges of one ingest, batch by batch. `documents` are those it has seen."""

    settings: Settings
    documents: list[int] = field(default_factory=list[int])
    _targets: Targets = field(default_factory=Targets)
    _waiting: dict[str, list[Pending]] = field(default_factory=lambda: defaultdict[str, list[Pending]](list))
    _room: int = MOST_WAITING

    def pointing_at(self, tx: Reader, document_ids: Sequence[int]) -> list[int]:
        """The documents that point at some which are about to be replaced, to be given to `store`."""
        return documents_pointing_at(tx, document_ids, limit=MOST_LOOKED_AT_AGAIN)

    def store(self, tx: Writer, told: Sequence[Told], pointing: Sequence[int] = ()) -> int:
        """How many edges were written, of documents that were just stored and of those that pointed at them before."""
        edges: list[ChunkEdge] = []
        fresh: list[Pending] = []
        for each in told:
            own, pointers = edges_of(each, self._targets)
            edges += own
            fresh += pointers
        again = [pending for each in told_documents(tx, pointing) for pending in edges_of(each, self._targets)[1]]
        again += [pending for each in told for key in keys_of(each.document) for pending in self._waiting.get(key, ())]
        led, left = self._targets.resolve(tx, fresh)
        edges += led
        if again:
            edges += self._targets.resolve(tx, again)[0]
        self._wait(left)
        self.documents += [each.document_id for each in told]
        return store_edges(tx, edges, self.settings)

    def _wait(self, pending: Iterable[Pending]) -> None:
        for each in pending:
            if self._room <= 0:
                return
            self._room -= 1
            for key in each.pointer.keys:
                self._waiting[key].append(each)


def edges_of(told: Told, targets: Targets) -> tuple[list[ChunkEdge], list[Pending]]:
    """The edges inside a document, and its pointers to others; `targets` learns where its headings are."""
    ids = told.chunk_ids
    found = find_chunk_edges(told.document, told.chunks)
    targets.note(told, found)
    edges = [ChunkEdge(ids[edge.source], ids[edge.target], *edge[2:]) for edge in found.edges]
    return edges, [Pending(ids[pointer.source], told.document_id, pointer) for pointer in found.pointers]


def store_edges(tx: Writer, edges: Sequence[ChunkEdge], settings: Settings) -> int:
    """How many edges were written of those that are strong enough: no more from one chunk than the settings allow."""
    kept = [edge for edge in strongest(edges) if edge.weight >= settings.edge_min_weight]
    if settings.edge_most and kept:
        kept = _strongest_of_each(tx, kept, settings.edge_most)
    return add_chunk_edges(tx, kept)


def _strongest_of_each(tx: Writer, edges: Sequence[ChunkEdge], most: int) -> list[ChunkEdge]:
    """The edges that are among the strongest of their source; stored ones that no longer are go out of force."""
    stored = outgoing_edges(tx, {edge.source for edge in edges})
    best: dict[EdgeKey, tuple[float, int]] = {_key(edge): (-edge.weight, at) for at, edge in enumerate(edges)}
    for edge in stored.values():
        best[_key(edge)] = min(best.get(_key(edge), (0.0, 0)), (-edge.weight, -1))
    of_source: dict[int, list[tuple[float, int, EdgeKey]]] = defaultdict(list)
    for key, (weight, at) in best.items():
        of_source[key[0]].append((weight, at, key))
    kept = {key for ranked in of_source.values() for _, _, key in sorted(ranked)[:most]}
    outdone = [edge_id for edge_id, edge in stored.items() if _key(edge) not in kept]
    if outdone:
        retire_chunk_edges(tx, outdone)
    return [edge for edge in edges if _key(edge) in kept]


def _key(edge: ChunkEdge) -> EdgeKey:
    return edge.source, edge.target, edge.relation
