"""Chunk edges from texts: found without a model, limited, and stored in the transaction of their chunks.

A reference to a document that comes later in the same ingest waits for it. When a document is replaced, references to
it are resolved again.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from mcp_graphrag.chunk_edges.document_edges import find_chunk_edges
from mcp_graphrag.chunk_edges.resolve_links import (
    IndexedDocument,
    LocatedReference,
    Targets,
    indexed_documents,
    keys_of,
)
from mcp_graphrag.model import ChunkEdge, Relation
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.rows.chunk_edge_rows import (
    add_chunk_edges,
    outgoing_edges,
    referring_documents,
    retire_chunk_edges,
    strongest,
)

MAX_WAITING = 200_000  # references to documents that may come later
MAX_RESOLVED_AGAIN = 200  # documents with references to replaced ones; a discovery resolves more

EdgeKey = tuple[int, int, Relation]


@dataclass(frozen=True)
class EdgeLimits:
    """Which chunk edges are stored: those from `min_weight` on, at most `max_per_chunk` of a source, 0 for all."""

    min_weight: float = 0.0
    max_per_chunk: int = 0


@dataclass
class EdgeFinder:
    """Finds and stores the chunk edges of one ingest, batch by batch. `documents` are its documents so far."""

    limits: EdgeLimits
    documents: list[int] = field(default_factory=list[int])
    _targets: Targets = field(default_factory=Targets)
    _waiting: dict[str, list[LocatedReference]] = field(default_factory=lambda: defaultdict(list))
    _may_wait: int = MAX_WAITING

    def referring_to(self, tx: Reader, document_ids: Sequence[int]) -> list[int]:
        """The documents with references to documents that are about to be replaced, as `store` takes them."""
        return referring_documents(tx, document_ids, limit=MAX_RESOLVED_AGAIN)

    def store(self, tx: Writer, documents: Sequence[IndexedDocument], referring: Sequence[int] = ()) -> int:
        """How many edges were stored, of new documents and of those with references to the replaced ones."""
        edges: list[ChunkEdge] = []
        references: list[LocatedReference] = []
        for document in documents:
            own, to_others = edges_of(document, self._targets)
            edges += own
            references += to_others
        again = [located for old in indexed_documents(tx, referring) for located in edges_of(old, self._targets)[1]]
        for document in documents:
            again += [located for key in keys_of(document.document) for located in self._waiting.get(key, ())]
        resolved, unresolved = self._targets.resolve(tx, references)
        edges += resolved
        if again:
            edges += self._targets.resolve(tx, again)[0]
        self._wait(unresolved)
        self.documents += [document.document_id for document in documents]
        return store_edges(tx, edges, self.limits)

    def _wait(self, references: Iterable[LocatedReference]) -> None:
        for located in references:
            if self._may_wait <= 0:
                return
            self._may_wait -= 1
            for key in located.reference.keys:
                self._waiting[key].append(located)


def edges_of(indexed: IndexedDocument, targets: Targets) -> tuple[list[ChunkEdge], list[LocatedReference]]:
    """The edges inside a document, and its references to others; its headings are added to `targets`."""
    ids = indexed.chunk_ids
    found = find_chunk_edges(indexed.document, indexed.chunks)
    targets.cache_anchors(indexed, found)
    edges = [replace(edge, source=ids[edge.source], target=ids[edge.target]) for edge in found.edges]
    references = [LocatedReference(ids[at], indexed.document_id, reference) for at, reference in found.references]
    return edges, references


def store_edges(tx: Writer, edges: Sequence[ChunkEdge], limits: EdgeLimits) -> int:
    """How many edges were stored; those outside the limits are not."""
    kept = [edge for edge in strongest(edges) if edge.weight >= limits.min_weight]
    if limits.max_per_chunk and kept:
        kept = _strongest_by_source(tx, kept, limits.max_per_chunk)
    return add_chunk_edges(tx, kept)


def _strongest_by_source(tx: Writer, edges: Sequence[ChunkEdge], limit: int) -> list[ChunkEdge]:
    """The edges that are among the strongest of their source; stored ones that no longer are so are retired."""
    stored = outgoing_edges(tx, {edge.source for edge in edges})
    best: dict[EdgeKey, tuple[float, int]] = {_key(edge): (-edge.weight, at) for at, edge in enumerate(edges)}
    for edge in stored.values():
        best[_key(edge)] = min(best.get(_key(edge), (0.0, 0)), (-edge.weight, -1))
    of_source: dict[int, list[tuple[float, int, EdgeKey]]] = defaultdict(list)
    for key, (weight, at) in best.items():
        of_source[key[0]].append((weight, at, key))
    kept = {key for ranked in of_source.values() for _, _, key in sorted(ranked)[:limit]}
    surplus = [edge_id for edge_id, edge in stored.items() if _key(edge) not in kept]
    if surplus:
        retire_chunk_edges(tx, surplus)
    return [edge for edge in edges if _key(edge) in kept]


def _key(edge: ChunkEdge) -> EdgeKey:
    return edge.source, edge.target, edge.relation
