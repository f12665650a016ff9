"""Indexes that are kept in memory and updated change by change.

Each is an immutable value as of one generation. It is void once the reader's epoch is another one: then another process
may have written the file, or rows were removed for good.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from mcp_graphrag.index.chunk_edge_index import build_chunk_edges, update_chunk_edges
from mcp_graphrag.index.document_dates import build_document_dates, update_document_dates
from mcp_graphrag.index.evidence_index import build_evidence, update_evidence, with_evidence
from mcp_graphrag.index.keyword_index import build_keywords, update_keywords
from mcp_graphrag.index.mention_graph import MentionGraph
from mcp_graphrag.index.mention_index import build_mentions, update_mentions
from mcp_graphrag.index.name_index import build_names, entities_by_form, exact_entities, update_names, with_names
from mcp_graphrag.index.parent_index import build_parents, update_parents
from mcp_graphrag.index.saved_indexes import load_index, save_index, saved_path
from mcp_graphrag.index.triple_graph import TripleGraph, build_graph, past_graph, update_graph, with_triples
from mcp_graphrag.index.vector_index import Vectors, build_vectors, update_vectors
from mcp_graphrag.model import Ids
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.engine.time_travel import present
from mcp_graphrag.store.engine.transaction import HomeState
from mcp_graphrag.store.rows.embedding_rows import Embedded
from mcp_graphrag.store.rows.entity_rows import names_with_forms
from mcp_graphrag.store.rows.triple_rows import evidence_ids_of

T = TypeVar("T")
MAX_SCANS = 5  # of the names, by writes; to keep 250,000 in memory takes as long as six of them


class CachedIndex(Generic[T]):
    """One index: called with a transaction, it is that of the snapshot. Only the newest version is kept.

    A snapshot of the past, and a write with changes, which may be rolled back, get one of their own from `build_once`,
    by default from `build`. Safe to use from many threads.
    """

    def __init__(
        self,
        build: Callable[[Reader], T],
        update: Callable[[Reader, T, int], T | None],
        build_once: Callable[[Reader], T] | None = None,
    ) -> None:
        self._build = build
        self._update = update
        self._build_once = build_once or build
        self.saved_at: Path | None = None
        self._lock = threading.Lock()
        self._version: tuple[int, int] | None = None
        self._index: T | None = None

    def __call__(self, tx: Reader) -> T:
        """The index as of exactly the transaction's snapshot; one older than the newest version has it built anew."""
        if not _is_cacheable(tx):
            return self._build_once(tx)
        version = tx.epoch, tx.generation
        with self._lock:
            if self._index is None or self._version is None or self._version[0] < tx.epoch:
                saved: tuple[int, T] | None = load_index(self.saved_at, tx) if self.saved_at else None
                generation, self._index = saved if saved is not None else (tx.generation, self._build(tx))
                self._version = tx.epoch, generation
            if self._version < version:
                updated = self._update(tx, self._index, self._version[1])
                self._index = self._build(tx) if updated is None else updated
                self._version = version
            if self._version == version:
                return self._index
        return self._build(tx)

    @property
    def is_built(self) -> bool:
        """Whether a version is in memory."""
        return self._index is not None

    def newest(self, epoch: int) -> tuple[int, T] | None:
        """The version in memory with its generation, None if there is none of that epoch."""
        with self._lock:
            if self._index is None or self._version is None or self._version[0] != epoch:
                return None
            return self._version[1], self._index

    def follow(self, tx: Writer, update: Callable[[T], T | None]) -> None:
        """Bring the index up to a committed write, if it is in memory as of the change before; None leaves it."""
        with self._lock:
            if self._index is not None and self._version == (tx.epoch, tx.previous):
                updated = update(self._index)
                if updated is not None:
                    self._index, self._version = updated, (tx.epoch, tx.change)

    def drop(self) -> None:
        """Drop the index; the next use builds it anew."""
        with self._lock:
            self._version = self._index = None


class Indexes:
    """The indexes of one file. Each answers for the snapshot of the transaction that it is called with.

    Vectors are searched as `vectors` says, one of VECTOR_INDEXES; above `max_matrix` of them `auto` keeps only codes.
    With the path `db` of the home, those that take long to build are saved for the next process.
    """

    def __init__(self, vectors: str = "auto", max_matrix: int = 200_000, db: Path | None = None) -> None:
        self._graph = CachedIndex(build_graph, update_graph)
        self._evidence = CachedIndex(build_evidence, update_evidence)
        self._names = CachedIndex(build_names, update_names)
        self._scans = 0  # of the names, while they are not in memory
        self.keywords = CachedIndex(build_keywords, update_keywords)
        self.mentions = CachedIndex(build_mentions, update_mentions)
        self._mention_graph: MentionGraph | None = None
        self.chunk_edges = CachedIndex(build_chunk_edges, update_chunk_edges)
        self.parents = CachedIndex(build_parents, update_parents)
        self.document_dates = CachedIndex(build_document_dates, update_document_dates)
        self.chunk_vectors = _cached_vectors("chunk", vectors, max_matrix)
        self.model_vectors = _cached_vectors("model", vectors, max_matrix)
        self.entity_vectors = _cached_vectors("entity", vectors, max_matrix)
        self._vectors = (self.chunk_vectors, self.model_vectors, self.entity_vectors)
        self._caches: dict[type[Any], Any] = {}
        self._of_generation: dict[type[Any], tuple[tuple[int, int], Any]] = {}
        self._lock = threading.Lock()
        saved = {"graph": self._graph, "names": self._names, "evidence": self._evidence}
        self._saved: dict[str, CachedIndex[Any]] = {**saved, "keywords": self.keywords, "mentions": self.mentions}
        for name, index in self._saved.items():
            index.saved_at = saved_path(db, name) if db else None

    def save(self, epoch: int, state: HomeState) -> None:
        """Save those that take long to build; the home is closed, in this state."""
        for index in self._saved.values():
            if index.saved_at:
                save_index(index.saved_at, *(index.newest(epoch) or (0, None)), state)

    def changes_behind(self, tx: Reader) -> int | None:
        """How many changes of the snapshot the indexes in memory lack until their next use, None if there are none."""
        everything = (*self._saved.values(), self.chunk_edges, self.parents, self.document_dates, *self._vectors)
        found = [each.newest(tx.epoch) for each in everything]
        return max((tx.generation - kept[0] for kept in found if kept), default=None)

    def close(self) -> None:
        """Stop the background builds of vector indexes."""
        for vectors in self._vectors:
            vectors.drop()

    def cache(self, kind: type[T]) -> T:
        """The one object of a class that a higher layer keeps beside the indexes, made at its first use."""
        with self._lock:
            if kind not in self._caches:
                self._caches[kind] = kind()
            return cast("T", self._caches[kind])

    def of_generation(self, tx: Reader, kind: type[T]) -> T:
        """The object of a class that a higher layer keeps for the snapshot's generation: a new one after a change.

        A snapshot of the past and a write with changes get one of their own each time.
        """
        version = tx.epoch, tx.generation
        with self._lock:
            kept = self._of_generation.get(kind)
            if not _is_cacheable(tx) or (kept is not None and kept[0] > version):
                return kind()
            if kept is None or kept[0] < version:
                kept = self._of_generation[kind] = version, kind()
            return cast("T", kept[1])

    def triple_graph(self, tx: Reader) -> TripleGraph:
        """The graph of triples."""
        if tx.known is None:
            return self._graph(tx)
        with present(tx):
            newest = self._graph(tx)
        return past_graph(tx, newest)

    def evidence_ids(self, tx: Reader, triple_ids: Iterable[int], *, limit: int | None) -> list[int]:
        """The ids of the evidence of each triple, or of the first `limit` pieces, the most confident first."""
        if _is_cacheable(tx):
            return self._evidence(tx).of(triple_ids, limit=limit)
        return evidence_ids_of(tx, triple_ids, limit=limit)

    def entities_named(
        self, tx: Reader, norms: Sequence[str], *, in_documents: bool = False
    ) -> dict[str, list[tuple[int, bool]]]:
        """(entity id, whether only by an alias) of the entities to which each normal form refers, own names first.

        With `in_documents`, a name that holds only inside a document counts too, and an alias of several entities.
        """
        names = self._names(tx).names(norms) if _is_cacheable(tx) else names_with_forms(tx, norms)
        return entities_by_form(names) if in_documents else exact_entities(names)

    def find_names(self, tx: Reader, norms: Sequence[str]) -> Iterable[tuple[str, int, bool, bool]] | None:
        """The names of a write in progress by the index; None where it lacks the write's own, or is not built yet.

        It is built once several writes have scanned the table of names.
        """
        if not _is_cacheable(tx):
            return None
        if not self._names.is_built and self._scans < MAX_SCANS:
            self._scans += 1
            return None
        return self._names(tx).names(norms)

    def find_triples(self, tx: Writer, subjects: Sequence[int], objects: Sequence[int]) -> tuple[int, Ids] | None:
        """The triples from some names to others as the graph in memory has them, with its generation.

        None if there is no graph in memory, and where an object is a phrase.
        """
        kept = self._graph.newest(tx.epoch)
        return None if kept is None or min(objects) < 0 else (kept[0], kept[1].between(subjects, objects))

    def follow(self, tx: Writer) -> None:
        """Bring the indexes up to a committed write that has only added names with vectors, triples and evidence.

        After any other write they are brought up to it from the file, when they are used.
        """
        if tx.voids_indexes:  # what is purged is in no file
            for path in [index.saved_at for index in self._saved.values() if index.saved_at]:
                with suppress(OSError):
                    path.unlink(missing_ok=True)
        elif tx.changed and tx.only_added:
            same = [self.keywords, self.chunk_edges, self.parents, self.document_dates]
            same += [self.chunk_vectors, self.model_vectors]
            # A new name may be the title of a document.
            same += [] if tx.added["add_own_name"] else [self.mentions]
            same += [] if tx.added["add_embedding"] else [self.entity_vectors]
            for index in same:
                index.follow(tx, lambda old: old)
            self._names.follow(tx, lambda old: with_names(old, tx.added["add_own_name"]))
            self._graph.follow(tx, lambda old: with_triples(old, tx.added["add_triple"], tx.change))
            self._evidence.follow(tx, lambda old: with_evidence(old, tx.added["add_evidence_of_one"]))

    def mention_graph(self, tx: Reader, as_of: datetime | None = None) -> MentionGraph:
        """Mentions and triples as one graph; with `as_of`, the triples valid then."""
        mentions, triples = self.mentions(tx), self.triple_graph(tx)
        if not _is_cacheable(tx) or as_of is not None:
            return MentionGraph(mentions, triples.as_of(as_of))
        cached = self._mention_graph
        if cached is None or cached.mentions is not mentions or cached.graph is not triples:
            # Two threads may both build one; either is correct.
            cached = self._mention_graph = MentionGraph(mentions, triples)
        return cached


def _cached_vectors(of: Embedded, kind: str, max_matrix: int) -> CachedIndex[Vectors]:
    """The embeddings of chunks or entities; a snapshot of the past scans the file for every query."""
    return CachedIndex(
        lambda tx: build_vectors(tx, of, kind, max_matrix),
        update_vectors,
        lambda tx: build_vectors(tx, of, "sql", 0),
    )


def _is_cacheable(tx: Reader) -> bool:
    """Whether an index of this snapshot is one of the present that others may use."""
    return tx.known is None and not (isinstance(tx, Writer) and tx.changed)
