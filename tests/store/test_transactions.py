import threading

import duckdb
import pytest
from store_helpers import TEST, add_named_entities, query, rows

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Origin
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.engine import file
from mcp_graphrag.store.engine.transaction import bind_value
from mcp_graphrag.store.rows.triple_rows import add_predicates, predicates

CHANGES = "SELECT client, request_id, tool, operation, job_id FROM change ORDER BY id"


def test_a_write_of_nothing_leaves_no_change(store: Store) -> None:
    with store.writing(TEST) as tx:
        assert not tx.changed

    assert query(store, CHANGES) == []


@pytest.mark.of_file
def test_a_change_records_its_origin_and_operation(store: Store) -> None:
    for origin in (
        Origin("ingest", client="editor", request_id="r-1"),
        Origin("ingest", client="editor", operation=1, job=7),
        Origin("add_triples"),
    ):
        with store.writing(origin) as tx:
            tx.log_change()
            assert tx.change == tx.generation, "one change a write"

    assert query(store, CHANGES) == [
        ("editor", "r-1", "ingest", 1, None),
        ("editor", None, "ingest", 1, 7),
        ("library", None, "add_triples", 3, None),
    ]


def test_a_write_that_failed_leaves_nothing_for_the_next(store: Store) -> None:
    def fail() -> None:
        with store.writing(TEST) as tx:
            add_predicates(tx, ["lost"])
            raise ZeroDivisionError

    with store.writing(TEST) as tx:
        add_predicates(tx, ["uses"])
    with pytest.raises(ZeroDivisionError):
        fail()

    with store.writing(TEST) as tx:
        assert (tx.generation, predicates(tx)) == (1, {"uses": 1})
        add_predicates(tx, ["owns"])
    with store.writing(TEST) as tx:
        assert [(tx.generation,)] == query(store, "SELECT max(id) FROM change")
        assert set(predicates(tx)) == {"uses", "owns"}
    assert query(store, "SELECT name FROM predicate ORDER BY id") == [("uses",), ("owns",)]


@pytest.mark.of_file
def test_a_write_knows_what_another_process_has_written(store: Store) -> None:
    with store.writing(TEST) as tx:
        add_predicates(tx, ["uses"])
    store.release()
    with duckdb.connect(str(store.path)) as plain:
        plain.execute("INSERT INTO predicate VALUES (9, 'owns', '', 7)")
        plain.execute("INSERT INTO change VALUES (7, now()::TIMESTAMP, 'x', NULL, 'x', 7, NULL)")

    with store.writing(TEST) as tx:
        assert (tx.generation, predicates(tx)) == (7, {"uses": 1, "owns": 9})


def test_two_threads_that_write_lose_nothing_and_add_shared_names_once(store: Store) -> None:
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


def test_a_name_that_is_not_valid_utf_8_can_be_a_parameter(store: Store) -> None:
    with store.reading() as tx:
        assert tx.rows("find_documents", {"uris": ["file:///\udcff"]}) == []


def test_a_list_is_bound_as_readable_json_and_other_values_as_they_are() -> None:
    values = [["größe", 1], ("a", None), "größe\udcff", 7, None]

    assert [bind_value(value) for value in values] == ['["größe", 1]', '["a", null]', "größe?", 7, None]


TEXTS = ["it's", "'", "''", "a\\'b", "\\", '"', "$value", "{value}", "größe", "--", "a;b", "\n", "", "x" * 300]
NUMBERS = [0.1, 1 / 3, 1e300, -5e-324, float("inf")]


@pytest.mark.parametrize("value", [*TEXTS, b"\0'", *NUMBERS])
def test_values_are_read_as_they_were_given(store: Store, value: str | bytes | float) -> None:
    with store.reading() as tx:
        kind = {str: "VARCHAR", bytes: "BLOB", float: "DOUBLE"}[type(value)]
        assert tx.run("SELECT $value, typeof($value)", {"value": value}).fetchall() == [(value, kind)]


def test_rows_are_read_as_numbers_columns_or_nothing(store: Store) -> None:
    with store.reading() as tx:
        assert (tx.count("last_change"), tx.row("model_dimension"), tx.rows_by_id("entity_labels", [])) == (0, None, [])
    add_named_entities(store, "Redis", "Kafka", "Valkey")
    with store.reading() as tx:
        assert tx.rows_by_id("entity_labels", [3, 1, 3]) == [(1, "Redis", ""), (3, "Valkey", "")]
        assert tx.values("entity_types", {"phrases": True}) == [""]
        assert tx.rows("aliases_of", {"not in the statement": "x"}, ids="7") == []
        assert tx.ids("entity_ids_of_type", {"types": [""]}).tolist() == [1, 2, 3]
        assert [column.tolist() for column in tx.id_columns("alias_hashes")[1:]] == [
            [1, 2, 3],
            [0, 0, 0],
            [0, 0, 0],
        ]


def test_a_temporary_table_exists_only_in_its_block(store: Store) -> None:
    add_named_entities(store, "Redis", "Kafka")
    with store.reading() as tx:
        with tx.temporary("active", "entities_of_type", {"types": None, "limit": 9}) as count:
            assert (count, rows(tx, "SELECT id FROM active ORDER BY id")) == (2, [(1,), (2,)])
        with pytest.raises(duckdb.CatalogException):
            rows(tx, "FROM active")


def test_an_error_in_the_block_of_a_temporary_table_is_that_of_its_statement(store: Store) -> None:
    with (
        pytest.raises(BadInput, match="A value does not fit"),
        store.writing(TEST) as tx,
        tx.temporary("active", "normal_forms"),
    ):
        rows(tx, "SELECT 'a'::INTEGER")


@pytest.mark.of_file
def test_the_epoch_of_a_reader_is_that_of_its_snapshot_even_if_a_purge_commits_meanwhile(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_named_entities(store, "Redis")
    epoch = store.epoch

    def purge() -> None:
        with store.writing(TEST) as tx:
            tx.run("DELETE FROM entity")
            tx.voids_indexes = True

    thread = threading.Thread(target=purge)

    class InterruptedReader(Reader):
        """A reader between whose BEGIN and first statement a purge tries to commit."""

        def __init__(self, cursor: duckdb.DuckDBPyConnection, epoch: int) -> None:
            super().__init__(cursor, epoch)
            thread.start()
            thread.join(0.3)

    monkeypatch.setattr(file, "Reader", InterruptedReader)
    with store.reading() as tx:
        thread.join()
        assert (tx.epoch, rows(tx, "SELECT name FROM entity")) == (epoch, [("Redis",)])
    monkeypatch.undo()

    with store.reading() as tx:
        assert (tx.epoch, rows(tx, "SELECT name FROM entity")) == (epoch + 1, [])
