import threading
from collections.abc import Sequence

import pytest
from store_stories import TEST, name_things, query, rows

from mcp_graphrag.model import Origin
from mcp_graphrag.store import Store
from mcp_graphrag.store.triples import add_predicates, predicates

CHANGES = "SELECT client, request_id, tool, operation, job_id FROM change ORDER BY id"


def _predicates(store: Store) -> Sequence[str]:
    with store.reading() as tx:
        return list(predicates(tx))


def test_a_write_that_raises_leaves_nothing(store: Store) -> None:
    name_things(store, "Redis")

    def fail() -> None:
        with store.writing(TEST) as tx:
            add_predicates(tx, ["owns"])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert _predicates(store) == ["uses"]
    assert query(store, "SELECT count(*) FROM change") == [(1,)]
    name_things(store, "Kafka")
    assert query(store, "SELECT name FROM entities ORDER BY id") == [("Redis",), ("Kafka",)]


def test_a_write_of_nothing_leaves_no_change(store: Store) -> None:
    with store.writing(TEST) as tx:
        assert not tx.changed

    assert query(store, CHANGES) == []


def test_a_change_says_who_wrote_and_belongs_to_an_operation(store: Store) -> None:
    for origin in (
        Origin("ingest", client="editor", request_id="r-1"),
        Origin("ingest", client="editor", operation=1, job=7),
        Origin("add_triples"),
    ):
        with store.writing(origin) as tx:
            tx.stamp()
            assert tx.stamp()["change"] == tx.generation, "one change a write"

    assert query(store, CHANGES) == [
        ("editor", "r-1", "ingest", 1, None),
        ("editor", None, "ingest", 1, 7),
        ("library", None, "add_triples", 3, None),
    ]


def test_the_generation_is_the_last_change(store: Store) -> None:
    with store.reading() as tx:
        assert tx.generation == 0

    name_things(store, "Redis")

    with store.reading() as tx:
        assert tx.generation == 1


def test_two_threads_that_write_lose_nothing_and_store_what_both_say_once(store: Store) -> None:
    start = threading.Barrier(2)

    def write(name: str) -> None:
        start.wait()
        for number in range(25):
            with store.writing(Origin(name)) as tx:
                add_predicates(tx, [f"{name}{number}", f"both{number}"])

    threads = [threading.Thread(target=write, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    expected = sorted((f"{name}{number}",) for name in ("a", "b", "both") for number in range(25))
    assert query(store, "SELECT name FROM predicate ORDER BY name") == expected
    assert query(store, "SELECT tool, count(DISTINCT id) FROM change GROUP BY tool ORDER BY tool") == [
        ("a", 25),
        ("b", 25),
    ]


def test_a_reader_keeps_its_snapshot_while_others_write(store: Store) -> None:
    with store.reading() as before:
        assert before.generation == 0
        with store.writing(TEST) as tx:
            add_predicates(tx, ["uses"])
            assert predicates(before) == {}
            with store.reading() as during:
                assert predicates(during) == {}
        with store.reading() as after:
            assert predicates(after) == {"uses": 1}
        assert (predicates(before), before.generation) == ({}, 0)


def test_a_reader_cannot_write(store: Store) -> None:
    with store.reading() as tx, pytest.raises(Exception, match="read-only"):
        rows(tx, "INSERT INTO meta VALUES ('a', 'b')")


def test_a_name_that_is_not_utf_8_can_be_asked_for(store: Store) -> None:
    with store.reading() as tx:
        assert tx.row("find_document", {"uri": "file:///\udcff"}) is None
        assert tx.rows("find_documents", {"uris": ["file:///\udcff"]}) == []
