"""What a graph holds, and how it stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mcp_graphrag.index.resident import chunk_vectors, entity_vectors
from mcp_graphrag.index.vectors import Vectors
from mcp_graphrag.model import NOW, Counts, Relation, StoredDocument, When
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.store import Store
from mcp_graphrag.store.chunk_edges import chunk_edge_counts
from mcp_graphrag.store.documents import last_documents, unextracted_chunks
from mcp_graphrag.store.embeddings import EmbedderMark, embedder_mark, pending_chunks, pending_count
from mcp_graphrag.store.entities import entity_types
from mcp_graphrag.store.extensions import extension_state
from mcp_graphrag.store.history import orphan_count
from mcp_graphrag.store.jobs import Job, counts, recent_jobs
from mcp_graphrag.store.triples import extractor_counts, predicate_counts


@dataclass(frozen=True)
class Description:
    """What a graph holds: counts by type and predicate, its newest documents, its embedder."""

    counts: Counts
    types: Mapping[str, int]
    predicates: Mapping[str, int]
    extractors: Mapping[str, int]
    documents: Sequence[StoredDocument]
    embedder: EmbedderMark | None
    chunks_awaiting_embedding: int
    chunks_awaiting_extraction: int


def describe_graph(store: Store, *, documents: int = 20, when: When = NOW) -> Description:
    """What the graph holds, or held, with its newest documents; of the triples those that held at the world time."""
    with store.reading(known_at=when.known_at) as tx:
        predicates = predicate_counts(tx, as_of=when.as_of)
        return Description(
            replace(counts(tx), triples=sum(predicates.values())) if when.as_of else counts(tx),
            {name or "(untyped)": count for name, count in entity_types(tx).items()},
            predicates,
            extractor_counts(tx),
            last_documents(tx, limit=documents),
            embedder_mark(tx),
            pending_chunks(tx),
            unextracted_chunks(tx),
        )


@dataclass(frozen=True)
class Serving:
    """Which kind of index answers for how many vectors, and why it is not the one of the settings, if it is not."""

    count: int
    kind: str
    note: str


@dataclass(frozen=True)
class Status:
    """How a file stands. `bytes` counts the file and its write-ahead log; `vss` is as `extension_state` says.

    `orphans` are entities that nothing supports: what an interrupted update left, pruned by `reindex`.
    """

    path: Path
    bytes: int
    quarantined: Sequence[str]
    counts: Counts
    chunks_awaiting_extraction: int
    without_embedding: int
    orphans: int
    embedder: EmbedderMark | None
    generation: int
    chunk_edges: Mapping[Relation, int]
    chunk_vectors: Serving
    entity_vectors: Serving
    vss: str
    jobs: Sequence[Job]


def status(pipeline: Pipeline) -> Status:
    """How the pipeline's file stands. Does not check its embedder, so that a mismatch can be looked at."""
    store = pipeline.store
    with store.reading() as tx:
        serving = _serving(chunk_vectors(store, tx)), _serving(entity_vectors(store, tx)), extension_state("vss")
        quantities = counts(tx), unextracted_chunks(tx), pending_count(tx), orphan_count(tx)
        edges = chunk_edge_counts(tx)
        found = (*quantities, embedder_mark(tx), tx.generation, edges, *serving, recent_jobs(tx))
    log = store.path.with_name(store.path.name + ".wal")
    size = sum(each.stat().st_size for each in (store.path, log) if each.exists())
    quarantined = sorted(each.name for each in store.path.parent.glob(f"{store.path.name}.wal.*.quarantine"))
    return Status(store.path, size, quarantined, *found)


def _serving(vectors: Vectors) -> Serving:
    return Serving(vectors.count, vectors.kind, vectors.note)
