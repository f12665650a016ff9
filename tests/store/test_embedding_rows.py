"""Vectors of chunks and entities: which are pending, and that each is read as it was written."""

import numpy as np
import pytest
from store_helpers import TEST, add_document, add_named_entities, query

from mcp_graphrag.model import Chunk, Document, Matrix
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.document_rows import add_documents, retire_document
from mcp_graphrag.store.rows.embedding_rows import (
    StoredEmbedder,
    add_embeddings,
    copy_embeddings,
    create_embedding_tables,
    delete_entity_embeddings,
    embedded_with_same_text,
    embedding_count,
    nearest_exact,
    pending_count,
    pending_embeddings,
    stored_embedder,
    vectors_by_id,
    vectors_since,
)
from mcp_graphrag.store.rows.suggestion_rows import name_vectors

EMBEDDER = StoredEmbedder("minilm/v2", 3)


def unit_vectors(count: int) -> Matrix:
    """Vectors along the axes in turn."""
    return np.eye(3, dtype=np.float32)[np.arange(count) % 3]


@pytest.mark.parametrize("count", [1, 8, 9, 20])
def test_few_and_many_vectors_are_read_as_they_were_written(store: Store, count: int) -> None:
    ids, vectors = np.arange(1, count + 1), unit_vectors(count)
    with store.writing(TEST) as tx:
        add_document(tx, "memory://a", *"x" * count)
        create_embedding_tables(tx, EMBEDDER)
        add_embeddings(tx, "chunk", ids, vectors)
        add_embeddings(tx, "chunk", ids[:0], vectors[:0])

    with store.reading() as tx:
        assert (stored_embedder(tx), embedding_count(tx, "chunk")) == (EMBEDDER, count)
        found, read = vectors_since(tx, "chunk", 3, since=0)
        assert (found.tolist(), read.tolist()) == (ids.tolist(), vectors.tolist())
        later, rest = vectors_since(tx, "chunk", 3, since=0, after=1, limit=2)
        assert (later.tolist(), rest.tolist()) == (ids[1:3].tolist(), vectors[1:3].tolist())
        assert vectors_by_id(tx, "chunk", 3, [count]).tolist() == vectors[-1:].tolist()
        assert vectors_since(tx, "chunk", 3, since=tx.generation)[0].tolist() == []


@pytest.mark.parametrize("count", [1, 20])
def test_vectors_of_entities_take_a_byte_a_component_and_keep_their_direction(store: Store, count: int) -> None:
    names = [f"Name {number}" for number in range(count)]
    vectors = np.random.default_rng(3).normal(size=(count, 256)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[0] = 0  # of a name without tokens
    add_named_entities(store, *names)
    with store.writing(TEST) as tx:
        create_embedding_tables(tx, StoredEmbedder("wordllama", 256))
        add_embeddings(tx, "entity", np.arange(1, count + 1), vectors)

    with store.reading() as tx:
        _, read = vectors_since(tx, "entity", 256, since=0)
        assert read[0].tolist() == [0] * 256
        assert np.all((read * vectors).sum(axis=1)[1:] > 0.9999)
        assert np.array_equal(vectors_by_id(tx, "entity", 256, [count]), read[-1:])
        nearest = nearest_exact(tx, "entity", vectors[-1], limit=1, among=None)
        assert nearest == [(count, pytest.approx(float(read[-1] @ vectors[-1])))]
    assert query(store, "SELECT DISTINCT typeof(vector) FROM entity_embedding") == [("TINYINT[256]",)]


def test_what_has_no_vector_is_pending_but_for_chunks_with_children(store: Store) -> None:
    with store.writing(TEST) as tx:
        add_documents(tx, [(Document("memory://a", "", "ab"), [Chunk(0, 0, 2, "ab"), Chunk(1, 0, 2, "ab", parent=0)])])
        add_document(tx, "memory://b", "c")
    add_named_entities(store, "Redis", "Kafka")

    with store.writing(TEST) as tx:
        assert stored_embedder(tx) is None
        assert pending_embeddings(tx, "chunk").tolist() == [2, 3]
        assert pending_embeddings(tx, "entity").tolist() == [1, 2]
        assert pending_embeddings(tx, "entity", limit=1).tolist() == [1]
        assert pending_count(tx) == 4
        assert embedded_with_same_text(tx, "entity", np.array([1])) == {}
        create_embedding_tables(tx, EMBEDDER)
        add_embeddings(tx, "chunk", np.array([2]), unit_vectors(1))
        add_embeddings(tx, "entity", np.array([1, 2]), unit_vectors(2))
        assert (pending_embeddings(tx, "chunk").tolist(), pending_count(tx)) == ([3], 1)


def test_a_copy_of_a_vector_is_made_for_the_same_text(store: Store) -> None:
    with store.writing(TEST) as tx:
        add_documents(tx, [(Document(f"memory://{name}", "T", "x"), [Chunk(0, 0, 1, "x")]) for name in "ab"])
        create_embedding_tables(tx, EMBEDDER)
        add_embeddings(tx, "chunk", np.array([1]), unit_vectors(1))
        same = embedded_with_same_text(tx, "chunk", np.array([2]))
        copy_embeddings(tx, "chunk", same)
        copy_embeddings(tx, "chunk", {})

    assert same == {2: 1}
    assert query(store, "FROM chunk_embedding SELECT chunk_id, vector") == [(1, (1, 0, 0)), (2, (1, 0, 0))]


def test_the_nearest_active_rows_are_found_with_their_cosine(store: Store) -> None:
    with store.writing(TEST) as tx:
        for name in "abcd":
            add_document(tx, f"memory://{name}", name)
        create_embedding_tables(tx, EMBEDDER)
        add_embeddings(tx, "chunk", np.arange(1, 5), np.eye(3, dtype=np.float32)[[0, 1, 2, 0]])
        retire_document(tx, 4)

    question = np.array([0.6, 0.8, 0.0], dtype=np.float32)
    best = [(2, pytest.approx(0.8)), (1, pytest.approx(0.6)), (3, 0.0)]
    with store.reading() as tx:
        assert nearest_exact(tx, "chunk", question, limit=9, among=None) == best
        assert nearest_exact(tx, "chunk", question, limit=1, among=None) == best[:1]
        assert nearest_exact(tx, "chunk", question, limit=9, among=np.array([1, 3, 4])) == best[1:]


def test_only_entities_with_a_vector_have_one_to_compare_names_by(store: Store) -> None:
    add_named_entities(store, "Redis", "Kafka", "Valkey")
    asked = np.array([3, 1], dtype=np.int64)
    with store.writing(TEST) as tx:
        delete_entity_embeddings(tx, [1])
        assert [part.shape for part in name_vectors(tx, asked)] == [(0,), (0, 1)]
        create_embedding_tables(tx, EMBEDDER)
        assert [part.shape for part in name_vectors(tx, asked)] == [(0,), (0, 3)]
        add_embeddings(tx, "entity", np.arange(1, 4), unit_vectors(3))
        ids, vectors = name_vectors(tx, asked)
        assert (ids.tolist(), vectors.tolist()) == ([1, 3], [[1, 0, 0], [0, 0, 1]])

        delete_entity_embeddings(tx, [1])
        assert name_vectors(tx, asked)[0].tolist() == [3]
