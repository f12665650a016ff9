from dataclasses import replace
from datetime import datetime

import pytest
from cached_files import CachedFiles, empty
from hypothesis import given, settings
from hypothesis import strategies as st
from store_helpers import TEST, Row, add_document, add_named_entities, add_rows, columns, query, rows

from mcp_graphrag.store import Store
from mcp_graphrag.store.rows import place_triples
from mcp_graphrag.store.rows.confidence import CONFIRMED
from mcp_graphrag.store.rows.triple_rows import PlacedTriples, TriplePattern, add_triples, match_pattern

Y2020, Y2021 = datetime(2020, 1, 1), datetime(2021, 1, 1)  # noqa: DTZ001  (times in the file are naive UTC)
ACTIVE = "SELECT id, confidence::DOUBLE FROM triple WHERE retired_change IS NULL ORDER BY id"
EVIDENCE = "SELECT triple_id, quote, extractor FROM evidence WHERE retired_change IS NULL ORDER BY id"


@pytest.fixture
def entities(store: Store) -> Store:
    """A store with entities 1 to 3."""
    add_named_entities(store, "Checkout", "Redis", "Kafka")
    return store


def _pairs(added: PlacedTriples) -> list[tuple[int, bool]]:
    return list(zip(added.triple_ids.tolist(), added.is_new.tolist(), strict=True))


@pytest.mark.parametrize(
    "other",
    [
        Row(subject=3),
        Row(object=3),
        Row(predicate=2),
        Row(valid_from=Y2020),
        Row(valid_to=Y2020),
        Row(valid_from=Y2020, valid_to=Y2021),
    ],
)
def test_triples_that_differ_in_an_end_or_a_time_are_two(entities: Store, other: Row) -> None:
    assert _pairs(add_rows(entities, Row())) == [(1, True)]
    assert _pairs(add_rows(entities, other, Row())) == [(2, True), (1, False)]
    assert _pairs(add_rows(entities, other)) == [(2, False)]


@pytest.mark.parametrize(
    "same",
    [Row(), Row(valid_from=Y2020), Row(valid_to=Y2021), Row(valid_from=Y2020, valid_to=Y2021)],
)
def test_adding_the_same_again_changes_nothing_also_with_unknown_times(entities: Store, same: Row) -> None:
    add_rows(entities, same, same)
    before = query(entities, "SELECT count(*) FROM change"), query(entities, EVIDENCE)

    assert _pairs(add_rows(entities, same, same)) == [(1, False), (1, False)]

    assert (query(entities, "SELECT count(*) FROM change"), query(entities, EVIDENCE)) == before
    assert query(entities, "SELECT count(*) FROM triple") == [(1,)]


def test_adding_a_known_triple_with_other_evidence_adds_only_the_evidence(entities: Store) -> None:
    add_rows(entities, Row(quote="Checkout uses Redis"))

    add_rows(entities, Row(quote="Checkout uses Redis"), Row(quote="It caches in Redis"))
    add_rows(entities, Row(quote="Checkout uses Redis"), extractor="lite")

    assert query(entities, EVIDENCE) == [
        (1, "Checkout uses Redis", "agent"),
        (1, "It caches in Redis", "agent"),
        (1, "Checkout uses Redis", "lite"),
    ]


def test_the_confidence_of_a_triple_combines_its_independent_sources(entities: Store) -> None:
    add_rows(entities, Row(source="wiki", confidence=0.5), Row(source="mail", confidence=0.5))
    assert query(entities, ACTIVE) == [(1, 0.75)]

    add_rows(entities, Row(confidence=0.5))
    add_rows(entities, Row(confidence=0.5), extractor="lite")
    assert query(entities, ACTIVE) == [(1, 0.9375)]


def test_a_source_that_repeats_itself_counts_with_its_highest_confidence(entities: Store) -> None:
    with entities.writing(TEST) as tx:
        _, (first, second) = add_document(tx, "memory://a", "Checkout uses Redis. ", "It caches in Redis.")
    add_rows(entities, Row(chunk=first, confidence=0.5), Row(chunk=second, confidence=0.25))
    add_rows(entities, Row(chunk=second, quote="Redis", confidence=0.5), extractor="lite")
    assert query(entities, ACTIVE) == [(1, 0.5)]

    add_rows(entities, Row(chunk=second, quote="Redis", confidence=0.75), extractor="lite")
    assert query(entities, ACTIVE) == [(1, 0.75)]


def test_a_confirmation_adds_to_the_combined_confidence_up_to_one(entities: Store) -> None:
    add_rows(entities, Row(source="wiki", confidence=0.5))
    for session in ("Monday", "Tuesday", "Tuesday"):
        add_rows(entities, Row(source=session, confidence=0.125), extractor=CONFIRMED)
    assert query(entities, ACTIVE) == [(1, 0.75)]

    add_rows(entities, Row(source="Friday", confidence=0.5), extractor=CONFIRMED)
    assert query(entities, ACTIVE) == [(1, 1.0)]


def test_the_same_evidence_with_a_higher_confidence_replaces_the_earlier_one(entities: Store) -> None:
    add_rows(entities, Row(quote="a", confidence=0.5))
    before = query(entities, "SELECT max(recorded_at) FROM change")[0][0]

    add_rows(entities, Row(quote="a", confidence=0.75))
    add_rows(entities, Row(quote="a", confidence=0.25))

    whole = "SELECT id, confidence::DOUBLE, retired_change FROM evidence ORDER BY id"
    assert query(entities, whole) == [(1, 0.5, 3), (2, 0.75, None)]
    with entities.reading(known_at=before) as tx:
        assert rows(tx, "SELECT id, confidence::DOUBLE FROM evidence") == [(1, 0.5)]


def test_the_triples_of_rows_are_returned_in_their_order(entities: Store) -> None:
    added = add_rows(entities, Row(object=3), Row(), Row(object=3), Row(subject=3))

    assert _pairs(added) == [(1, True), (2, True), (1, True), (3, True)]


def test_a_new_triple_has_what_all_its_rows_say_together(entities: Store) -> None:
    rows_ = [Row(confidence=0.25), Row(object=3), Row(confidence=0.5, quote="a"), Row(confidence=0.5, quote="b")]
    told = replace(columns(*rows_), metadata=[None, None, '{"a": 1}', '{"b": 2}'], over=[True, True, False, True])
    with entities.writing(TEST) as tx:
        add_triples(tx, told, "agent")
    whole = "SELECT object_id, confidence::DOUBLE, properties, said_until IS NOT NULL FROM triple ORDER BY id"
    assert query(entities, whole) == [(2, 0.5, '{"a": 1}', False), (3, 1.0, None, True)]


def test_adding_no_rows_is_no_change(entities: Store) -> None:
    before = query(entities, "SELECT count(*) FROM change")

    assert _pairs(add_rows(entities)) == []

    assert query(entities, "SELECT count(*) FROM change") == before


NAMES = st.integers(1, 3)
TIMES = st.sampled_from([None, Y2020, Y2021])
ROWS = st.lists(st.builds(Row, subject=NAMES, object=NAMES, valid_from=TIMES, quote=st.sampled_from("ab")), max_size=8)


@pytest.mark.parametrize("looked_up", [100, 0], ids=["looked up", "joined"])
@settings(max_examples=8, deadline=None)
@given(batches=st.lists(ROWS, max_size=3))
def test_each_identity_is_stored_once_in_whatever_batches_triples_are_added(
    tmp_path_factory: pytest.TempPathFactory,
    cached_files: CachedFiles,
    monkeypatch: pytest.MonkeyPatch,
    looked_up: int,
    batches: list[list[Row]],
) -> None:
    monkeypatch.setattr(place_triples, "MAX_LOOKED_UP", looked_up)
    store = Store(cached_files.copied(empty, tmp_path_factory.mktemp("identity") / "graph.duckdb"), wait=0)
    add_named_entities(store, "Checkout", "Redis", "Kafka")
    for batch in batches:
        add_rows(store, *batch)
    triples = [row for batch in batches for row in batch]

    stored = query(store, "SELECT subject_id, object_id, valid_from FROM triple")
    evidence = query(
        store, "SELECT subject_id, object_id, valid_from, quote FROM evidence v JOIN triple t ON t.id = v.triple_id"
    )
    store.close()

    assert len(stored) == len(set(stored)) == len({(row.subject, row.object, row.valid_from) for row in triples})
    assert len(evidence) == len(set(evidence))
    assert set(evidence) == {(row.subject, row.object, row.valid_from, row.quote) for row in triples}


def test_a_pattern_finds_the_matching_triples_after_the_previous_page(entities: Store) -> None:
    add_rows(entities, Row(object=2), Row(object=3), Row(subject=3, object=2))

    with entities.reading() as tx:
        assert match_pattern(tx, TriplePattern(subjects=[1]), after=0, limit=9).tolist() == [1, 2]
        assert match_pattern(tx, TriplePattern(objects=[2]), after=1, limit=9).tolist() == [3]
        assert match_pattern(tx, TriplePattern(subjects=[]), after=0, limit=9).tolist() == []
        assert match_pattern(tx, TriplePattern(), after=0, limit=2).tolist() == [1, 2]
