import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import pytest
from store_helpers import TEST, add_named_entities, query

from mcp_graphrag.store import Store
from mcp_graphrag.store.engine import home

pytestmark = pytest.mark.of_file


def _epoch(store: Store) -> int:
    with store.reading():
        return store.epoch


def test_a_released_file_can_be_opened_by_another_process(store: Store) -> None:
    add_named_entities(store, "Redis")

    assert store.release()

    ask = f"import duckdb; print(duckdb.connect({str(store.path)!r}).execute('SELECT name FROM entities').fetchall())"
    output = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True).stdout
    assert output.strip() == "[('Redis',)]"
    assert query(store, "SELECT name FROM entities") == [("Redis",)]


def test_a_file_in_use_is_not_released(store: Store) -> None:
    with store.reading():
        assert not store.release()
    with store.writing(TEST):
        assert not store.release()
    with store.held():
        assert not store.release()

    assert store.release()
    assert not store.release(), "it is closed already"


def test_a_file_that_is_never_idle_is_closed_between_two_of_many_writes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, "MAX_WRITES", 3)
    add_named_entities(store, "Redis")
    epoch = _epoch(store)
    with store.reading():
        add_named_entities(store, "Kafka")
        add_named_entities(store, "Postgres")
        assert not store.release(), "it is in use"

    assert not store.release(), "it is closed already"
    assert query(store, "SELECT name FROM entities ORDER BY name") == [("Kafka",), ("Postgres",), ("Redis",)]
    assert _epoch(store) == epoch
    assert store.release(), "it has had no write since"


def test_the_epoch_stays_while_no_other_process_writes(store: Store, tmp_path: Path) -> None:
    add_named_entities(store, "Redis")
    epoch = _epoch(store)

    store.release()
    assert _epoch(store) == epoch

    store.release()
    with duckdb.connect(str(tmp_path / "graph.duckdb")) as plain:
        plain.execute("SELECT count(*) FROM triples")
    assert _epoch(store) == epoch


def test_the_epoch_grows_after_another_process_has_written(store: Store, tmp_path: Path) -> None:
    add_named_entities(store, "Redis")
    epoch = _epoch(store)
    store.release()

    with duckdb.connect(str(tmp_path / "graph.duckdb")) as plain:
        plain.execute("UPDATE entity SET name = 'Valkey'")

    assert _epoch(store) == epoch + 1
    assert query(store, "SELECT name FROM entities") == [("Valkey",)]


def test_the_epoch_grows_after_the_file_was_replaced(store: Store, tmp_path: Path) -> None:
    add_named_entities(store, "Redis")
    epoch = _epoch(store)
    store.release()
    other = Store(tmp_path / "other.duckdb", wait=0)
    add_named_entities(other, "Kafka")
    other.close()

    (tmp_path / "other.duckdb").replace(tmp_path / "graph.duckdb")

    assert _epoch(store) == epoch + 1
    assert query(store, "SELECT name FROM entities") == [("Kafka",)]


def test_the_first_opening_and_every_purge_make_an_epoch_and_other_writes_do_not(store: Store) -> None:
    epochs = [store.epoch]
    for voids_indexes in (False, True, False, True):
        with store.writing(TEST) as tx:
            assert not tx.voids_indexes
            tx.voids_indexes = voids_indexes
        epochs.append(store.epoch)

    assert epochs == [0, 1, 2, 2, 3]
    assert store.release()
    assert _epoch(store) == 3


def test_releasing_and_using_from_many_threads_never_fails(store: Store) -> None:
    failures: list[BaseException] = []

    def use() -> None:
        try:
            for _ in range(10):
                store.release()
                add_named_entities(store, "Redis")
        except BaseException as error:  # noqa: BLE001  (what a thread raises is lost otherwise)
            failures.append(error)

    threads = [threading.Thread(target=use) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert query(store, "SELECT count(*) FROM entities") == [(30,)]
