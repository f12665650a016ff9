"""Entities by name and by type, and their values as they are read."""

import pytest
from store_helpers import TEST, Row, add_named_entities, add_rows

from mcp_graphrag.model import Entity
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.entity_rows import (
    EntityLabel,
    NameMatch,
    NewAlias,
    NewEntity,
    add_aliases,
    add_entities,
    alias_changes,
    entities_by_id,
    entity_descriptions,
    entity_labels,
    entity_types,
    match_norms,
    retire_names,
    roles_of,
    similar_entities,
    type_key,
    update_entities,
)
from mcp_graphrag.store.rows.triple_rows import retire_triples


def test_the_types_in_use_are_counted(store: Store) -> None:
    with store.writing(TEST) as tx:
        ids = add_entities(tx, [NewEntity(name, name, type_, "") for name, type_ in ("aT", "bP", "cT", "d ")])
        assert add_entities(tx, []).tolist() == []

    assert ids.tolist() == [1, 2, 3, 4]
    with store.reading() as tx:
        assert entity_types(tx) == {"T": 2, " ": 1, "P": 1}


def test_a_form_matches_own_names_before_aliases(store: Store) -> None:
    with store.writing(TEST) as tx:
        add_entities(tx, [NewEntity(name, name.lower(), "Store", "lite") for name in ("Redis", "Cache", "Kafka")])
        add_aliases(tx, [NewAlias(1, "cache", "cache", "alias"), NewAlias(3, "cache", "cache", "alias")])
        add_aliases(tx, [])

    with store.reading() as tx:
        assert match_norms(tx, ["redis", "cache", "none"]) == [
            NameMatch("cache", 2, "Store", "lite", "Cache", by_alias=False),
            NameMatch("cache", 1, "Store", "lite", "Redis", by_alias=True),
            NameMatch("cache", 3, "Store", "lite", "Kafka", by_alias=True),
            NameMatch("redis", 1, "Store", "lite", "Redis", by_alias=False),
        ]
        assert match_norms(tx, []) == []


def test_names_that_a_document_gives_survive_where_only_declared_ones_are_retired(store: Store) -> None:
    with store.writing(TEST) as tx:
        add_entities(tx, [NewEntity("Redis", "redis", "", "")])
        add_aliases(tx, [NewAlias(1, "Cache", "cache", "alias"), NewAlias(1, "Store", "store", "alias", said_in=7)])
    with store.writing(TEST) as tx:
        retire_names(tx, 1, ["cache", "store"], declared_only=True)
        change = tx.change
    with store.reading() as tx:
        assert entities_by_id(tx, [1])[1].aliases == ("Store",)
        assert alias_changes(tx, since=change - 1)["retired"].tolist() == [True]
        assert not len(alias_changes(tx, since=change)["retired"])

    with store.writing(TEST) as tx:
        retire_names(tx, 1, ["store", "redis"])
        assert match_norms(tx, ["store", "redis"]) == []


def test_an_entity_is_read_with_its_names_numbers_and_values(store: Store) -> None:
    add_named_entities(store, "Redis", "Kafka")
    add_rows(store, Row(), Row(subject=2, object=1), Row(subject=2))
    with store.writing(TEST) as tx:
        add_aliases(tx, [NewAlias(1, "Valkey", "valkey", "alias"), NewAlias(1, "REDIS", "REDIS", "alias")])
        values = {"type": "Store", "description": "A cache", "properties": '{"port": 6379}'}
        update_entities(tx, [(1, values)])
        update_entities(tx, [])

    redis = Entity(1, "Redis", "Store", ("REDIS", "Valkey"), "A cache", 2, 0, {"port": 6379})
    with store.reading() as tx:
        assert entities_by_id(tx, [1, 2]) == {1: redis, 2: Entity(2, "Kafka", "", degree=4)}
        assert entity_descriptions(tx, [1]) == {1: ("Redis", "A cache")}
        assert entity_labels(tx, [1]) == {1: EntityLabel(1, "Redis", "Store")}


def test_the_roles_of_an_entity_are_its_predicates_each_once(store: Store) -> None:
    add_named_entities(store, "Redis", "Kafka")
    add_rows(store, Row(), Row(object=1), Row(predicate=2, subject=2))
    with store.writing(TEST) as tx:
        retire_triples(tx, [3])
        assert retire_triples(tx, []) == []

    with store.reading() as tx:
        assert {one: sorted(roles) for one, roles in roles_of(tx, [1, 2]).items()} == {
            1: [(1, False), (1, True)],
            2: [(1, False)],
        }


def test_similar_names_are_scored_from_equal_over_parts_to_spelling(store: Store) -> None:
    names = ("dwayne", "dwayne johnson", "mr dwayne", "duane", "dixon")
    add_named_entities(store, *names)

    with store.reading() as tx:
        found = similar_entities(tx, "dwayne")
        wider = dict(similar_entities(tx, "dwayne", min_similarity=0.4))
    # Winkler's own example: DWAYNE and DUANE are 0.84 alike.
    assert found == [
        (1, 2.0),
        (2, pytest.approx(1.5 + 0.4 * 6 / 14)),
        (3, pytest.approx(1 + 0.4 * 6 / 9)),
        (4, pytest.approx(0.84)),
    ]
    assert list(wider) == [1, 2, 3, 4, 5]


def test_names_less_than_82_hundredths_alike_are_not_similar_and_ten_are_enough(store: Store) -> None:
    add_named_entities(store, "dixon", *(f"redis {number}" for number in range(12)))

    with store.reading() as tx:
        assert similar_entities(tx, "dicksonx") == []  # 0.813 by Winkler
        assert len(similar_entities(tx, "dicksonx", min_similarity=0.81)) == 1
        assert [entity_id for entity_id, _ in similar_entities(tx, "redis")] == list(range(2, 12))


def test_types_are_compared_without_case_spaces_dashes_and_underscores() -> None:
    assert {type_key(name) for name in ("CostCenter", "cost center", "Cost-Center", "COST_CENTER")} == {"costcenter"}
