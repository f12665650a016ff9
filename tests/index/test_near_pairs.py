import numpy as np
import pytest

from mcp_graphrag.index import near_pairs as near_pairs_module
from mcp_graphrag.index.near_pairs import ChunkVectors, Pair, near_pairs


def some_vectors(chunks: int, documents: int) -> ChunkVectors:
    """Random unit vectors of chunks of random documents."""
    random = np.random.default_rng(7)
    rows = random.normal(size=(chunks, 8)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return ChunkVectors(np.arange(10, 10 + chunks), random.integers(0, documents, chunks), rows)


def pairs_of_all(vectors: ChunkVectors, threshold: float, pairs: int) -> list[Pair]:
    all_chunks = np.ones(len(vectors.ids), dtype=np.bool_)
    return near_pairs(vectors, threshold=threshold, pairs=pairs, among=all_chunks, done=lambda _: True)


def test_without_a_limit_all_pairs_of_different_documents_above_the_threshold_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(near_pairs_module, "BLOCK_CELLS", 200)
    vectors = some_vectors(60, 5)
    cosines = vectors.rows @ vectors.rows.T
    wanted = {
        (one, other)
        for one in range(60)
        for other in range(one + 1, 60)
        if vectors.documents[one] != vectors.documents[other] and cosines[one, other] >= 0.5
    }
    assert {(one - 10, other - 10) for _, one, other in pairs_of_all(vectors, 0.5, 60)} == wanted


def test_no_chunk_is_in_more_pairs_than_allowed_and_the_nearest_come_first() -> None:
    vectors = some_vectors(200, 9)
    kept = pairs_of_all(vectors, 0.3, 3)
    assert max(np.bincount([end for _, *ends in kept for end in ends])) == 3
    assert [cosine for cosine, *_ in kept] == sorted((cosine for cosine, *_ in kept), reverse=True)
    assert kept[0][0] == pytest.approx(max(cosine for cosine, *_ in pairs_of_all(vectors, 0.3, 60)))


def test_a_stopped_search_returns_what_it_has_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_pairs_module, "BLOCK_CELLS", 400)
    vectors = some_vectors(40, 3)
    seen: list[int] = []

    def done(count: int) -> bool:
        seen.append(count)
        return False

    all_chunks = np.ones(40, dtype=np.bool_)
    some = near_pairs(vectors, threshold=0.5, pairs=40, among=all_chunks, done=done)
    assert seen == [10]
    assert 0 < len(some) < len(pairs_of_all(vectors, 0.5, 40))
