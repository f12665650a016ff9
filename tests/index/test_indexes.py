import duckdb
import numpy as np
import pytest
from index_helpers import TEST, add_document, relate
from store_helpers import add_named_entities

from mcp_graphrag.index.indexes import MAX_SCANS, Indexes
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.changes.removal import purge_triples
from mcp_graphrag.store.rows.entity_rows import NewAlias, NewEntity, add_aliases, add_entities
from mcp_graphrag.store.rows.triple_rows import clear

QUERY = np.eye(64, dtype=np.float32)[0]


def sizes(indexes: Indexes, tx: Reader) -> tuple[int, int]:
    """The number of triples, and of chunks with the term `redi`."""
    return indexes.triple_graph(tx).size, len(indexes.keywords(tx).search(["redi"], limit=9))


def test_an_older_snapshot_gets_its_own_index_after_a_newer_one(store: Store) -> None:
    indexes = Indexes()
    add_document(store, ["redis"])
    relate(store, [(1, 1, 2)])
    with store.reading() as older:
        assert older.generation == 2
        add_document(store, ["redis again"])
        relate(store, [(1, 1, 3)])
        with store.reading() as newer:
            assert sizes(indexes, newer) == (2, 2)

        assert sizes(indexes, older) == (1, 1)

    with store.reading() as latest:
        assert sizes(indexes, latest) == (2, 2)


def test_an_index_is_kept_while_nothing_changes_even_if_the_file_is_released(store: Store) -> None:
    indexes = Indexes()
    relate(store, [(1, 1, 2)])
    with store.reading() as tx:
        first = indexes.triple_graph(tx)
    with store.reading() as tx:
        assert indexes.triple_graph(tx) is first
    store.release()
    with store.reading() as tx:
        assert indexes.triple_graph(tx) is first


def test_indexes_are_built_anew_after_another_process_has_written(store: Store) -> None:
    indexes = Indexes()
    add_document(store, ["redis"], np.eye(1, 64, dtype=np.float32))
    relate(store, [(1, 1, 2)])
    with store.reading() as tx:
        assert sizes(indexes, tx) == (1, 1)
        assert len(indexes.chunk_vectors(tx).nearest(tx, QUERY, limit=9)) == 1
    store.release()

    with duckdb.connect(str(store.path)) as plain:
        plain.execute("DELETE FROM triple; DELETE FROM chunk_length; DELETE FROM posting; DELETE FROM chunk_embedding")

    with store.reading() as tx:
        assert sizes(indexes, tx) == (0, 0)
        assert indexes.chunk_vectors(tx).nearest(tx, QUERY, limit=9) == []


def test_after_a_purge_new_readers_build_indexes_anew_and_older_ones_keep_their_snapshot(store: Store) -> None:
    indexes = Indexes()
    kept, purged = relate(store, [(1, 1, 2), (1, 1, 3)])
    with store.reading() as before:
        assert indexes.triple_graph(before).triple_ids.tolist() == [kept, purged]
        with store.writing(TEST) as tx:
            purge_triples(tx, [purged])

        with store.reading() as after:
            assert after.epoch == before.epoch + 1
            newest = indexes.triple_graph(after)
            assert newest.triple_ids.tolist() == [kept]
        assert indexes.triple_graph(before).triple_ids.tolist() == [kept, purged]

    with store.reading() as latest:
        assert indexes.triple_graph(latest) is newest


def test_a_write_sees_its_own_changes_and_leaves_none_of_them_in_the_indexes(store: Store) -> None:
    indexes = Indexes()
    relate(store, [(1, 1, 2)])
    with store.reading() as tx:
        committed = indexes.triple_graph(tx)

    with store.writing(TEST) as tx:
        clear(tx, documents=False)
        assert indexes.triple_graph(tx).size == 0

    with store.reading() as tx:
        assert (committed.size, indexes.triple_graph(tx).size) == (1, 0)


def test_added_names_are_found_beside_the_others_and_among_them(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_graphrag.index.csr.MAX_OVERLAY", 3)
    indexes, norms = Indexes(), ["a", "b", "c", "d", "e", "f"]
    for norm in ("b", "a", "f", "a", "c", "b", "d", "a", "f"):
        with store.writing(TEST) as tx:
            (entity_id,) = add_entities(tx, [NewEntity(norm.upper(), norm, "", "")])
            add_aliases(tx, [NewAlias(int(entity_id), "E", "e", "declared")])
        with store.reading() as tx:
            assert indexes.entities_named(tx, norms) == Indexes().entities_named(tx, norms)
            everywhere = indexes.entities_named(tx, norms, in_documents=True)
            assert everywhere == Indexes().entities_named(tx, norms, in_documents=True)
    assert everywhere["a"] == [(2, False), (4, False), (8, False)]


def test_names_are_kept_in_memory_once_several_writes_have_scanned_them(store: Store) -> None:
    add_named_entities(store, "Redis")
    indexes = Indexes()
    with store.reading() as tx:
        *scanned, found = [indexes.find_names(tx, ["redis"]) for _ in range(MAX_SCANS + 1)]
        assert scanned == [None] * MAX_SCANS
        assert found is not None
        assert [norm for norm, *_ in found] == ["redis"]
