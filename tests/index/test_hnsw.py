import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import pytest
from index_helpers import add_document, clustered_vectors, retire

from mcp_graphrag.index import vector_index
from mcp_graphrag.index.indexes import Indexes
from mcp_graphrag.index.vector_index import HnswVectors, Vectors
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store import Store
from mcp_graphrag.store.engine import extensions, hnsw
from mcp_graphrag.store.engine.hnsw import Hnsw, extension_state

COUNT = 1_200


@dataclass(frozen=True)
class Filled:
    """A store with 1,200 chunks in four documents, whose vectors HNSW is to search."""

    store: Store
    indexes: Indexes
    documents: list[int]

    def vectors(self, *, wait: bool = True) -> Vectors:
        """The vectors of the chunks, by default once the index is built."""
        with self.store.reading() as tx:
            found = self.indexes.chunk_vectors(tx)
        if wait and isinstance(found, HnswVectors):
            found.index.wait(60)
        return found

    def ready(self) -> HnswVectors:
        found = self.vectors()
        assert isinstance(found, HnswVectors)
        assert (found.kind, found.note) == ("hnsw", "")
        return found

    def recall(self, queries: Matrix, *, among: Ids | None = None, limit: int = 10) -> float:
        """The share of the exactly nearest that the index finds too."""
        index = self.ready()
        common = 0
        total = 0
        with self.store.reading() as tx:
            for query in queries:
                exact = index.exact.nearest(tx, query, limit=limit, among=among)
                answer = index.nearest(tx, query, limit=limit, among=among)
                assert answer == sorted(answer, key=lambda scored: (-scored[1], scored[0]))
                assert len(answer) == len(exact)
                common += len(dict(exact).keys() & dict(answer).keys())
                total += len(exact)
        return common / total


@pytest.fixture
def filled(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Filled]:
    monkeypatch.setattr(vector_index, "HNSW_FROM", 500)
    rows = clustered_vectors(COUNT, seed=1)
    documents = [add_document(store, ["x"] * 300, rows[at : at + 300])[0] for at in range(0, COUNT, 300)]
    indexes = Indexes("hnsw")
    yield Filled(store, indexes, documents)
    indexes.close()


def test_the_nearest_are_found(filled: Filled) -> None:
    assert filled.recall(clustered_vectors(40, seed=2)) >= 0.97
    assert filled.recall(clustered_vectors(5, seed=2), limit=200) >= 0.95


def test_a_query_with_a_filter_does_not_use_the_index(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.ready()

    def nearest(_: Hnsw, __: Matrix, *, limit: int) -> None:
        pytest.fail(f"searched for {limit}")

    monkeypatch.setattr(Hnsw, "nearest", nearest)

    assert filled.recall(clustered_vectors(3, seed=2), among=np.arange(7, COUNT, 90)) == 1


def test_added_and_retired_chunks_are_respected_without_a_rebuild(filled: Filled) -> None:
    before = filled.ready()
    added = clustered_vectors(50, seed=3)
    _, ids = add_document(filled.store, ["x"] * 50, added)
    retire(filled.store, filled.documents[0])

    after = filled.ready()
    assert after.index is before.index
    assert (before.count, after.count) == (1_200, 950)
    assert filled.recall(added) >= 0.97
    with filled.store.reading() as tx:
        assert after.nearest(tx, added[7], limit=1)[0][0] == ids[7]
        every_id = [chunk_id for chunk_id, _ in after.nearest(tx, added[7], limit=9_999)]
        assert sorted(every_id) == list(range(301, 1_251))


def test_the_index_is_rebuilt_once_three_in_ten_chunks_are_retired_or_added(filled: Filled) -> None:
    first = filled.ready()
    retire(filled.store, filled.documents[0])
    assert filled.ready().index is first.index
    retire(filled.store, filled.documents[1])
    second = filled.ready()
    assert (second.index.count, filled.recall(clustered_vectors(9, seed=4)) >= 0.97) == (600, True)
    add_document(filled.store, ["x"] * 400, clustered_vectors(400, seed=5))
    assert filled.ready().index.count == 1_000


def test_the_matrix_answers_while_the_index_is_built_and_for_few_vectors(
    filled: Filled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Hnsw, "state", "building")
    found = filled.vectors(wait=False)
    assert (found.kind, found.note) == ("matrix", "hnsw: building")
    with filled.store.reading() as tx:
        assert len(found.nearest(tx, clustered_vectors(1, seed=2)[0], limit=10)) == 10

    monkeypatch.setattr(vector_index, "HNSW_FROM", COUNT + 1)
    few = Filled(filled.store, Indexes("hnsw"), filled.documents)
    assert (few.vectors().kind, few.vectors().note) == ("matrix", "")
    add_document(few.store, ["x"] * 2, clustered_vectors(2, seed=3))
    assert isinstance(few.vectors(wait=False), HnswVectors)
    few.indexes.close()


@pytest.mark.parametrize("present", [False, True])
def test_without_a_loadable_extension_search_is_exact_and_the_reason_is_given(
    filled: Filled, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, present: bool
) -> None:
    damaged = tmp_path / "vss's.duckdb_extension"
    damaged.write_bytes(b"not signed by anyone")

    def extension_file(_name: str) -> Path | None:
        return damaged if present else None

    monkeypatch.setattr(extensions, "extension_file", extension_file)
    extension_state.cache_clear()

    found = filled.vectors()

    reason = f"hnsw: {extension_state()}"
    extension_state.cache_clear()
    assert (found.kind, found.note) == ("matrix", reason)
    assert reason.startswith("hnsw: failed: ") if present else reason == "hnsw: missing"
    with filled.store.reading() as tx:
        assert len(found.nearest(tx, clustered_vectors(1, seed=2)[0], limit=10)) == 10


def test_the_build_stops_when_the_indexes_are_closed(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hnsw, "BATCH", 1)
    assert filled.vectors(wait=False).note == "hnsw: building"
    (building,) = [thread for thread in threading.enumerate() if thread.name == "hnsw"]
    assert building.daemon, "it does not delay the end of the process"

    filled.indexes.close()

    assert [thread for thread in threading.enumerate() if thread.name == "hnsw"] == []


def test_the_index_has_the_position_of_every_row() -> None:
    rows = np.vstack([np.eye(4), -np.eye(4)[:3]]).astype(np.float32).repeat(60, axis=0)
    index = Hnsw(rows)
    assert (index.count, index.wait(60), index.state) == (420, True, "ready")

    found = index.nearest(np.array([0.8, 0.6, 0, 0], dtype=np.float32), limit=420)
    index.close()

    assert found is not None
    assert sorted(found.tolist()) == list(range(420))
    assert sorted(found[:60].tolist()) == list(range(60)), "along the first axis"


def test_the_extension_is_loaded_from_a_path_with_a_quote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = extensions.extension_file("vss")
    assert wheel
    copy = tmp_path / "it's here" / wheel.name
    copy.parent.mkdir()
    copy.symlink_to(wheel)

    monkeypatch.setattr(extensions, "extension_file", {"vss": copy}.get)
    index = Hnsw(np.eye(3, dtype=np.float32))

    assert (index.wait(60), index.state) == (True, "ready")
    index.close()


def test_the_instance_of_the_index_has_one_thread_no_downloads_and_no_files() -> None:
    names = ("threads", "autoinstall_known_extensions", "autoload_known_extensions", "pandas_analyze_sample")
    with hnsw.memory_instance() as connection:
        settings = ", ".join(f"current_setting('{name}')" for name in (*names, "temp_directory"))
        assert connection.execute(f"SELECT {settings}").fetchall() == [(1, False, False, 0, "")]


def test_a_closed_index_has_no_answer_and_its_memory_is_free() -> None:
    index = Hnsw(clustered_vectors(300, seed=7))
    assert index.wait(60)
    assert index.nearest(clustered_vectors(1, seed=2)[0], limit=10) is not None
    connection = index._build.connection  # pyright: ignore[reportPrivateUsage]
    assert connection

    index.close()

    with pytest.raises(duckdb.ConnectionException):
        connection.execute("FROM vectors")
    assert (index.state, index.nearest(clustered_vectors(1, seed=2)[0], limit=10)) == ("closed", None)
