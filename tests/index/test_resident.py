import duckdb
import numpy as np
from index_stories import put, relate

from mcp_graphrag.index.resident import chunk_vectors, graph, keywords
from mcp_graphrag.store import Store


def test_an_older_snapshot_gets_its_own_projection_after_a_newer_one_has_asked(store: Store) -> None:
    put(store, ["redis"])
    relate(store, [(1, 1, 2)])
    with store.reading() as older:
        assert older.generation == 2
        put(store, ["redis again"])
        relate(store, [(1, 1, 3)])
        with store.reading() as newer:
            assert (graph(store, newer).size, len(keywords(store, newer).search(["redi"], limit=9))) == (2, 2)

        assert (graph(store, older).size, len(keywords(store, older).search(["redi"], limit=9))) == (1, 1)

    with store.reading() as latest:
        assert graph(store, latest).size == 2


def test_a_projection_is_kept_while_nothing_changes(store: Store) -> None:
    relate(store, [(1, 1, 2)])
    with store.reading() as tx:
        first = graph(store, tx)
    with store.reading() as tx:
        assert graph(store, tx) is first
    store.release()
    with store.reading() as tx:
        assert graph(store, tx) is first


def test_a_projection_is_built_anew_after_another_program_has_written(store: Store) -> None:
    put(store, ["redis"], np.eye(1, 64, dtype=np.float32))
    relate(store, [(1, 1, 2)])
    with store.reading() as tx:
        assert (graph(store, tx).size, len(keywords(store, tx).search(["redi"], limit=9))) == (1, 1)
        assert len(chunk_vectors(store, tx).nearest(tx, np.eye(64, dtype=np.float32)[0], limit=9)) == 1
    store.release()

    with duckdb.connect(str(store.path)) as plain:
        plain.execute("DELETE FROM triple; DELETE FROM chunk_length; DELETE FROM posting; DELETE FROM chunk_embedding")

    with store.reading() as tx:
        assert (graph(store, tx).size, keywords(store, tx).search(["redi"], limit=9)) == (0, [])
        assert chunk_vectors(store, tx).nearest(tx, np.eye(64, dtype=np.float32)[0], limit=9) == []
