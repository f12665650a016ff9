from collections.abc import Iterator

import numpy as np
import pytest
from index_helpers import add_document, clustered_vectors, retire

from mcp_graphrag.index import vector_index
from mcp_graphrag.index.csr import best
from mcp_graphrag.index.indexes import Indexes
from mcp_graphrag.index.vector_index import ScoredIds, sign_codes
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store import Store

KINDS = ["matrix", "coded", "codes", "sql"]
DIMENSION = 64


def _nearest(store: Store, indexes: Indexes, vector: Matrix, *, limit: int = 10, among: Ids | None = None) -> ScoredIds:
    with store.reading() as tx:
        return indexes.chunk_vectors(tx).nearest(tx, vector, limit=limit, among=among)


def _exact(ids: list[int], rows: Matrix, vector: Matrix, limit: int = 10) -> list[int]:
    order = np.lexsort((np.array(ids), -(rows.astype(np.float64) @ vector.astype(np.float64))))
    return [ids[at] for at in order[:limit]]


@pytest.fixture(scope="module")
def clustered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, list[int], Matrix]]:
    """A store with 5,000 chunks around 30 centres; every twentieth document of 250 is retired."""
    store = Store(tmp_path_factory.mktemp("vectors") / "graph.duckdb", wait=0)
    rows = clustered_vectors(5_000, seed=1)
    kept_ids: list[int] = []
    kept_rows: list[Matrix] = []
    for at in range(0, len(rows), 250):
        document_id, ids = add_document(store, ["x"] * 250, rows[at : at + 250])
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
    indexes = Indexes(kind)
    queries = clustered_vectors(40, seed=2)

    found = [_nearest(store, indexes, query) for query in queries]

    hits = sum(
        len({chunk_id for chunk_id, _ in answer} & set(_exact(ids, rows, query)))
        for answer, query in zip(found, queries, strict=True)
    )
    assert hits == 400 if kind in ("matrix", "sql") else hits >= 388
    position = {chunk_id: at for at, chunk_id in enumerate(ids)}
    for answer, query in zip(found, queries, strict=True):
        assert [cosine for _, cosine in answer] == pytest.approx(
            [float(rows[position[chunk_id]] @ query) for chunk_id, _ in answer], abs=1e-5
        )
        assert answer == sorted(answer, key=lambda scored: -scored[1])


@pytest.mark.parametrize("kind", KINDS)
def test_a_filter_limits_the_chunks_and_retired_ones_are_never_found(
    clustered: tuple[Store, list[int], Matrix], kind: str
) -> None:
    store, ids, rows = clustered
    indexes = Indexes(kind)
    chosen = np.arange(900, 1_300, 7)  # ids around the retired document's
    active = [at for at, chunk_id in enumerate(ids) if chunk_id in set(chosen.tolist())]

    found = [chunk_id for chunk_id, _ in _nearest(store, indexes, rows[0], limit=500, among=chosen.astype(np.int64))]

    assert found == _exact([ids[at] for at in active], rows[active], rows[0], 500)
    assert len(found) < len(chosen)
    assert _nearest(store, indexes, rows[0], among=np.empty(0, dtype=np.int64)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_an_updated_index_answers_like_a_new_one(store: Store, kind: str) -> None:
    indexes = Indexes(kind)
    rows = clustered_vectors(60, seed=3)
    documents: list[int] = []
    for at in range(0, 60, 10):
        documents.append(add_document(store, ["x"] * 10, rows[at : at + 10])[0])
        if at in (20, 40):
            retire(store, documents[at // 10 - 1])
        updated = _nearest(store, indexes, rows[5], limit=99)
        built = _nearest(store, Indexes(kind), rows[5], limit=99)
        assert [chunk_id for chunk_id, _ in updated] == [chunk_id for chunk_id, _ in built]
        assert dict(updated) == pytest.approx(dict(built), abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_equal_vectors_are_ordered_by_id_also_at_the_limit(store: Store, kind: str) -> None:
    indexes = Indexes(kind)
    row = np.zeros((40, DIMENSION), dtype=np.float32)
    row[:, 3] = 1
    _, ids = add_document(store, ["x"] * 40, row)

    assert [chunk_id for chunk_id, _ in _nearest(store, indexes, row[0], limit=5)] == ids[:5]


@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_is_found_among_thousands_that_are_almost_as_near(store: Store, kind: str) -> None:
    indexes = Indexes(kind)
    rows = np.full((3_001, DIMENSION), 0.125, dtype=np.float32)
    rows[:3_000, 0] = -0.125
    _, ids = add_document(store, ["x"] * 3_001, rows)

    assert _nearest(store, indexes, rows[-1], limit=1) == [(ids[-1], pytest.approx(1, abs=1e-5))]


def test_auto_adds_codes_to_the_matrix_and_then_keeps_only_codes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_index, "CODED_FROM", 15)
    indexes = Indexes("auto", max_matrix=25)
    rows = clustered_vectors(30, seed=5)
    kinds: list[str] = []
    for at in (0, 10, 20):
        add_document(store, ["x"] * 10, rows[at : at + 10])
        with store.reading() as tx:
            kinds.append(indexes.chunk_vectors(tx).kind)

    assert kinds == ["matrix", "coded", "codes"]
    assert _nearest(store, indexes, rows[3], limit=1)[0][0] == 4


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_without_tokens_has_cosine_zero(store: Store, kind: str) -> None:
    indexes = Indexes(kind)
    rows = clustered_vectors(9, seed=6)
    rows[4] = 0
    _, ids = add_document(store, ["x"] * 9, rows)

    found = _nearest(store, indexes, rows[0], limit=9)

    assert {chunk_id for chunk_id, _ in found} == set(ids)
    assert dict(found)[ids[4]] == pytest.approx(0)


def test_signs_are_packed_64_per_word() -> None:
    rows = np.ones((2, 70), dtype=np.float32)
    rows[1, [0, 65]] = -1

    words = sign_codes(rows)

    assert words.shape == (2, 2)
    assert [int(word).bit_count() for word in words.T.ravel()] == [64, 6, 63, 5]


def test_the_highest_scores_leave_out_what_is_no_cosine() -> None:
    ids = np.array([4, 2, 9], dtype=np.int64)

    assert best(ids, np.array([0.5, -2, 0.5], dtype=np.float32), 9, above=-2) == [(4, 0.5), (9, 0.5)]
    assert best(ids, np.array([-1, 1, 0], dtype=np.float32), 2, above=-2) == [(2, 1.0), (9, 0.0)]
