from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from index_stories import put, retire
from numpy.typing import NDArray

from mcp_graphrag.index import vectors
from mcp_graphrag.index.resident import VectorChoice, chunk_vectors, configure
from mcp_graphrag.index.vectors import Found, signs, top
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store import Store

KINDS = ["matrix", "coded", "codes", "sql"]
DIMENSION = 64


def _units(rows: NDArray[Any]) -> Matrix:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def _clustered(count: int, *, seed: int) -> Matrix:
    centres = np.random.default_rng(0).normal(size=(30, DIMENSION))
    random = np.random.default_rng(seed)
    return _units(centres[random.integers(30, size=count)] + 0.4 * random.normal(size=(count, DIMENSION)))


def _nearest(store: Store, vector: Matrix, *, limit: int = 10, among: Ids | None = None) -> Found:
    with store.reading() as tx:
        return chunk_vectors(store, tx).nearest(tx, vector, limit=limit, among=among)


def _exact(ids: list[int], rows: Matrix, vector: Matrix, limit: int = 10) -> list[int]:
    order = np.lexsort((np.array(ids), -(rows.astype(np.float64) @ vector.astype(np.float64))))
    return [ids[at] for at in order[:limit]]


@pytest.fixture(scope="module")
def clustered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, list[int], Matrix]]:
    """A store with 5,000 chunks around 30 centres; every twentieth document of 250 is retired."""
    store = Store(tmp_path_factory.mktemp("vectors") / "graph.duckdb", wait=0)
    rows = _clustered(5_000, seed=1)
    kept_ids: list[int] = []
    kept_rows: list[Matrix] = []
    for at in range(0, len(rows), 250):
        document_id, ids = put(store, ["x"] * 250, rows[at : at + 250])
        if at == 1_000:
            retire(store, document_id)
        else:
            kept_ids += ids
            kept_rows.append(rows[at : at + 250])
    yield store, kept_ids, np.concatenate(kept_rows)
    store.close()


@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_are_found(clustered: tuple[Store, list[int], Matrix], kind: str) -> None:
    store, ids, rows = clustered
    configure(store, VectorChoice(kind))
    questions = _clustered(40, seed=2)

    found = [_nearest(store, question) for question in questions]

    hits = sum(
        len({each for each, _ in answer} & set(_exact(ids, rows, question)))
        for answer, question in zip(found, questions, strict=True)
    )
    assert hits == 400 if kind in ("matrix", "sql") else hits >= 388
    position = {each: at for at, each in enumerate(ids)}
    for answer, question in zip(found, questions, strict=True):
        assert [each for _, each in answer] == pytest.approx(
            [float(rows[position[each]] @ question) for each, _ in answer], abs=1e-5
        )
        assert answer == sorted(answer, key=lambda each: -each[1])


@pytest.mark.parametrize("kind", KINDS)
def test_only_allowed_chunks_are_found_retired_ones_never(
    clustered: tuple[Store, list[int], Matrix], kind: str
) -> None:
    store, ids, rows = clustered
    configure(store, VectorChoice(kind))
    chosen = np.arange(900, 1_300, 7)  # ids around the retired document's
    living = [at for at, each in enumerate(ids) if each in set(chosen.tolist())]

    found = [each for each, _ in _nearest(store, rows[0], limit=500, among=chosen.astype(np.int64))]

    assert found == _exact([ids[at] for at in living], rows[living], rows[0], 500)
    assert len(found) < len(chosen)
    assert _nearest(store, rows[0], among=np.empty(0, dtype=np.int64)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_following_the_changes_answers_as_building_anew(store: Store, kind: str) -> None:
    configure(store, VectorChoice(kind))
    rows = _clustered(60, seed=3)
    documents: list[int] = []
    for at in range(0, 60, 10):
        documents.append(put(store, ["x"] * 10, rows[at : at + 10])[0])
        if at in (20, 40):
            retire(store, documents[at // 10 - 1])
        followed = _nearest(store, rows[5], limit=99)
        built = _nearest(Store(store.path, wait=0), rows[5], limit=99)
        assert [each for each, _ in followed] == [each for each, _ in built]
        assert dict(followed) == pytest.approx(dict(built), abs=1e-5)


def test_chunks_that_came_after_are_found_by_a_projection_that_follows(store: Store) -> None:
    rows = _clustered(20, seed=4)
    put(store, ["x"] * 10, rows[:10])
    before = _nearest(store, rows[15], limit=1)
    _, ids = put(store, ["x"] * 10, rows[10:])

    assert _nearest(store, rows[15], limit=1) == [(ids[5], pytest.approx(1, abs=1e-5))]
    assert before[0][0] <= 10


@pytest.mark.parametrize("kind", KINDS)
def test_equal_vectors_are_ordered_by_id_also_where_the_limit_cuts(store: Store, kind: str) -> None:
    configure(store, VectorChoice(kind))
    row = np.zeros((40, DIMENSION), dtype=np.float32)
    row[:, 3] = 1
    _, ids = put(store, ["x"] * 40, row)

    assert [each for each, _ in _nearest(store, row[0], limit=5)] == ids[:5]


@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_is_found_behind_thousands_of_almost_as_near(store: Store, kind: str) -> None:
    configure(store, VectorChoice(kind))
    rows = np.full((3_001, DIMENSION), 0.125, dtype=np.float32)
    rows[:3_000, 0] = -0.125
    _, ids = put(store, ["x"] * 3_001, rows)

    assert _nearest(store, rows[-1], limit=1) == [(ids[-1], pytest.approx(1, abs=1e-5))]


def test_auto_puts_codes_before_the_matrix_and_then_keeps_codes_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors, "CODED_FROM", 15)
    configure(store, VectorChoice("auto", matrix_most=25))
    rows = _clustered(30, seed=5)
    kinds: list[str] = []
    for at in (0, 10, 20):
        put(store, ["x"] * 10, rows[at : at + 10])
        with store.reading() as tx:
            kinds.append(chunk_vectors(store, tx).kind)

    assert kinds == ["matrix", "coded", "codes"]
    assert _nearest(store, rows[3], limit=1)[0][0] == 4


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_without_tokens_is_found_last_and_breaks_nothing(store: Store, kind: str) -> None:
    configure(store, VectorChoice(kind))
    rows = _clustered(9, seed=6)
    rows[4] = 0
    _, ids = put(store, ["x"] * 9, rows)

    found = _nearest(store, rows[0], limit=9)

    assert {each for each, _ in found} == set(ids)
    assert dict(found)[ids[4]] == pytest.approx(0)


def test_signs_are_packed_64_to_a_word() -> None:
    rows = np.ones((2, 70), dtype=np.float32)
    rows[1, [0, 65]] = -1

    words = signs(rows)

    assert words.shape == (2, 2)
    assert [int(each).bit_count() for each in words.T.ravel()] == [64, 6, 63, 5]


def test_the_top_of_scores_leaves_out_what_is_no_cosine() -> None:
    ids = np.array([4, 2, 9], dtype=np.int64)

    assert top(ids, np.array([0.5, -2, 0.5], dtype=np.float32), 9) == [(4, 0.5), (9, 0.5)]
    assert top(ids, np.array([-1, 1, 0], dtype=np.float32), 2) == [(2, 1.0), (9, 0.0)]
