"""Chunks, vectors and triples written straight into a store, for indexes to read."""

from collections.abc import Sequence

import numpy as np

from mcp_graphrag.index.tokenize import term_frequencies
from mcp_graphrag.model import Chunk, Document, Matrix, Origin
from mcp_graphrag.store import Home, Store
from mcp_graphrag.store.rows.document_rows import add_documents, retire_document
from mcp_graphrag.store.rows.embedding_rows import add_embeddings
from mcp_graphrag.store.rows.posting_rows import add_postings
from mcp_graphrag.store.rows.triple_rows import TripleRows, add_predicates, add_triples, clear

TEST = Origin("test")


def add_document(store: Home, texts: Sequence[str], vectors: Matrix | None = None) -> tuple[int, list[int]]:
    """Add a document with one chunk per text in one write; answers its id and those of the chunks."""
    chunks: list[Chunk] = []
    for ordinal, text in enumerate(texts):
        start = chunks[-1].end if chunks else 0
        chunks.append(Chunk(ordinal, start, start + len(text), text))
    with store.writing(TEST) as tx:
        ((document_id, chunk_ids),) = add_documents(tx, [(Document("memory://d", "", "".join(texts)), chunks)])
        add_postings(tx, chunk_ids, [term_frequencies(text) for text in texts])
        if vectors is not None:
            add_embeddings(tx, "chunk", chunk_ids, vectors)
    return document_id, chunk_ids.tolist()


def clustered_vectors(count: int, *, seed: int) -> Matrix:
    """Unit vectors of 64 dimensions around 30 centres, which are the same after they were stored as bytes."""
    centres = np.random.default_rng(0).normal(size=(30, 64))
    random = np.random.default_rng(seed)
    rows = centres[random.integers(30, size=count)] + 0.4 * random.normal(size=(count, 64))
    rows = np.rint(rows * (127 / np.abs(rows).max(axis=1, keepdims=True)))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def retire(store: Store, document_id: int) -> None:
    """Retire a document."""
    with store.writing(TEST) as tx:
        retire_document(tx, document_id)


def relate(store: Store, triples: Sequence[tuple[int, int, int]], *, chunk: int | None = None) -> list[int]:
    """Add (subject, predicate, object) by ids, with a chunk as evidence if given; the predicates are p1, p2, p3."""
    none = [None] * len(triples)
    subjects, predicates, objects = ([triple[part] for triple in triples] for part in range(3))
    confidences, chunks = [1.0] * len(triples), [chunk] * len(triples)
    columns = (confidences, none, chunks, none, none, none, none, none, none, none)
    rows = TripleRows(subjects, predicates, objects, *columns)
    with store.writing(TEST) as tx:
        add_predicates(tx, ["p1", "p2", "p3"])
        return add_triples(tx, rows, "agent").triple_ids.tolist()


def emptied(store: Store) -> Store:
    """The store without any row."""
    with store.writing(TEST) as tx:
        clear(tx, documents=True)
    return store
