"""What a graph contains, and the state of its home."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcp_graphrag.embed.e5 import INSTALL
from mcp_graphrag.index.vector_index import Vectors
from mcp_graphrag.lookup.awaiting_chunks import awaiting_count
from mcp_graphrag.model import Counts, Entity, Relation, StoredDocument
from mcp_graphrag.ontology.active_ontologies import active_names
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store import Home
from mcp_graphrag.store.changes.removal import unsupported_count
from mcp_graphrag.store.engine.hnsw import extension_state
from mcp_graphrag.store.engine.home import HomeReport
from mcp_graphrag.store.rows.chunk_edge_rows import chunk_edge_counts
from mcp_graphrag.store.rows.document_rows import is_mostly_english, recent_documents
from mcp_graphrag.store.rows.embedding_rows import pending_count, pending_embeddings, stored_model
from mcp_graphrag.store.rows.entity_rows import entities_by_id, entities_of_type, entity_types, roles_of, type_key
from mcp_graphrag.store.rows.extraction_rows import unextracted_chunks
from mcp_graphrag.store.rows.job_rows import Job, counts, recent_jobs
from mcp_graphrag.store.rows.triple_rows import extractor_counts, predicate_counts
from mcp_graphrag.store.rows.value_rows import value_counts

MAX_KNOWN = 8
PAGES = 5  # entities looked at for each, as pages are left out


@dataclass(frozen=True)
class Description:
    """The contents of a graph: counts by type and predicate, newest documents, the entities with most triples.

    `values` counts values by their predicate. No extractor has read the chunks that await extraction, and no client
    those that await an agent.
    """

    counts: Counts
    types: Mapping[str, int]
    predicates: Mapping[str, int]
    extractors: Mapping[str, int]
    documents: Sequence[StoredDocument]
    embedder: str
    chunks_awaiting_embedding: int
    chunks_awaiting_extraction: int
    chunks_awaiting_agent: int
    ontologies: Sequence[str] = ()
    entities: Sequence[Entity] = ()
    values: Mapping[str, int] = field(default_factory=dict[str, int])


def describe_graph(snapshot: Snapshot, *, documents: int = 20) -> Description:
    """The contents of the graph, with its newest documents; triples as of the world time, if given."""
    as_of = snapshot.when.as_of
    sure = snapshot.min_confidence
    predicates = predicate_counts(snapshot.tx, as_of=as_of, min_confidence=sure)
    return Description(
        replace(counts(snapshot.tx), triples=sum(predicates.values())) if as_of or sure else counts(snapshot.tx),
        {name or "(untyped)": count for name, count in entity_types(snapshot.tx, phrases=True).items()},
        predicates,
        extractor_counts(snapshot.tx),
        recent_documents(snapshot.tx, limit=documents),
        embedders_in_words(snapshot),
        chunks_to_embed(snapshot),
        unextracted_chunks(snapshot.tx),
        awaiting_count(snapshot.tx),
        active_names(snapshot.tx, snapshot.ontologies),
        _best_known(snapshot),
        value_counts(snapshot.tx),
    )


def embedders_in_words(snapshot: Snapshot) -> str:
    """The static embedder, and the model that the file has vectors of or else will have."""
    static = snapshot.embedders.static.name
    model = stored_model(snapshot.tx) or (snapshot.model.name if snapshot.model else "")
    return f"{static} and {model}" if model else static


def _better_embedder(snapshot: Snapshot) -> str:
    """How the file gets a model that reads its languages, "" where it has one or needs none."""
    multilingual, model = snapshot.embedders.multilingual, snapshot.model
    is_of_another = stored_model(snapshot.tx) not in {"", model.name if model else ""}
    if multilingual is None or model is multilingual or is_of_another or is_mostly_english(snapshot.tx):
        return ""
    install = "" if snapshot.embedders.has_multilingual else f"{INSTALL}, then "
    return f"Most of the text is not in English: {install}mcp-graphrag reindex --embedder {multilingual.name}"


def chunks_to_embed(snapshot: Snapshot) -> int:
    """How many chunks the model, or without one the static embedder, has still to read."""
    return len(pending_embeddings(snapshot.tx, "model" if snapshot.model else "chunk"))


def _best_known(snapshot: Snapshot) -> list[Entity]:
    """The entities with most triples, those of which something is said first; pages are not what the graph is about."""
    ids = entities_of_type(snapshot.tx, types=None, limit=MAX_KNOWN * PAGES)
    found = entities_by_id(snapshot.tx, ids, as_of=snapshot.when.as_of)
    said_of = {entity_id for entity_id, roles in roles_of(snapshot.tx, ids).items() if any(own for _, own in roles)}
    known = [found[each] for each in ids if type_key(found[each].type) != "document"]
    known.sort(key=lambda entity: entity.id not in said_of)
    return [entity for entity in known if entity.degree][:MAX_KNOWN]


@dataclass(frozen=True)
class VectorIndexStatus:
    """The vector index in use: number of vectors, kind, and why it is not the kind in the settings, if so."""

    count: int
    kind: str
    note: str


@dataclass(frozen=True)
class Status:
    """The state of a graph. `vss` is that of `extension_state`, `changes_behind` of `Indexes.changes_behind`.

    `orphans` are entities without support, left by an interrupted update; `reindex` removes them.
    """

    home: HomeReport
    changes_behind: int | None
    quarantined: Sequence[str]
    counts: Counts
    chunks_awaiting_extraction: int
    chunks_awaiting_agent: int
    without_embedding: int
    orphans: int
    embedder: str
    better_embedder: str
    generation: int
    chunk_edges: Mapping[Relation, int]
    chunk_vectors: VectorIndexStatus
    model_vectors: VectorIndexStatus
    entity_vectors: VectorIndexStatus
    vss: str
    jobs: Sequence[Job]


def status(snapshot: Snapshot, home: Home) -> Status:
    """The state of the graph of the snapshot, in its home."""
    tx = snapshot.tx
    return Status(
        home=home.report(),
        changes_behind=snapshot.indexes.changes_behind(tx),
        quarantined=home.quarantined,
        counts=counts(tx),
        chunks_awaiting_extraction=unextracted_chunks(tx),
        chunks_awaiting_agent=awaiting_count(tx),
        without_embedding=pending_count(tx, by_model=snapshot.model is not None),
        orphans=unsupported_count(tx),
        embedder=embedders_in_words(snapshot),
        better_embedder=_better_embedder(snapshot),
        generation=tx.generation,
        chunk_edges=chunk_edge_counts(tx),
        chunk_vectors=_index_status(snapshot.chunk_vectors),
        model_vectors=_index_status(snapshot.model_vectors),
        entity_vectors=_index_status(snapshot.entity_vectors),
        vss=extension_state(),
        jobs=recent_jobs(tx),
    )


def _index_status(vectors: Vectors) -> VectorIndexStatus:
    return VectorIndexStatus(vectors.count, vectors.kind, vectors.note)
