import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from index_stories import put, retire

from mcp_graphrag.index import vectors
from mcp_graphrag.index.resident import VectorChoice, chunk_vectors, configure
from mcp_graphrag.index.vectors import HnswVectors, Vectors
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store import Store, extensions, hnsw
from mcp_graphrag.store.extensions import extension_state
from mcp_graphrag.store.hnsw import Hnsw

DIMENSION = 64
COUNT = 1_200


def _rows(count: int, *, seed: int) -> Matrix:
    centres = np.random.default_rng(0).normal(size=(30, DIMENSION))
    chance = np.random.default_rng(seed)
    rows = centres[chance.integers(30, size=count)] + 0.6 * chance.normal(size=(count, DIMENSION))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


@pytest.fixture
def filled(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Store, list[int]]]:
    """A store whose vectors are to be searched by HNSW, and its documents: 1,200 chunks in four."""
    monkeypatch.setattr(vectors, "HNSW_FROM", 500)
    rows = _rows(COUNT, seed=1)
    documents = [put(store, ["x"] * 300, rows[at : at + 300])[0] for at in range(0, COUNT, 300)]
    configure(store, VectorChoice("hnsw"))
    yield store, documents
    store.close()


def _projection(store: Store, *, waited: bool = True) -> Vectors:
    with store.reading() as tx:
        found = chunk_vectors(store, tx)
    if waited and isinstance(found, HnswVectors):
        found.index.wait(60)
    return found


def _indexed(store: Store) -> HnswVectors:
    found = _projection(store)
    assert isinstance(found, HnswVectors)
    assert (found.kind, found.note) == ("hnsw", "")
    return found


def _shared(store: Store, questions: Matrix, *, among: Ids | None = None, limit: int = 10) -> float:
    """The share of the nearest, by the exact matrix, that the projection finds too."""
    found = _indexed(store)
    same = 0
    total = 0
    with store.reading() as tx:
        for question in questions:
            exact = found.exact.nearest(tx, question, limit=limit, among=among)
            answer = found.nearest(tx, question, limit=limit, among=among)
            assert answer == sorted(answer, key=lambda each: (-each[1], each[0]))
            assert len(answer) == len(exact)
            same += len({each for each, _ in exact} & {each for each, _ in answer})
            total += len(exact)
    return same / total


def test_the_nearest_are_found(filled: tuple[Store, list[int]]) -> None:
    store, _ = filled
    assert _shared(store, _rows(40, seed=2)) >= 0.97
    assert _shared(store, _rows(5, seed=2), limit=200) >= 0.95


def test_a_question_with_a_filter_never_asks_the_index(
    filled: tuple[Store, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = filled
    _indexed(store)

    def asked(_: Hnsw, __: Matrix, *, limit: int) -> None:
        pytest.fail(f"asked for {limit}")

    monkeypatch.setattr(Hnsw, "nearest", asked)

    assert _shared(store, _rows(3, seed=2), among=np.arange(7, COUNT, 90)) == 1


def test_what_comes_later_and_what_is_retired_is_followed_without_building_anew(
    filled: tuple[Store, list[int]],
) -> None:
    store, documents = filled
    before = _indexed(store)
    later = _rows(50, seed=3)
    _, ids = put(store, ["x"] * 50, later)
    retire(store, documents[0])

    after = _indexed(store)
    assert after.index is before.index
    assert (before.count, after.count) == (1_200, 950)
    assert _shared(store, later) >= 0.97
    with store.reading() as tx:
        assert after.nearest(tx, later[7], limit=1)[0][0] == ids[7]
        everyone = [each for each, _ in after.nearest(tx, later[7], limit=9_999)]
        assert sorted(everyone) == list(range(301, 1_251))


def test_it_is_built_anew_once_three_in_ten_are_dead_or_came_later(filled: tuple[Store, list[int]]) -> None:
    store, documents = filled
    first = _indexed(store)
    retire(store, documents[0])
    assert _indexed(store).index is first.index
    retire(store, documents[1])
    second = _indexed(store)
    assert (second.index.count, _shared(store, _rows(9, seed=4)) >= 0.97) == (600, True)
    put(store, ["x"] * 400, _rows(400, seed=5))
    assert _indexed(store).index.count == 1_000


def test_the_matrix_serves_while_the_index_is_built_and_below_its_size(
    filled: tuple[Store, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = filled
    monkeypatch.setattr(Hnsw, "state", "building")
    found = _projection(store, waited=False)
    assert (found.kind, found.note) == ("matrix", "hnsw: building")
    with store.reading() as tx:
        assert len(found.nearest(tx, _rows(1, seed=2)[0], limit=10)) == 10

    monkeypatch.setattr(vectors, "HNSW_FROM", COUNT + 1)
    configure(store, VectorChoice("hnsw"))
    assert (_projection(store).kind, _projection(store).note) == ("matrix", "")
    put(store, ["x"] * 2, _rows(2, seed=3))
    assert isinstance(_projection(store, waited=False), HnswVectors)


@pytest.mark.parametrize("present", [False, True])
def test_without_an_extension_that_loads_search_is_exact_and_says_why(
    filled: tuple[Store, list[int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, present: bool
) -> None:
    store, _ = filled
    damaged = tmp_path / "vss's.duckdb_extension"
    damaged.write_bytes(b"not signed by anyone")

    def extension_file(_: str) -> Path | None:
        return damaged if present else None

    monkeypatch.setattr(extensions, "extension_file", extension_file)
    extension_state.cache_clear()

    found = _projection(store)

    reason = f"hnsw: {extension_state('vss')}"
    extension_state.cache_clear()
    assert (found.kind, found.note) == ("matrix", reason)
    assert reason.startswith("hnsw: failed: ") if present else reason == "hnsw: missing"
    with store.reading() as tx:
        assert len(found.nearest(tx, _rows(1, seed=2)[0], limit=10)) == 10


def test_the_build_ends_with_its_store_and_the_index_when_it_is_closed(
    filled: tuple[Store, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = filled
    monkeypatch.setattr(hnsw, "BATCH", 1)
    assert _projection(store, waited=False).note == "hnsw: building"
    store.close()
    monkeypatch.undo()
    assert [each for each in threading.enumerate() if each.name == "hnsw"] == []

    index = Hnsw(_rows(300, seed=7))
    assert index.wait(60)
    assert index.nearest(_rows(1, seed=2)[0], limit=10) is not None
    index.close()
    assert (index.state, index.nearest(_rows(1, seed=2)[0], limit=10)) == ("closed", None)
