"""Chunks, vectors and triples put straight into a store, for the projections to follow."""

from collections.abc import Sequence

from mcp_graphrag.index.resident import VectorChoice, configure
from mcp_graphrag.index.terms import term_frequencies
from mcp_graphrag.model import Chunk, Document, Matrix, Origin
from mcp_graphrag.store import Store
from mcp_graphrag.store.documents import add_documents, retire_document
from mcp_graphrag.store.embeddings import EmbedderMark, add_embeddings, embedder_mark, make_embeddings
from mcp_graphrag.store.postings import add_postings
from mcp_graphrag.store.triples import TripleRows, add_predicates, add_triples, clear

TEST = Origin("test")


def put(store: Store, texts: Sequence[str], vectors: Matrix | None = None) -> tuple[int, list[int]]:
    """The ids of a new document and of its chunks, one a text, all in one write."""
    chunks: list[Chunk] = []
    for ordinal, text in enumerate(texts):
        start = chunks[-1].end if chunks else 0
        chunks.append(Chunk(ordinal, start, start + len(text), text))
    with store.writing(TEST) as tx:
        ((document_id, chunk_ids),) = add_documents(tx, [(Document("memory://d", "", "".join(texts)), chunks)])
        add_postings(tx, chunk_ids, [term_frequencies(text) for text in texts])
        if vectors is not None:
            if embedder_mark(tx) is None:
                make_embeddings(tx, EmbedderMark("test", vectors.shape[1]))
            add_embeddings(tx, "chunk", chunk_ids, vectors)
    return document_id, chunk_ids.tolist()


def retire(store: Store, document_id: int) -> None:
    """Take a document out of force."""
    with store.writing(TEST) as tx:
        retire_document(tx, document_id)


def relate(store: Store, triples: Sequence[tuple[int, int, int]], *, chunk: int | None = None) -> list[int]:
    """The ids of (subject, predicate, object) by id, supported by a chunk if given. Predicates are p1, p2, p3."""
    none = [None] * len(triples)
    subjects, predicates, objects = ([each[part] for each in triples] for part in range(3))
    sure, chunks = [1.0] * len(triples), [chunk] * len(triples)
    rows = TripleRows(subjects, predicates, objects, sure, none, chunks, none, none, none, none, none, none, none)
    with store.writing(TEST) as tx:
        add_predicates(tx, ["p1", "p2", "p3"])
        return add_triples(tx, rows, "agent").triple_ids.tolist()


def emptied(store: Store) -> Store:
    """The store without a row, and without what was resident of it."""
    with store.writing(TEST) as tx:
        clear(tx, documents=True)
    configure(store, VectorChoice())
    return store
