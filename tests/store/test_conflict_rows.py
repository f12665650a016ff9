"""Contradictions as rows: how many pairs are compared, in which order they are recorded, and what verdicts do."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np
import pytest
from store_helpers import TEST, Row, add_document, add_named_entities, add_rows, query

from mcp_graphrag.model import Ids
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.conflict_rows import (
    NO_CONTRADICTIONS,
    ConflictRules,
    Contradictions,
    add_conflicts,
    add_verdict,
    close_triples,
    conflict_by_id,
    conflicts_after,
    count_conflicts,
    retire_stale_conflicts,
    sources_of_triples,
    type_signatures,
)
from mcp_graphrag.store.rows.entity_rows import NewEntity, add_entities
from mcp_graphrag.store.rows.triple_rows import add_predicates, retire_triples

Y2020, Y2021 = datetime(2020, 1, 1), datetime(2021, 1, 1)  # noqa: DTZ001  (times in the file are naive UTC)
OWNS, HATES = 1, 2
ONE_AT_A_TIME = ConflictRules(readings=[(OWNS, OWNS, False)], functional={OWNS: "owned_by"})
OPPOSED = ConflictRules(readings=[(OWNS, OWNS, False), (HATES, HATES, False)], opposites=[(OWNS, HATES)])
MANY = 20_000


def recorded(store: Store, rules: ConflictRules, ids: Sequence[int] | Ids) -> Contradictions:
    """Compare triples with the file."""
    with store.writing(TEST) as tx:
        return add_conflicts(tx, np.asarray(ids, dtype=np.int64), rules)


@pytest.fixture
def entities(store: Store) -> Store:
    """Entities A to F with the predicates `owned_by` and `hates`."""
    with store.writing(TEST) as tx:
        add_entities(tx, [NewEntity(name, name.lower(), "Person", "") for name in "ABCDEF"])
        add_predicates(tx, ["owned_by", "hates"])
    return store


def pairs(store: Store) -> list[tuple[int, int | None]]:
    return query(store, "SELECT triple_id, other_id FROM conflict WHERE retired_change IS NULL ORDER BY id")


@pytest.mark.parametrize(("count", "compared"), [(20, 190), (21, 210), (40, 20 * 39 - 190 + 8 * 20 - 36)])
def test_all_pairs_of_few_rivals_are_compared_and_of_many_the_first_and_the_nearest(
    store: Store, count: int, compared: int
) -> None:
    # Of 40: every pair with one of the first 20, and of the other 20 those at most 8 apart.
    add_named_entities(store, *(f"e{number}" for number in range(count + 1)))
    added = add_rows(store, *(Row(object=number) for number in range(2, count + 2)))

    found = recorded(store, ONE_AT_A_TIME, added.triple_ids)

    assert (found.count, len(found.examples), len(set(pairs(store)))) == (compared, 5, compared)


@pytest.mark.parametrize("more", [0, MANY])
def test_a_write_of_very_many_triples_finds_the_same(entities: Store, more: int) -> None:
    add_rows(entities, Row(object=2), Row(object=3), Row(subject=2, object=3), Row(predicate=HATES, object=2))
    ids = np.arange(1, 5 + more)

    assert recorded(entities, ONE_AT_A_TIME, ids) == Contradictions(
        1, ["A owned_by B contradicts A owned_by C: owned_by has one object at a time"]
    )
    assert recorded(entities, OPPOSED, ids) == Contradictions(
        1, ["A hates B contradicts A owned_by B: these are opposites"]
    )
    assert recorded(entities, ONE_AT_A_TIME, ids) == NO_CONTRADICTIONS, "it is recorded"
    assert pairs(entities) == [(1, 2), (4, 1)]


@pytest.mark.parametrize("more", [0, MANY])
def test_nothing_is_found_without_rules_or_rivals(entities: Store, more: int) -> None:
    add_rows(entities, Row(object=2), Row(subject=2, object=3))
    before = query(entities, "SELECT count(*) FROM change")

    for rules in (ConflictRules(), ONE_AT_A_TIME, OPPOSED, ConflictRules(violations=[(HATES, "Person", "Person", "")])):
        assert recorded(entities, rules, np.arange(1, 3 + more)) == Contradictions(0, ())
        assert recorded(entities, rules, []) == Contradictions(0, ())

    assert query(entities, "SELECT count(*) FROM change") == before


def test_conflicts_are_recorded_in_the_order_of_their_triples_the_alphabetical_first(entities: Store) -> None:
    violated = ConflictRules(
        readings=ONE_AT_A_TIME.readings,
        functional=ONE_AT_A_TIME.functional,
        violations=[(OWNS, "Person", "Person", "nobody is owned")],
    )
    add_rows(entities, Row(object=4), Row(object=2, valid_to=Y2021), Row(object=3, valid_from=Y2020))

    found = recorded(entities, violated, [1, 2, 3])

    assert found.count == 6
    assert pairs(entities) == [(2, 1), (3, 1), (1, None), (2, 3), (2, None), (3, None)]
    assert found.examples == [
        "A owned_by B until 2021-01-01 contradicts A owned_by D: owned_by has one object at a time",
        "A owned_by C from 2020-01-01 contradicts A owned_by D: owned_by has one object at a time",
        "A owned_by D: nobody is owned",
        "A owned_by B until 2021-01-01 contradicts A owned_by C from 2020-01-01: owned_by has one object at a time",
        "A owned_by B until 2021-01-01: nobody is owned",
    ]


def test_the_same_for_overlapping_times_is_a_conflict_of_dates(entities: Store) -> None:
    add_rows(entities, Row(valid_from=Y2020), Row(valid_from=Y2021))

    assert recorded(entities, ONE_AT_A_TIME, [2]).examples == [
        "A owned_by B from 2020-01-01 overlaps A owned_by B from 2021-01-01: the dates disagree"
    ]


def test_a_verdict_holds_when_the_contradiction_that_it_allowed_comes_back(entities: Store) -> None:
    add_rows(entities, Row(object=2), Row(object=3))
    (detail,) = recorded(entities, ONE_AT_A_TIME, [1, 2]).examples
    with entities.writing(TEST) as tx:
        assert add_verdict(tx, 1, (1, 2), "both", "they share it") == 2
        retire_triples(tx, [1, 2])
        retire_stale_conflicts(tx)

    again = add_rows(entities, Row(object=2), Row(object=3), Row(object=4))
    found = recorded(entities, ONE_AT_A_TIME, again.triple_ids)

    assert found == Contradictions(2, [detail.replace(" C", " D"), detail.replace(" B", " C", 1).replace("C:", "D:")])
    assert query(entities, "SELECT verdict, reason FROM conflict WHERE retired_change IS NULL ORDER BY id") == [
        ("both", "they share it"),
        (None, None),
        (None, None),
    ]


@pytest.mark.parametrize(("verdict", "other"), [("first", 2), ("second", None)])
def test_a_verdict_is_told_when_what_it_dropped_comes_back(entities: Store, verdict: str, other: int | None) -> None:
    rules = ONE_AT_A_TIME if other else ConflictRules(violations=[(OWNS, "Person", "Person", "nobody is owned")])
    again = [Row(object=2), *([Row(object=3)] if other else [])]
    (detail,) = recorded(entities, rules, add_rows(entities, *again).triple_ids).examples
    with entities.writing(TEST) as tx:
        add_verdict(tx, 1, (1, other), verdict, "the register says so")
        retire_triples(tx, [1, 2])
        retire_stale_conflicts(tx)

    found = recorded(entities, rules, add_rows(entities, *again).triple_ids)

    was = "kept A owned_by B" if other else "dropped"
    assert found.examples == [f"{detail}; was resolved before: {was}, because: the register says so"]
    assert pairs(entities)[-1] == (2 + bool(other), 4 if other else None)


def test_conflicts_are_listed_open_or_resolved_and_one_by_its_id(entities: Store) -> None:
    add_rows(entities, Row(object=2), Row(object=3), Row(object=4, valid_from=Y2021))
    recorded(entities, ONE_AT_A_TIME, [1, 2, 3])
    with entities.writing(TEST) as tx:
        resolved = add_verdict(tx, 1, (1, 2), "both", "shared")

    with entities.reading() as tx:
        still_open = conflicts_after(tx, resolved=False, after=0, limit=9)
        assert [(row.id, row.triple_id, row.other_id, row.verdict) for row in still_open] == [
            (2, 1, 3, None),
            (3, 2, 3, None),
        ]
        assert conflicts_after(tx, resolved=False, after=2, limit=9) == still_open[1:]
        assert conflicts_after(tx, resolved=False, after=0, limit=1) == still_open[:1]
        (shared,) = conflicts_after(tx, resolved=True, after=0, limit=9)
        assert (shared.id, shared.kind, shared.verdict, shared.reason) == (resolved, "functional", "both", "shared")
        assert conflict_by_id(tx, resolved) == (shared, True)
        earlier = conflict_by_id(tx, 1)
        assert (count_conflicts(tx, resolved=False), count_conflicts(tx, resolved=True)) == (2, 1)
        assert count_conflicts(tx, resolved=False, as_of=Y2020) == 0
        assert conflict_by_id(tx, 9) is None
    assert earlier
    assert (earlier[0].verdict, earlier[1]) == (None, False)


def test_an_open_conflict_ends_with_one_of_its_triples(entities: Store) -> None:
    add_rows(entities, Row(object=2), Row(object=3), Row(object=4))
    recorded(entities, ONE_AT_A_TIME, [1, 2, 3])
    with entities.writing(TEST) as tx:
        retire_triples(tx, [3])
        retire_stale_conflicts(tx)

    assert pairs(entities) == [(1, 2)]


def test_triples_are_closed_by_rows_of_their_own(entities: Store) -> None:
    add_rows(entities, Row(object=2, quote="said"), Row(object=3))
    with entities.writing(TEST) as tx:
        assert close_triples(tx, {}) == {}
        assert close_triples(tx, {1: Y2020, 2: Y2021}) == {1: 3, 2: 4}

    active = "SELECT id, object_id, valid_to FROM triple WHERE retired_change IS NULL ORDER BY id"
    assert query(entities, active) == [(3, 2, Y2020), (4, 3, Y2021)]
    assert query(entities, "SELECT triple_id, quote FROM evidence WHERE retired_change IS NULL ORDER BY id") == [
        (3, "said"),
        (4, None),
    ]


def test_the_sources_of_a_triple_are_those_of_its_evidence_in_lower_case(entities: Store) -> None:
    with entities.writing(TEST) as tx:
        _, (chunk,) = add_document(tx, "memory://A", "text")
        tx.run("UPDATE document SET title = 'The Register', source = 'Office'")
    add_rows(entities, Row(source="Wiki"), Row(chunk=chunk), Row(object=3))

    with entities.reading() as tx:
        assert sources_of_triples(tx, [1, 2, 3]) == {1: {"wiki", "memory://a", "the register", "office"}, 2: set()}
        assert type_signatures(tx, np.array([1, 2])) == [(OWNS, "Person", "Person")]
