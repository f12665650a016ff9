"""Triples and their evidence as they are read, cleared and counted."""

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from store_helpers import TEST, Row, add_document, add_named_entities, add_rows, columns, query

from mcp_graphrag.model import Evidence, Triple
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.citations import cite
from mcp_graphrag.store.rows.document_rows import text_hash
from mcp_graphrag.store.rows.embedding_rows import add_embeddings
from mcp_graphrag.store.rows.triple_rows import (
    add_predicates,
    add_triples,
    clear,
    evidence_ids_of,
    predicate_counts,
    retire_triples,
    triples_by_id,
)

Y2020, Y2021 = datetime(2020, 1, 1), datetime(2021, 1, 1)  # noqa: DTZ001  (times in the file are naive UTC)


def test_a_triple_is_read_with_its_evidence_the_most_confident_first(store: Store) -> None:
    add_named_entities(store, "Checkout", "Redis")
    with store.writing(TEST) as tx:
        _, (first, second) = add_document(tx, "memory://a", "Checkout uses ", "Redis.")
        tx.run("UPDATE document SET source = 'wiki'")
        cited = Row(quote="uses", chunk=second, start=9, end=13, confidence=0.123456, valid_from=Y2020, valid_to=Y2021)
        told = Row(source="mail", confidence=0.5, valid_from=Y2020, valid_to=Y2021)
        add_triples(tx, replace(columns(cited), metadata=['{"port": 1}'], surfaces=["uses"]), "agent")
        add_triples(tx, columns(told), "agent")
        add_triples(tx, columns(replace(cited, chunk=first, source="memo")), "agent")
        moment = tx.recorded_at

    citations = [
        cite("memory://a", 14, 20, text_hash("Redis.")),
        cite("memory://a", 0, 14, text_hash("Checkout uses ")),
    ]
    evidence = [
        Evidence("mail", "", "", None, None, "agent", 0.5),
        Evidence("wiki", citations[0], "uses", 9, 13, "agent", 0.1235, "uses", 1),
        Evidence("memo", citations[1], "uses", 9, 13, "agent", 0.1235, line=1),
    ]
    ends = (1, "Checkout", "", "uses", 2, "Redis", "")
    # Two independent sources: the document, whose two chunks are one, and the mail.
    confidence = round(1 - (1 - 0.123456) * 0.5, 4)
    expected = Triple(1, *ends, confidence, {"port": 1}, evidence, Y2020, Y2021, moment, None)
    with store.reading() as tx:
        assert triples_by_id(tx, [1], evidence_ids=[1, 2, 3]) == {1: expected}
        assert triples_by_id(tx, [1], evidence_ids=[3]) == {1: replace(expected, evidence=evidence[2:])}
        assert triples_by_id(tx, [1]) == {1: replace(expected, evidence=())}
        assert triples_by_id(tx, []) == {}
        assert evidence_ids_of(tx, [1], limit=2) == [2, 1]


def test_evidence_goes_to_its_own_triple(store: Store) -> None:
    add_named_entities(store, "Checkout", "Redis", "Kafka")
    add_rows(store, Row(quote="one"), Row(object=3, quote="two"), Row(object=3, quote="three", confidence=0.5))

    with store.reading() as tx:
        found = triples_by_id(tx, [1, 2], evidence_ids=[3, 2, 1])
        assert evidence_ids_of(tx, [1, 2], limit=1) == [1, 2]
    assert {key: [each.quote for each in triple.evidence] for key, triple in found.items()} == {
        1: ["one"],
        2: ["two", "three"],
    }


def test_a_look_back_shows_the_confidence_of_then(store: Store) -> None:
    add_named_entities(store, "Checkout", "Redis")
    add_rows(store, Row(source="wiki", confidence=0.5))
    ((then,),) = query(store, "SELECT max(recorded_at) FROM change")
    add_rows(store, Row(source="mail", confidence=0.5))

    with store.reading() as tx:
        assert triples_by_id(tx, [1])[1].confidence == 0.75
    with store.reading(known_at=then) as tx:
        past = triples_by_id(tx, [1])[1]
    assert (past.confidence, past.metadata, past.recorded_at) == (0.5, {}, then)


def test_predicates_keep_their_ids_and_new_ones_get_others(store: Store) -> None:
    with store.writing(TEST) as tx:
        assert add_predicates(tx, ["uses", "owns", "uses"]) == {"uses": 1, "owns": 2}
        assert add_predicates(tx, ["owns", "likes"]) == {"uses": 1, "owns": 2, "likes": 3}
        assert add_predicates(tx, ["owns"]) == {"uses": 1, "owns": 2, "likes": 3}


def test_predicates_are_counted_by_their_active_triples_that_hold_then(store: Store) -> None:
    add_named_entities(store, "Checkout", "Redis", "Kafka")
    with store.writing(TEST) as tx:
        add_predicates(tx, ["owns"])
    add_rows(store, Row(), Row(object=3), Row(predicate=2, valid_to=Y2021), Row(subject=2))
    with store.writing(TEST) as tx:
        assert sorted(retire_triples(tx, [4])) == [2]

    with store.reading() as tx:
        assert predicate_counts(tx) == {"uses": 2, "owns": 1}
        assert predicate_counts(tx, as_of=Y2021) == {"uses": 2}
    assert query(store, "SELECT triple_id FROM evidence WHERE retired_change IS NULL") == [(1,), (2,), (3,)]


@pytest.mark.parametrize("documents", [False, True])
def test_clearing_leaves_documents_only_if_they_are_to_stay(store: Store, *, documents: bool) -> None:
    add_named_entities(store, "Checkout", "Redis")
    add_rows(store, Row())
    with store.writing(TEST) as tx:
        add_document(tx, "memory://a", "one")
        for of in ("chunk", "model", "entity"):
            add_embeddings(tx, of, np.array([1]), np.ones((1, 2), dtype=np.float32))
    epoch = store.epoch

    with store.writing(TEST) as tx:
        clear(tx, documents=documents)

    left = dict.fromkeys(("document", "chunk", "chunk_embedding", "model_embedding"), not documents)
    left |= dict.fromkeys(("entity_embedding", "triple", "evidence", "entity", "entity_alias"), False)
    assert {table: query(store, f"SELECT count(*) > 0 FROM {table}") for table in left} == {
        table: [(kept,)] for table, kept in left.items()
    }
    assert store.epoch == epoch + 1
