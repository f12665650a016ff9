"""Which names become which entities."""

from collections.abc import Sequence

from edit_helpers import TEST

from mcp_graphrag.model import AliasFound
from mcp_graphrag.resolve.name_rules import Named
from mcp_graphrag.resolve.resolve_entities import Group, resolve_names
from mcp_graphrag.store import Store
from mcp_graphrag.store.rows.entity_rows import NewAlias, add_aliases


def _resolve(store: Store, *names: Named, by: str = "agent", document: int | None = None) -> list[int]:
    """The entity ids of the names, in their order."""
    with store.writing(TEST) as tx:
        ids = resolve_names(tx, [Group(names, document)], by).ids[0]
    return [ids[name] for name in names]


def _entities(store: Store) -> Sequence[tuple[str, str]]:
    with store.reading() as tx:
        return tx.run("SELECT name, type FROM entities ORDER BY id").fetchall()


def _aliases(store: Store) -> Sequence[tuple[str, str, int | None]]:
    with store.reading() as tx:
        return tx.run(
            "SELECT name, origin, document_id FROM entity_alias WHERE origin <> 'name' ORDER BY ALL"
        ).fetchall()


def test_spellings_of_one_name_are_one_entity_under_the_first(store: Store) -> None:
    assert _resolve(store, ("Auth Service", None), ("auth-service", None)) == [1, 1]
    assert _resolve(store, ("AUTH SERVICE", None)) == [1]

    assert _entities(store) == [("Auth Service", "")]


def test_declared_types_keep_homonyms_apart(store: Store) -> None:
    assert _resolve(store, ("Mercury", "Planet"), ("Mercury", "Element")) == [1, 2]
    assert _resolve(store, ("mercury", "Element"), ("Mercury", "planet")) == [2, 1]
    assert _resolve(store, ("Mercury", "Deity")) == [3]

    assert _entities(store) == [("Mercury", "Planet"), ("Mercury", "Element"), ("Mercury", "Deity")]


def test_a_guessed_type_never_makes_a_second_entity(store: Store) -> None:
    assert _resolve(store, ("Mercury", "Location"), ("Mercury", "Person"), by="lite") == [1, 1]
    assert _resolve(store, ("Mercury", "Technology"), by="lite") == [1]

    assert _entities(store) == [("Mercury", "Location")]


def test_an_untyped_name_joins_the_typed_one(store: Store) -> None:
    assert _resolve(store, ("Mercury", None), ("Mercury", "Planet")) == [1, 1]
    assert _resolve(store, ("Mercury", None)) == [1]

    assert _entities(store) == [("Mercury", "Planet")]


def test_a_type_is_replaced_only_by_one_from_a_more_trusted_extractor(store: Store) -> None:
    for by, given, stored in [
        ("lite", None, ""),
        ("lite", "Location", "Location"),
        ("lite", "Person", "Location"),
        ("nlp", "Organization", "Organization"),
        ("claude", "Team", "Team"),
        ("nlp", "Person", "Team"),
        ("lite", "Location", "Team"),
    ]:
        assert _resolve(store, ("Payments", given), by=by) == [1]
        assert _entities(store) == [("Payments", stored)], by

    assert _resolve(store, ("Payments", "Service"), by="agent") == [2], "both types are declared"


def test_an_acronym_found_beside_its_long_form_stands_for_it_everywhere(store: Store) -> None:
    assert _resolve(store, ("Site Reliability Engineering", None), ("SRE", None), by="lite", document=1) == [1, 1]

    assert _aliases(store) == [("SRE", "acronym", None)]
    assert _resolve(store, ("SRE", None), by="lite", document=2) == [1]


def test_a_surname_stands_for_a_person_only_inside_its_document(store: Store) -> None:
    assert _resolve(store, ("Ann Lee", "Person"), ("Lee", "Person"), by="lite", document=1) == [1, 1]

    assert _aliases(store) == [("Lee", "surname", 1)]
    assert _resolve(store, ("Bob Lee", "Person"), ("Lee", None), by="lite", document=2) == [2, 2]
    assert _resolve(store, ("Lee", None), by="lite", document=3) == [3]


def test_the_name_of_an_entity_is_preferred_to_an_alias_of_another(store: Store) -> None:
    service, database = _resolve(store, ("Redis", "Service"), ("Cache", "Database"))
    with store.writing(TEST) as tx:
        add_aliases(tx, [NewAlias(service, "Cache", "cache", "alias")])

    assert _resolve(store, ("Cache", None)) == [database]
    assert _resolve(store, ("Cache", "Service"), by="lite") == [database]


def test_an_alias_of_several_entities_stands_for_none(store: Store) -> None:
    ids = _resolve(store, ("Redis", None), ("Valkey", None))
    with store.writing(TEST) as tx:
        add_aliases(tx, [NewAlias(entity_id, "Cache", "cache", "alias") for entity_id in ids])

    assert _resolve(store, ("Cache", None)) == [3]


def test_names_that_a_caller_gives_are_not_shortened(store: Store) -> None:
    assert _resolve(store, ("Ann Lee", "Person"), ("Lee", "Person")) == [1, 2]


def test_the_same_names_again_are_no_change(store: Store) -> None:
    names: list[Named] = [("Ann Lee", "Person"), ("Redis", None)]
    _resolve(store, *names)
    with store.reading() as tx:
        before = tx.generation

    _resolve(store, *names)

    with store.reading() as tx:
        assert tx.generation == before


def test_spellings_of_one_type_give_way_to_that_of_the_more_trusted(store: Store) -> None:
    for by, given, stored in [
        ("claude", "cost-center", "cost-center"),
        ("claude", "cost center", "cost-center"),
        ("code", "Cost-Center", "Cost-Center"),
        ("document", "cost center", "Cost-Center"),
        ("agent", "Cost Center", "Cost Center"),
        ("code", "cost-center", "Cost Center"),
    ]:
        assert _resolve(store, ("Ops", given), by=by) == [1]
        assert _entities(store) == [("Ops", stored)], by


def test_the_types_of_an_unknown_extractor_are_declared_and_replace_none(store: Store) -> None:
    assert _resolve(store, ("Mercury", "Planet"), ("Mercury", "Element"), by="mine") == [1, 2]
    assert _resolve(store, ("Venus", None), by="lite") == _resolve(store, ("Venus", "Planet"), by="mine") == [3]

    assert _entities(store) == [("Mercury", "Planet"), ("Mercury", "Element"), ("Venus", "")]


def test_the_names_of_several_groups_know_where_they_were_said(store: Store) -> None:
    names = "User Database", "UD", "UserDB", "Ann Lee", "Lee"
    typed: list[Named] = [(name, "Person" if "Lee" in name else None) for name in names]
    declared = [AliasFound("User Database", "UserDB", "", 0, 0)]
    groups = [Group(typed, 7, declared), Group([("UserDB", None)], 8), Group([("Redis", None)])]
    with store.writing(TEST) as tx:
        found = resolve_names(tx, groups, "lite")

    assert [{name: id_ for (name, _), id_ in ids.items()} for ids in found.ids] == [
        {"User Database": 2, "UD": 2, "UserDB": 2, "Ann Lee": 1, "Lee": 1},
        {"UserDB": 2},
        {"Redis": 3},
    ]
    assert [{name for name, _ in renamed} for renamed in found.renamed] == [{"UD", "UserDB", "Lee"}, {"UserDB"}, set()]
    assert list(found.fresh) == [(1, "Ann Lee"), (2, "User Database"), (3, "Redis")], "typed names first"
    with store.reading() as tx:
        rows = tx.run("SELECT name, origin, document_id, said_in FROM entity_alias ORDER BY entity_id, name").fetchall()
    assert rows == [
        ("Ann Lee", "name", None, 7),
        ("Lee", "surname", 7, 7),
        ("UD", "acronym", None, 7),
        ("User Database", "name", None, 7),
        ("UserDB", "said", None, 7),
        ("Redis", "name", None, 0),
    ]


def test_a_name_that_is_an_alias_of_its_entity_is_renamed(store: Store) -> None:
    redis, _ = _resolve(store, ("Redis", None), ("Kafka", None))
    with store.writing(TEST) as tx:
        add_aliases(tx, [NewAlias(redis, "Cache", "cache", "alias")])
        found = resolve_names(
            tx, [Group([("Cache", None), ("kafka", None), ("Nginx", None), ("nginx", None)])], "agent"
        )

    assert (found.renamed, found.fresh) == ([frozenset({("Cache", None)})], [(3, "Nginx")])


def test_an_acronym_of_two_long_forms_in_a_document_is_a_name_whatever_its_alias_means(store: Store) -> None:
    both: list[Named] = [("Point of Sale", None), ("Proof of Stake", None), ("POS", None)]
    assert _resolve(store, *both[::2], by="lite", document=1) == [1, 1]

    assert _resolve(store, *both, by="lite", document=2) == [1, 2, 3]
    assert _resolve(store, ("POS", None), by="lite", document=3) == [3]


def test_a_declared_alias_holds_where_the_text_has_no_other_name(store: Store) -> None:
    declared = [AliasFound("User Database", "UserDB", "", 0, 0, "Database")]
    with store.writing(TEST) as tx:
        ids = resolve_names(tx, [Group([], 1, declared)], "lite").ids[0]

    assert ids == {("UserDB", None): 1, ("User Database", "Database"): 1}
    assert _resolve(store, ("UserDB", None), by="lite", document=2) == [1]


def test_a_page_is_no_person_but_what_a_caller_names(store: Store) -> None:
    assert _resolve(store, ("Ed Wood", "Document"), by="document", document=1) == [1]
    assert _resolve(store, ("Ed Wood", "Person"), by="lite", document=1) == [2]
    assert _resolve(store, ("Ed Wood", None), by="lite", document=1) == [2]
    assert _resolve(store, ("Ed Wood", "Document"), by="document", document=2) == [1]
    assert _resolve(store, ("Plan", "Document"), by="document", document=2) == [3]
    assert _resolve(store, ("Plan", None), by="agent") == [3]
    assert _resolve(store, ("Plan", None), by="lite", document=3) == [4]
    assert _resolve(store, ("Idea", "Concept"), by="lite", document=3) == [5]
    assert _resolve(store, ("Idea", "Document"), by="document", document=3) == [6]


def test_a_declared_alias_is_not_applied_to_later_documents_where_an_entity_has_that_name(store: Store) -> None:
    assert _resolve(store, ("UserDB", None), by="lite", document=1) == [1]
    declared = [AliasFound("User Database", "UserDB", "", 0, 0)]
    names: list[Named] = [("User Database", None), ("UserDB", None)]
    with store.writing(TEST) as tx:
        found = resolve_names(tx, [Group(names, 2, declared), Group(names[1:], 3)], "lite")

    assert [list(ids.values()) for ids in found.ids] == [[2, 2], [1]]
