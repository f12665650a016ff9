"""A snapshot of the past reads every table as it was then, whatever has happened to its rows since."""

import time
from datetime import datetime, timedelta

import pytest
from store_helpers import TEST, Row, add_document, add_named_entities, add_rows, query, rows

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Document
from mcp_graphrag.store import Store
from mcp_graphrag.store.changes.revert import revert
from mcp_graphrag.store.engine.time_travel import present
from mcp_graphrag.store.engine.transaction import now
from mcp_graphrag.store.rows.change_rows import last_operations
from mcp_graphrag.store.rows.document_rows import find_document, retire_document, update_document
from mcp_graphrag.store.rows.entity_rows import entity_labels, update_entities

TRIPLES = "SELECT subject_id, object_id FROM triple WHERE retired_change IS NULL ORDER BY id"


def moment() -> datetime:
    """A moment after all earlier writes and before all later ones."""
    time.sleep(0.002)
    found = now()
    time.sleep(0.002)
    return found


def test_rows_recorded_since_are_not_read_and_rows_retired_since_are(store: Store) -> None:
    add_named_entities(store, "A", "B", "C")
    with store.writing(TEST) as tx:
        document_id, (chunk_id,) = add_document(tx, "memory://a", "A uses B")
    add_rows(store, Row(1, 1, 2, chunk=chunk_id, quote="A uses B", start=0, end=8))
    then = moment()
    add_rows(store, Row(2, 1, 3))
    with store.writing(TEST) as tx:
        retire_document(tx, document_id)

    assert query(store, TRIPLES) == [(2, 3)]
    with store.reading(known_at=then) as tx:
        assert rows(tx, TRIPLES) == [(1, 2)]
        assert rows(tx, "SELECT quote FROM evidence WHERE retired_change IS NULL") == [("A uses B",)]
        assert find_document(tx, "memory://a") is not None


def test_values_that_were_updated_since_are_read_as_they_were(store: Store) -> None:
    add_named_entities(store, "A")
    with store.writing(TEST) as tx:
        document_id, _ = add_document(tx, "memory://a", "text")
    then = moment()
    with store.writing(TEST) as tx:
        update_entities(tx, [(1, {"name": "Alpha", "type": "Letter", "properties": '{"n": 1}'})])
        update_document(tx, document_id, Document("memory://a", "Renamed", "text", metadata={"k": "v"}))

    with store.reading(known_at=then) as tx:
        document = find_document(tx, "memory://a")
        assert (entity_labels(tx, [1])[1].name, document and document.title) == ("A", "memory://a")
        with present(tx):
            assert entity_labels(tx, [1])[1].name == "Alpha"
        assert entity_labels(tx, [1])[1].name == "A"


def test_a_restored_row_is_read_in_both_its_intervals_and_not_between_them(store: Store) -> None:
    add_named_entities(store, "A", "B")
    add_rows(store, Row())
    before = moment()
    with store.writing(TEST) as tx:
        tx.run("UPDATE triple SET retired_change = $change, retired_at = $now")
    between = moment()
    with store.writing(TEST) as tx:
        (operation,) = last_operations(tx, limit=1)
        revert(tx, operation.changes)

    read: list[list[tuple[int, int]]] = []
    for then in (before, between, None):
        with store.reading(known_at=then) as tx:
            read.append([(row[0], row[1]) for row in rows(tx, TRIPLES)])
    assert read == [[(1, 2)], [], [(1, 2)]]


def test_the_future_is_refused(store: Store) -> None:
    with pytest.raises(BadInput, match="in the future"), store.reading(known_at=now() + timedelta(minutes=1)):
        pass


def test_a_file_of_any_name_can_be_looked_back_at(tmp_path_factory: pytest.TempPathFactory) -> None:
    odd = Store(tmp_path_factory.mktemp("odd") / 'my "{graph}" 2.duckdb', wait=0)
    add_named_entities(odd, "A", "B")
    add_rows(odd, Row())
    with odd.reading(known_at=moment()) as tx:
        assert rows(tx, TRIPLES) == [(1, 2)]
    odd.close()
