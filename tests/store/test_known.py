"""A look back reads every table as it stood then, whatever has happened to its rows since."""

import time
from datetime import datetime, timedelta

import pytest
from store_stories import TEST, Said, name_things, put, query, rows, say

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Document
from mcp_graphrag.store import Store
from mcp_graphrag.store.documents import describe_document, find_document, retire_document
from mcp_graphrag.store.entities import entity_heads
from mcp_graphrag.store.history import last_operations, revert, reword_entities
from mcp_graphrag.store.known import present
from mcp_graphrag.store.transaction import now
from mcp_graphrag.store.triples import triples_by_id

TRIPLES = "SELECT subject_id, object_id FROM triple WHERE retired_change IS NULL ORDER BY id"


def moment() -> datetime:
    """A moment after all that was written, before all that will be."""
    time.sleep(0.002)
    found = now()
    time.sleep(0.002)
    return found


def test_rows_recorded_since_are_not_known_then_and_rows_retired_since_are(store: Store) -> None:
    name_things(store, "A", "B", "C")
    with store.writing(TEST) as tx:
        document_id, (chunk_id,) = put(tx, "memory://a", "A uses B")
    say(store, Said(1, 1, 2, chunk=chunk_id, quote="A uses B", start=0, end=8))
    then = moment()
    say(store, Said(2, 1, 3))
    with store.writing(TEST) as tx:
        retire_document(tx, document_id)

    assert query(store, TRIPLES) == [(2, 3)]
    with store.reading(known_at=then) as tx:
        assert rows(tx, TRIPLES) == [(1, 2)]
        assert rows(tx, "SELECT quote FROM evidence WHERE retired_change IS NULL") == [("A uses B",)]
        assert find_document(tx, "memory://a") is not None


def test_words_that_were_changed_since_are_known_as_they_were(store: Store) -> None:
    name_things(store, "A")
    with store.writing(TEST) as tx:
        document_id, _ = put(tx, "memory://a", "text")
    then = moment()
    with store.writing(TEST) as tx:
        reword_entities(tx, [(1, {"name": "Alpha", "type": "Letter", "properties": '{"n": 1}'})])
        describe_document(tx, document_id, Document("memory://a", "Renamed", "text", metadata={"k": "v"}))

    with store.reading(known_at=then) as tx:
        document = find_document(tx, "memory://a")
        assert (entity_heads(tx, [1])[1].name, document and document.title) == ("A", "memory://a")
        with present(tx):
            assert entity_heads(tx, [1])[1].name == "Alpha"
        assert entity_heads(tx, [1])[1].name == "A"


def test_what_came_back_is_known_of_both_times_and_not_of_the_time_between(store: Store) -> None:
    name_things(store, "A", "B")
    say(store, Said())
    before = moment()
    with store.writing(TEST) as tx:
        (operation,) = last_operations(tx, limit=1)
        revert(tx, operation.changes)
    between = moment()
    with store.writing(TEST) as tx:
        # Redoing by hand what an undo of the undo would do.
        revert(tx, [tx.generation])

    known: list[list[tuple[int, int]]] = []
    for then in (before, between, None):
        with store.reading(known_at=then) as tx:
            known.append([(row[0], row[1]) for row in rows(tx, TRIPLES)])
    assert known == [[(1, 2)], [], [(1, 2)]]


def test_the_future_is_refused(store: Store) -> None:
    with pytest.raises(BadInput, match="in the future"), store.reading(known_at=now() + timedelta(minutes=1)):
        pass


def test_a_file_of_any_name_can_be_looked_back_at(tmp_path_factory: pytest.TempPathFactory) -> None:
    odd = Store(tmp_path_factory.mktemp("odd") / 'my "{graph}" 2.duckdb', wait=0)
    name_things(odd, "A", "B")
    say(odd, Said())
    with odd.reading(known_at=moment()) as tx:
        assert rows(tx, TRIPLES) == [(1, 2)]
    odd.close()


def test_a_triple_was_as_sure_as_what_supported_it_then(store: Store) -> None:
    name_things(store, "A", "B")
    say(store, Said(confidence=0.5, source="one"))
    then = moment()
    say(store, Said(confidence=0.5, source="two"))
    with store.reading() as tx:
        assert triples_by_id(tx, [1])[1].confidence == pytest.approx(0.75)
    with store.reading(known_at=then) as tx:
        assert triples_by_id(tx, [1])[1].confidence == pytest.approx(0.5)
