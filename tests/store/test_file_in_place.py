"""Only a DuckDB file is opened, by its content; one that is removed or replaced while open takes no more writes."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from store_helpers import TEST, add_named_entities, query

from mcp_graphrag.errors import FileReplaced, FileTrouble, NotAGraph, WalQuarantined
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.triple_rows import add_predicates

pytestmark = pytest.mark.of_file

posix = pytest.mark.skipif(os.name != "posix", reason="an open file cannot be removed on this system")


def _parquet(path: Path) -> None:
    duckdb.sql(f"COPY (SELECT 1 AS a) TO '{path}' (FORMAT parquet)")


def _text(content: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(content, encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("graph.csv", _text("a,b\n1,2\n")),
        ("graph.tsv", _text("a\tb\n1\t2\n")),
        ("graph.json", _text('[{"a": 1}]')),
        ("graph.parquet", _parquet),
        ("graph.duckdb", _text("a,b\n1,2\n")),
    ],
)
def test_data_of_another_format_is_refused_and_left_as_it_is(
    tmp_path: Path, name: str, make: Callable[[Path], object]
) -> None:
    path = tmp_path / name
    make(path)
    before = path.read_bytes()
    store = Store(path, wait=0)

    for _ in range(2):
        with pytest.raises(NotAGraph, match=r"is not a DuckDB file\. Name another"):
            add_named_entities(store, "Redis")

    assert path.read_bytes() == before


@pytest.mark.parametrize("log", [b"", b"what is left of a log"])
def test_an_empty_file_is_no_new_graph_and_its_log_is_kept(tmp_path: Path, log: bytes) -> None:
    path = tmp_path / "graph.duckdb"
    path.touch()
    path.with_name("graph.duckdb.wal").write_bytes(log)

    for read_only in (True, False):
        with pytest.raises(FileTrouble, match=r"has 0 bytes: what was in it is gone\. Restore a backup"):
            query(Store(path, read_only=read_only, wait=0), "SELECT name FROM entities")

    assert path.stat().st_size == 0
    assert path.with_name("graph.duckdb.wal").read_bytes() == log


@posix
def test_the_call_after_a_refusal_waits_for_others_who_use_the_removed_file(tmp_path: Path) -> None:
    store = Store(tmp_path / "graph.duckdb", wait=30)
    add_named_entities(store, "Redis")
    is_held, refused = threading.Event(), threading.Event()

    def work() -> None:
        with store.held():
            is_held.set()
            refused.wait(30)
            time.sleep(0.3)  # into the next call
            with pytest.raises(FileReplaced):  # at once: it does not wait for itself
                add_named_entities(store, "Kafka")

    worker = threading.Thread(target=work)
    worker.start()
    is_held.wait(30)
    store.path.unlink()
    with pytest.raises(FileReplaced):
        add_named_entities(store, "Postgres")
    refused.set()

    add_named_entities(store, "Postgres")
    worker.join()
    assert query(store, "SELECT name FROM entities") == [("Postgres",)]


@pytest.mark.parametrize("name", ["graph.csv", "graph.json", "graph.parquet", "graph"])
def test_a_new_file_is_a_duckdb_file_whatever_its_suffix(tmp_path: Path, name: str) -> None:
    store = Store(tmp_path / name, wait=0)
    add_named_entities(store, "Redis")
    store.close()

    assert (tmp_path / name).read_bytes()[8:12] == b"DUCK"
    assert query(Store(tmp_path / name, wait=0), "SELECT name FROM entities") == [("Redis",)]


def _removed(store: Store) -> None:
    store.path.unlink()


def _replaced(store: Store) -> None:
    other = Store(store.path.with_name("other.duckdb"), wait=0)
    add_named_entities(other, "Kafka")
    other.close()
    other.path.replace(store.path)


@posix
@pytest.mark.parametrize(("exchange", "left"), [(_removed, []), (_replaced, [("Kafka",)])])
def test_a_write_to_a_file_that_is_gone_is_not_acknowledged_and_the_next_call_opens_what_is_there(
    store: Store, exchange: Callable[[Store], None], left: list[tuple[str]]
) -> None:
    add_named_entities(store, "Redis")
    exchange(store)

    with pytest.raises(FileReplaced, match="while it was open: nothing was stored"):
        add_named_entities(store, "Nginx")

    assert query(store, "SELECT name FROM entities") == left
    add_named_entities(store, "Nginx")
    store.close()
    assert query(Store(store.path, wait=0), "SELECT name FROM entities") == [*left, ("Nginx",)]


@posix
@pytest.mark.parametrize(("exchange", "left"), [(_removed, []), (_replaced, [("Kafka",)])])
def test_a_file_that_went_while_it_was_open_is_another_one_after_its_release(
    store: Store, exchange: Callable[[Store], None], left: list[tuple[str]]
) -> None:
    add_named_entities(store, "Redis")
    with store.writing(TEST) as tx:
        add_predicates(tx, ["depends_on"])
    exchange(store)
    before = store.epoch
    assert store.release()

    with store.writing(TEST) as tx:
        add_predicates(tx, ["depends_on"])

    assert store.epoch > before
    assert query(store, "SELECT name FROM predicate WHERE name = 'depends_on'") == [("depends_on",)]
    assert query(store, "SELECT name FROM entities") == left


@posix
def test_a_read_of_a_file_that_is_gone_says_so(store: Store) -> None:
    add_named_entities(store, "Redis")
    _removed(store)

    with pytest.raises(FileReplaced, match="was removed"):
        query(store, "SELECT name FROM entities")


@posix
def test_a_file_exchanged_during_a_write_takes_nothing_of_it(store: Store) -> None:
    add_named_entities(store, "Redis")

    def write() -> None:
        with store.writing(TEST) as tx:
            tx.log_change()
            _replaced(store)

    with pytest.raises(FileReplaced):
        write()

    assert query(store, "SELECT name FROM entities") == [("Kafka",)]


@posix
def test_the_log_of_a_file_that_is_gone_is_kept_aside(store: Store, tmp_path: Path) -> None:
    add_named_entities(store, "Redis")
    _removed(store)

    assert store.release()

    (log,) = tmp_path.glob("graph.duckdb.wal*")
    assert log.name.endswith(".quarantine")
    assert log.stat().st_size > 0


def test_a_log_without_its_file_is_kept_aside(tmp_path: Path) -> None:
    store = Store(tmp_path / "graph.duckdb", wait=0)
    with store.held() as connection:
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        add_named_entities(store, "Redis")
    store.close()
    store.path.unlink()

    with pytest.raises(WalQuarantined) as caught:
        query(store, "SELECT name FROM entities")

    assert caught.value.quarantine.stat().st_size > 0
    assert query(store, "SELECT name FROM entities") == []
