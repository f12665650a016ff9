"""Projections that stay in memory while the file stays as it was, and follow it change by change.

A projection is an immutable snapshot as of one generation. It is void when the store's epoch has moved on: then
somebody else may have written the file.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from mcp_graphrag.index.chunk_edges import ChunkEdges, build_chunk_edges, update_chunk_edges
from mcp_graphrag.index.evidence import EvidenceRows, build_evidence, update_evidence
from mcp_graphrag.index.graph import Graph, build_graph, graph_then, update_graph
from mcp_graphrag.index.keyword import Keywords, build_keywords, update_keywords
from mcp_graphrag.index.mentions import Mentions, build_mentions, update_mentions
from mcp_graphrag.index.names import Names, build_names, update_names
from mcp_graphrag.index.parents import Parents, build_parents, update_parents
from mcp_graphrag.index.vectors import Vectors, build_vectors, update_vectors
from mcp_graphrag.index.web import Web
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.entities import bearers_of
from mcp_graphrag.store.known import present
from mcp_graphrag.store.mentions import norms_borne
from mcp_graphrag.store.triples import evidence_ids_of

T = TypeVar("T")


@dataclass(frozen=True)
class VectorChoice:
    """How vectors are searched: `kind` is one of VECTOR_INDEXES; above `matrix_most` auto keeps only codes."""

    kind: str = "auto"
    matrix_most: int = 200_000


class Follower(Generic[T]):
    """One projection and the generation that it stands at. Safe to be asked from many threads."""

    def __init__(self, build: Callable[[Reader], T], update: Callable[[Reader, T, int], T | None]) -> None:
        self._build = build
        self._update = update
        self._lock = threading.Lock()
        self._stands_at: tuple[int, int] | None = None
        self._projection: T | None = None

    def at(self, tx: Reader, epoch: int) -> T:
        """The projection of just the transaction's snapshot: what it names, the snapshot has."""
        generation = tx.generation
        with self._lock:
            if self._projection is None or self._stands_at is None or self._stands_at[0] != epoch:
                self._projection = self._build(tx)
                self._stands_at = epoch, generation
            elif self._stands_at[1] < generation:
                updated = self._update(tx, self._projection, self._stands_at[1])
                self._projection = self._build(tx) if updated is None else updated
                self._stands_at = epoch, generation
            if self._stands_at[1] == generation:
                return self._projection
        # A write came between this snapshot and a newer one that has asked before it.
        return self._build(tx)

    def drop(self) -> None:
        """Forget the projection; the next question builds it."""
        with self._lock:
            self._stands_at = self._projection = None


class Residents:
    """The projections of one store."""

    def __init__(self, choice: VectorChoice) -> None:
        self.choice = choice
        self.graph = Follower[Graph](build_graph, update_graph)
        self.evidence = Follower[EvidenceRows](build_evidence, update_evidence)
        self.names = Follower[Names](build_names, update_names)
        self.keywords = Follower[Keywords](build_keywords, update_keywords)
        self.mentions = Follower[Mentions](build_mentions, update_mentions)
        self.web: Web | None = None
        self.chunk_edges = Follower[ChunkEdges](build_chunk_edges, update_chunk_edges)
        self.parents = Follower[Parents](build_parents, update_parents)
        self.chunk_vectors = Follower[Vectors](
            lambda tx: build_vectors(tx, "chunk", choice.kind, choice.matrix_most), update_vectors
        )
        self.entity_vectors = Follower[Vectors](
            lambda tx: build_vectors(tx, "entity", choice.kind, choice.matrix_most), update_vectors
        )

    def close(self) -> None:
        """End what works in the background: an index of vectors under way."""
        self.chunk_vectors.drop()
        self.entity_vectors.drop()


_residents: WeakKeyDictionary[Store, Residents] = WeakKeyDictionary()
_residents_lock = threading.Lock()


def configure(store: Store, choice: VectorChoice) -> None:
    """Say how this store's vectors are searched; forgets what was resident."""
    with _residents_lock:
        _residents[store] = Residents(choice)
        store.also_closes = _residents[store].close


def forget(store: Store) -> None:
    """Drop what is resident: rows were removed for good, which no projection follows."""
    configure(store, residents(store).choice)


def residents(store: Store) -> Residents:
    """The projections of a store, empty until they are first asked for."""
    with _residents_lock:
        if store not in _residents:
            _residents[store] = Residents(VectorChoice())
            store.also_closes = _residents[store].close
        return _residents[store]


def graph(store: Store, tx: Reader) -> Graph:
    """The resident graph as of the snapshot; for one that looks back, made of it and dropped."""
    if tx.known is None:
        return residents(store).graph.at(tx, store.epoch)
    with present(tx):
        newest = residents(store).graph.at(tx, store.epoch)
    return graph_then(tx, newest)


def evidence_of(store: Store, tx: Reader, triple_ids: Iterable[int], *, most: int) -> list[int]:
    """The ids of the first `most` pieces of evidence of each triple as of the snapshot, the surest first."""
    if tx.known is None:
        return residents(store).evidence.at(tx, store.epoch).of(triple_ids, most=most)
    return evidence_ids_of(tx, triple_ids, most=most)


def bearers(store: Store, tx: Reader, norm: str) -> list[tuple[int, bool]]:
    """(entity id, whether only an alias) of the bearers of a normal form, those of that very name first."""
    if tx.known is None:
        return residents(store).names.at(tx, store.epoch).bearers(tx, norm)
    return bearers_of(tx, norm)


def bearers_of_all(store: Store, tx: Reader, norms: Sequence[str]) -> dict[str, list[tuple[int, bool]]]:
    """The same of many normal forms at once, without those that nothing bears."""
    if tx.known is None:
        return residents(store).names.at(tx, store.epoch).bearers_of_all(tx, norms)
    found: dict[str, list[tuple[int, bool]]] = {}
    for place, entity_id, alias in norms_borne(tx, norms):
        found.setdefault(norms[place], []).append((entity_id, alias))
    return found


def keywords(store: Store, tx: Reader) -> Keywords:
    """The resident postings as of the snapshot; for one that looks back, made for it and dropped."""
    return residents(store).keywords.at(tx, store.epoch) if tx.known is None else build_keywords(tx)


def mentions(store: Store, tx: Reader) -> Mentions:
    """The resident mentions as of the snapshot; for one that looks back, made for it and dropped."""
    return residents(store).mentions.at(tx, store.epoch) if tx.known is None else build_mentions(tx)


def web(store: Store, tx: Reader, as_of: datetime | None = None) -> Web:
    """Mentions and triples as one web, the triples as of a moment in the world if one is given."""
    told, related = mentions(store, tx), graph(store, tx)
    if tx.known is not None or as_of is not None:
        return Web(told, related.as_of(as_of))
    here = residents(store)
    kept = here.web
    if kept is None or kept.mentions is not told or kept.graph is not related:
        # Two threads may both make one; either is right.
        kept = here.web = Web(told, related)
    return kept


def chunk_edges(store: Store, tx: Reader) -> ChunkEdges:
    """The resident chunk edges as of the snapshot; for one that looks back, made for it and dropped."""
    return residents(store).chunk_edges.at(tx, store.epoch) if tx.known is None else build_chunk_edges(tx)


def parents_of_chunks(store: Store, tx: Reader) -> Parents:
    """The resident parents of chunks as of the snapshot; for one that looks back, made for it and dropped."""
    return residents(store).parents.at(tx, store.epoch) if tx.known is None else build_parents(tx)


def chunk_vectors(store: Store, tx: Reader) -> Vectors:
    """The resident chunk embeddings as of the snapshot; for one that looks back, every question scans the file."""
    return (
        residents(store).chunk_vectors.at(tx, store.epoch) if tx.known is None else build_vectors(tx, "chunk", "sql", 0)
    )


def entity_vectors(store: Store, tx: Reader) -> Vectors:
    """The resident embeddings of entity names as of the snapshot, likewise."""
    if tx.known is None:
        return residents(store).entity_vectors.at(tx, store.epoch)
    return build_vectors(tx, "entity", "sql", 0)
