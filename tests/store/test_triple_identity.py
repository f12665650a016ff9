from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_stories import TEST, Said, columns, name_things, put, query, rows, say

from mcp_graphrag.store import Store
from mcp_graphrag.store.confidence import CONFIRMED
from mcp_graphrag.store.triples import Pattern, Placed, add_triples, triple_ids_like

Y2020, Y2021 = datetime(2020, 1, 1), datetime(2021, 1, 1)  # noqa: DTZ001  (times in the file are naive UTC)
IN_FORCE = "SELECT id, confidence::DOUBLE FROM triple WHERE retired_change IS NULL ORDER BY id"
EVIDENCE = "SELECT triple_id, quote, extractor FROM evidence WHERE retired_change IS NULL ORDER BY id"


@pytest.fixture
def things(store: Store) -> Store:
    """A store with entities 1 to 3 and the predicates 1 and 2."""
    name_things(store, "Checkout", "Redis", "Kafka")
    return store


def _placed(placed: Placed) -> list[tuple[int, bool]]:
    return list(zip(placed.triple_ids.tolist(), placed.is_new.tolist(), strict=True))


@pytest.mark.parametrize(
    "other",
    [
        Said(subject=3),
        Said(object=3),
        Said(predicate=2),
        Said(valid_from=Y2020),
        Said(valid_to=Y2020),
        Said(valid_from=Y2020, valid_to=Y2021),
    ],
)
def test_triples_that_differ_in_an_end_or_a_time_are_two(things: Store, other: Said) -> None:
    assert _placed(say(things, Said())) == [(1, True)]
    assert _placed(say(things, other, Said())) == [(2, True), (1, False)]
    assert _placed(say(things, other)) == [(2, False)]


@pytest.mark.parametrize(
    "same",
    [Said(), Said(valid_from=Y2020), Said(valid_to=Y2021), Said(valid_from=Y2020, valid_to=Y2021)],
)
def test_the_same_again_changes_nothing_unknown_times_included(things: Store, same: Said) -> None:
    say(things, same, same)
    before = query(things, "SELECT count(*) FROM change"), query(things, EVIDENCE)

    assert _placed(say(things, same, same)) == [(1, False), (1, False)]

    assert (query(things, "SELECT count(*) FROM change"), query(things, EVIDENCE)) == before
    assert query(things, "SELECT count(*) FROM triple") == [(1,)]


def test_the_same_with_other_evidence_adds_only_the_evidence(things: Store) -> None:
    say(things, Said(quote="Checkout uses Redis"))

    say(things, Said(quote="Checkout uses Redis"), Said(quote="It caches in Redis"))
    say(things, Said(quote="Checkout uses Redis"), extractor="lite")

    assert query(things, EVIDENCE) == [
        (1, "Checkout uses Redis", "agent"),
        (1, "It caches in Redis", "agent"),
        (1, "Checkout uses Redis", "lite"),
    ]


def test_a_triple_is_as_sure_as_its_independent_sources_together(things: Store) -> None:
    say(things, Said(source="wiki", confidence=0.5), Said(source="mail", confidence=0.5))
    assert query(things, IN_FORCE) == [(1, 0.75)]

    say(things, Said(confidence=0.5))
    say(things, Said(confidence=0.5), extractor="lite")
    assert query(things, IN_FORCE) == [(1, 0.9375)]


def test_a_source_that_repeats_itself_is_no_surer_than_at_its_best(things: Store) -> None:
    with things.writing(TEST) as tx:
        _, (first, second) = put(tx, "memory://a", "Checkout uses Redis. ", "It caches in Redis.")
    say(things, Said(chunk=first, confidence=0.5), Said(chunk=second, confidence=0.25))
    say(things, Said(chunk=second, quote="Redis", confidence=0.5), extractor="lite")
    assert query(things, IN_FORCE) == [(1, 0.5)]

    say(things, Said(chunk=second, quote="Redis", confidence=0.75), extractor="lite")
    assert query(things, IN_FORCE) == [(1, 0.75)]


def test_a_confirmation_is_added_to_what_the_rest_comes_to_up_to_one(things: Store) -> None:
    say(things, Said(source="wiki", confidence=0.5))
    for session in ("Monday", "Tuesday", "Tuesday"):
        say(things, Said(source=session, confidence=0.125), extractor=CONFIRMED)
    assert query(things, IN_FORCE) == [(1, 0.75)]

    say(things, Said(source="Friday", confidence=0.5), extractor=CONFIRMED)
    assert query(things, IN_FORCE) == [(1, 1.0)]


def test_the_same_evidence_said_more_surely_replaces_what_was_said_before(things: Store) -> None:
    say(things, Said(quote="a", confidence=0.5))
    before = query(things, "SELECT max(recorded_at) FROM change")[0][0]

    say(things, Said(quote="a", confidence=0.75))
    say(things, Said(quote="a", confidence=0.25))

    whole = "SELECT id, confidence::DOUBLE, retired_change FROM evidence ORDER BY id"
    assert query(things, whole) == [(1, 0.5, 3), (2, 0.75, None)]
    with things.reading(known_at=before) as tx:
        assert rows(tx, "SELECT id, confidence::DOUBLE FROM evidence") == [(1, 0.5)]


def test_rows_of_one_offer_keep_their_places(things: Store) -> None:
    placed = say(things, Said(object=3), Said(), Said(object=3), Said(subject=3))

    assert _placed(placed) == [(1, True), (2, True), (1, True), (3, True)]


def test_an_offer_of_nothing_is_no_change(things: Store) -> None:
    before = query(things, "SELECT count(*) FROM change")

    assert _placed(say(things)) == []

    assert query(things, "SELECT count(*) FROM change") == before


NAMES = st.integers(1, 3)
TIMES = st.sampled_from([None, Y2020, Y2021])
SAID = st.lists(st.builds(Said, subject=NAMES, object=NAMES, valid_from=TIMES, quote=st.sampled_from("ab")), max_size=8)


@settings(max_examples=20, deadline=None)
@given(offers=st.lists(SAID, max_size=3))
def test_however_triples_are_offered_each_identity_is_stored_once(
    tmp_path_factory: pytest.TempPathFactory, offers: list[list[Said]]
) -> None:
    store = Store(tmp_path_factory.mktemp("identity") / "graph.duckdb", wait=0)
    name_things(store, "Checkout", "Redis", "Kafka")
    for offer in offers:
        say(store, *offer)
    said = [each for offer in offers for each in offer]

    stored = query(store, "SELECT subject_id, object_id, valid_from FROM triple")
    evidence = query(
        store, "SELECT subject_id, object_id, valid_from, quote FROM evidence v JOIN triple t ON t.id = v.triple_id"
    )
    store.close()

    assert len(stored) == len(set(stored)) == len({(each.subject, each.object, each.valid_from) for each in said})
    assert len(evidence) == len(set(evidence))
    assert set(evidence) == {(each.subject, each.object, each.valid_from, each.quote) for each in said}


def test_a_pattern_finds_what_fits_from_where_the_page_before_ended(things: Store) -> None:
    say(things, Said(object=2), Said(object=3), Said(subject=3, object=2))

    with things.reading() as tx:
        assert triple_ids_like(tx, Pattern(subjects=[1]), after=0, limit=9).tolist() == [1, 2]
        assert triple_ids_like(tx, Pattern(objects=[2]), after=1, limit=9).tolist() == [3]
        assert triple_ids_like(tx, Pattern(subjects=[]), after=0, limit=9).tolist() == []
        assert triple_ids_like(tx, Pattern(), after=0, limit=2).tolist() == [1, 2]


def test_a_failed_write_keeps_none_of_its_triples(things: Store) -> None:
    def fail() -> None:
        with things.writing(TEST) as tx:
            add_triples(tx, columns(Said()), "agent")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert query(things, "FROM triple") == query(things, "FROM evidence") == []
