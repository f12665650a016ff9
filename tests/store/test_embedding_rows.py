"""Vectors of chunks and entities: which are pending, and that each is read as it was written."""

from pathlib import Path

import numpy as np
import pytest
from store_helpers import TEST, add_document, add_named_entities, query

from mcp_graphrag.model import Chunk, Document, Matrix
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows import embedding_rows
from mcp_graphrag.store.rows.document_rows import add_documents, retire_document
from mcp_graphrag.store.rows.embedding_rows import (
    Embedded,
    add_embeddings,
    chunks_with_same_text,
    copy_embeddings,
    delete_some_embeddings,
    embedding_count,
    model_dimension,
    pending_count,
    pending_embeddings,
    set_model,
    stored_model,
    vector_blocks,
    vectors_by_id,
    vectors_since,
)
from mcp_graphrag.store.rows.suggestion_rows import name_vectors

KINDS: tuple[Embedded, ...] = ("chunk", "entity", "model")


def unit_vectors(count: int) -> Matrix:
    """Vectors along the axes in turn."""
    return np.eye(3, dtype=np.float32)[np.arange(count) % 3]


@pytest.mark.parametrize("count", [1, 8, 9, 20])
def test_few_and_many_vectors_are_read_as_they_were_written(
    store: Store, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    ids, vectors = np.arange(1, count + 1), unit_vectors(count)
    with store.writing(TEST) as tx:
        add_document(tx, "memory://a", *"x" * count)
        add_embeddings(tx, "chunk", ids, vectors)
        add_embeddings(tx, "chunk", ids[:0], vectors[:0])

    with store.reading() as tx:
        assert embedding_count(tx, "chunk") == count
        found, read = vectors_since(tx, "chunk", since=0)
        assert (found.tolist(), read.tolist()) == (ids.tolist(), vectors.tolist())
        monkeypatch.setattr(embedding_rows, "WINDOW", 4)
        monkeypatch.setattr(embedding_rows, "BLOCK", 3)
        blocks = list(vector_blocks(tx, "chunk", since=0))
        assert [number for block, _ in blocks for number in block.tolist()] == ids.tolist()
        assert np.concatenate([rows for _, rows in blocks]).tolist() == vectors.tolist()
        assert vectors_by_id(tx, "chunk", [count]).tolist() == vectors[-1:].tolist()
        assert vectors_since(tx, "chunk", since=tx.generation)[0].tolist() == []


@pytest.mark.parametrize("of", KINDS)
@pytest.mark.parametrize("count", [2, 20])
def test_vectors_take_a_byte_a_component_and_keep_their_direction(store: Store, of: Embedded, count: int) -> None:
    vectors = np.random.default_rng(3).normal(size=(count, 256)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors[0] = 0  # of a text without tokens
    add_named_entities(store, *(f"Name {number}" for number in range(count)))
    with store.writing(TEST) as tx:
        add_document(tx, "memory://a", *"x" * count)
        add_embeddings(tx, of, np.arange(1, count + 1), vectors)

    with store.reading() as tx:
        _, read = vectors_since(tx, of, since=0)
        assert read[0].tolist() == [0] * 256
        assert np.all((read * vectors).sum(axis=1)[1:] > 0.9999)
        assert np.linalg.norm(read, axis=1)[1:] == pytest.approx(np.ones(count - 1), abs=1e-6)
        assert np.array_equal(vectors_by_id(tx, of, [count]), read[-1:])
    tables = {"chunk": "chunk_embedding", "entity": "entity_embedding", "model": "model_embedding"}
    assert query(store, f"SELECT DISTINCT octet_length(vector) FROM {tables[of]}") == [(256,)]


def test_what_has_no_vector_is_pending_but_for_chunks_with_children(store: Store) -> None:
    with store.writing(TEST) as tx:
        add_documents(tx, [(Document("memory://a", "", "ab"), [Chunk(0, 0, 2, "ab"), Chunk(1, 0, 2, "ab", parent=0)])])
        add_document(tx, "memory://b", "c")
    add_named_entities(store, "Redis", "Kafka")

    with store.writing(TEST) as tx:
        assert pending_embeddings(tx, "chunk").tolist() == pending_embeddings(tx, "model").tolist() == [2, 3]
        assert pending_embeddings(tx, "entity").tolist() == [1, 2]
        assert pending_embeddings(tx, "entity", limit=1).tolist() == [1]
        assert (pending_count(tx, by_model=False), pending_count(tx, by_model=True)) == (4, 6)
        add_embeddings(tx, "chunk", np.array([2]), unit_vectors(1))
        add_embeddings(tx, "model", np.array([2, 3]), unit_vectors(2))
        add_embeddings(tx, "entity", np.array([1, 2]), unit_vectors(2))
        assert pending_embeddings(tx, "chunk").tolist() == [3]
        assert pending_embeddings(tx, "model").tolist() == []
        assert (pending_count(tx, by_model=False), pending_count(tx, by_model=True)) == (1, 1)


def test_a_copy_of_a_vector_of_the_model_is_made_for_the_same_text(store: Store) -> None:
    with store.writing(TEST) as tx:
        add_documents(tx, [(Document(f"memory://{name}", "T", "x"), [Chunk(0, 0, 1, "x")]) for name in "ab"])
        add_embeddings(tx, "chunk", np.array([1]), unit_vectors(1))
        assert chunks_with_same_text(tx, np.array([2])) == {}, "static vectors are not looked for"
        add_embeddings(tx, "model", np.array([1]), unit_vectors(1))
        same = chunks_with_same_text(tx, np.array([2]))
        copy_embeddings(tx, same)
        copy_embeddings(tx, {})

    assert same == {2: 1}
    assert query(store, "FROM model_embedding SELECT chunk_id, vector") == [(1, b"\x7f\0\0"), (2, b"\x7f\0\0")]
    assert query(store, "FROM chunk_embedding SELECT chunk_id") == [(1,)]


def test_taking_another_model_deletes_the_vectors_of_the_one_before(store: Store) -> None:
    with store.writing(TEST) as tx:
        add_document(tx, "memory://a", "a")
        assert (stored_model(tx), model_dimension(tx)) == ("", 0)
        set_model(tx, "nomic")
        add_embeddings(tx, "model", np.array([1]), unit_vectors(1))
        add_embeddings(tx, "chunk", np.array([1]), unit_vectors(1)[:, :2])
        assert (stored_model(tx), model_dimension(tx)) == ("nomic", 3)
    epoch = store.epoch

    with store.writing(TEST) as tx:
        set_model(tx, "minilm")

    assert store.epoch == epoch + 1, "indexes in memory are void"
    with store.reading() as tx:
        assert (stored_model(tx), model_dimension(tx)) == ("minilm", 0)
        assert (embedding_count(tx, "model"), embedding_count(tx, "chunk")) == (0, 1)


@pytest.mark.of_file
def test_an_added_vector_takes_little_room_in_the_log(store: Store, tmp_path: Path) -> None:
    log = tmp_path / "graph.duckdb.wal"
    add_named_entities(store, "Redis")
    before = log.stat().st_size
    with store.writing(TEST) as tx:
        add_embeddings(tx, "entity", np.array([1]), np.eye(1, 256, dtype=np.float32))

    assert log.stat().st_size - before < 1_000


def test_only_vectors_of_active_and_given_rows_are_read(store: Store) -> None:
    with store.writing(TEST) as tx:
        for name in "abcd":
            add_document(tx, f"memory://{name}", name)
        add_embeddings(tx, "chunk", np.arange(1, 5), np.eye(3, dtype=np.float32)[[0, 1, 2, 0]])
        retire_document(tx, 4)

    with store.reading() as tx:
        assert vectors_since(tx, "chunk", since=0)[0].tolist() == [1, 2, 3]
        ((ids, rows),) = vector_blocks(tx, "chunk", since=0, among=np.array([1, 3, 4]))
        assert (ids.tolist(), rows.tolist()) == ([1, 3], [[1, 0, 0], [0, 0, 1]])


def test_only_entities_with_a_vector_have_one_to_compare_names_by(store: Store) -> None:
    add_named_entities(store, "Redis", "Kafka", "Valkey")
    asked = np.array([3, 1], dtype=np.int64)
    with store.writing(TEST) as tx:
        delete_some_embeddings(tx, "entity", [1])
        assert [part.shape for part in name_vectors(tx, asked)] == [(0,), (0, 0)]
        add_embeddings(tx, "entity", np.arange(1, 4), unit_vectors(3))
        ids, vectors = name_vectors(tx, asked)
        assert (ids.tolist(), vectors.tolist()) == ([1, 3], [[1, 0, 0], [0, 0, 1]])

        delete_some_embeddings(tx, "entity", [1])
        assert name_vectors(tx, asked)[0].tolist() == [3]
