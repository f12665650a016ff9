import numpy as np
import pytest

from mcp_graphrag.index import pairs
from mcp_graphrag.index.pairs import Pair, Vectors, near_pairs


def some_vectors(chunks: int, documents: int) -> Vectors:
    """Unit vectors of chunks, document by document in no order."""
    draw = np.random.default_rng(7)
    rows = draw.normal(size=(chunks, 8)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Vectors(np.arange(10, 10 + chunks), draw.integers(0, documents, chunks), rows)


def found(vectors: Vectors, threshold: float, most: int) -> list[Pair]:
    """The pairs of all chunks."""
    everything = np.ones(len(vectors.ids), dtype=np.bool_)
    return near_pairs(vectors, threshold=threshold, pairs=most, among=everything, done=lambda _: True)


def test_with_room_for_all_they_are_just_the_near_ones_of_other_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "BLOCK_CELLS", 200)
    vectors = some_vectors(60, 5)
    cosines = vectors.rows @ vectors.rows.T
    wanted = {
        (one, other)
        for one in range(60)
        for other in range(one + 1, 60)
        if vectors.documents[one] != vectors.documents[other] and cosines[one, other] >= 0.5
    }
    assert {(one - 10, other - 10) for _, one, other in found(vectors, 0.5, 60)} == wanted


def test_no_chunk_is_in_more_pairs_than_allowed_and_the_nearest_come_first() -> None:
    vectors = some_vectors(200, 9)
    kept = found(vectors, 0.3, 3)
    assert max(np.bincount([end for _, *ends in kept for end in ends])) == 3
    assert [cosine for cosine, *_ in kept] == sorted((cosine for cosine, *_ in kept), reverse=True)
    assert kept[0][0] == pytest.approx(max(cosine for cosine, *_ in found(vectors, 0.3, 60)))


def test_a_search_that_is_stopped_answers_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "BLOCK_CELLS", 400)
    vectors = some_vectors(40, 3)
    seen: list[int] = []

    def done(count: int) -> bool:
        seen.append(count)
        return False

    everything = np.ones(40, dtype=np.bool_)
    some = near_pairs(vectors, threshold=0.5, pairs=40, among=everything, done=done)
    assert seen == [10]
    assert 0 < len(some) < len(found(vectors, 0.5, 40))
