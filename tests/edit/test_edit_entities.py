"""Entities that a caller declares, completes and updates."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from edit_helpers import TEST, read

from mcp_graphrag.edit.edit_entities import DeclaredEntities, EntityInput, EntityUpdate, UpdatedEntity
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.find_entities import link_name
from mcp_graphrag.model import NOW, Candidate, Entity, When
from mcp_graphrag.store.changes.removal import retire_unsupported_entities
from mcp_graphrag.store.rows.document_rows import find_document, retire_document


def declare(graph: Graph, *given: EntityInput) -> DeclaredEntities:
    return graph.add_entities(given)


def update(graph: Graph, name: str, **changes: Any) -> UpdatedEntity:
    return graph.update_entity(name, EntityUpdate(**changes))


def the(graph: Graph, name: str, when: When = NOW) -> Entity:
    """The entity with a name, now or as known at a moment."""
    return graph.find_entities(name, limit=1, when=when)[0].entity


def written(graph: Graph) -> list[tuple[Any, ...]]:
    """Everything that an update of entities writes."""
    with graph.reading() as snapshot:
        return [snapshot.tx.run(f"FROM {table}").fetchall() for table in ("entity", "entity_alias", "past", "change")]  # pyright: ignore[reportReturnType]


def test_an_entity_is_stored_with_description_properties_and_aliases(graph: Graph) -> None:
    given = EntityInput("Redis  Cache", "DATABASE", "Keeps sessions.", {"port": 6379, "tags": ["hot"]}, ["rc", "Cache"])

    (entity,) = declare(graph, given).entities

    assert (entity.name, entity.type, entity.aliases) == ("Redis Cache", "Database", ("Cache", "rc"))
    assert (entity.description, entity.properties) == ("Keeps sessions.", {"port": 6379, "tags": ["hot"]})
    assert the(graph, "RC") == entity
    assert graph.waiting_for_embedding() == 0


def test_a_known_entity_is_completed_and_keeps_what_it_has(graph: Graph) -> None:
    declare(graph, EntityInput("Redis", "Database", "", {"port": 6379}))

    again = declare(graph, EntityInput("redis", None, "Keeps sessions.", {"port": 1, "zone": "a"}, ["Cache"]))
    before = written(graph)
    same = declare(graph, EntityInput("Redis", "Database", "Other words.", {"port": 2}))

    (entity,) = again.entities
    assert (entity.name, entity.description, entity.aliases) == ("Redis", "Keeps sessions.", ("Cache",))
    assert entity.properties == {"port": 6379, "zone": "a"}
    assert (again.added, again.completed) == (frozenset(), {entity.id})
    assert (same.entities, same.completed) == ([entity], frozenset())
    assert written(graph)[2] == before[2]


def test_one_name_with_two_types_is_two_entities(graph: Graph) -> None:
    declared = declare(graph, EntityInput("Mercury", "Planet"), EntityInput("Mercury", "Element"))

    assert [f"{entity.name} {entity.type}" for entity in declared.entities] == ["Mercury Planet", "Mercury Element"]
    with pytest.raises(BadInput, match=r"2 entities have the name 'Mercury': Mercury \(Planet\), Mercury \(Element\)"):
        update(graph, "Mercury", description="Hot.")
    assert update(graph, "Mercury", description="Hot.", of_type="planet").entity.type == "Planet"
    with pytest.raises(UnknownName) as refused:
        update(graph, "Mercury", description="Hot.", of_type="God")
    assert str(refused.value) == (
        "No entity named 'Mercury (God)'. Nearest: Mercury (Planet), Mercury (Element)."
        " Give its present type as of_type."
    )


def test_a_declared_entity_outlives_the_document_that_named_it(graph: Graph) -> None:
    text = "The Auth Service depends on the User Database."
    read(graph, "memory://a", text)

    declare(graph, EntityInput("User Database"))
    with graph.writing(TEST) as write:
        document = find_document(write.tx, "memory://a")
        assert document
        retire_document(write.tx, document.id)
        names = {name: link_name(write, name).entities[0].id for name in ("Auth Service", "User Database")}
        assert retire_unsupported_entities(write.tx, names.values()) == [names["Auth Service"]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (EntityInput(" "), "name of an entity is empty"),
        (EntityInput("a\0b"), "control characters"),
        (EntityInput("a", "x" * 101), "type of a has 101 characters"),
        (EntityInput("a", description="\x1b[0m"), "description of a has control characters"),
        (EntityInput("a", properties={"x": "y" * 20_001}), "properties of a have 200"),
        (EntityInput("a", properties={" ": 1}), "A property of a has the key ' '"),
        (EntityInput("a", properties={"x\ty": 1}), "A property of a has the key"),
        (EntityInput("a", properties={"x": float("nan")}), "no number that JSON has"),
        (EntityInput("a", aliases=["Known"]), r"'Known' cannot be an alias of a: Known \(Service\) has that name"),
    ],
)
def test_one_entity_that_cannot_be_stored_leaves_none(graph: Graph, given: EntityInput, message: str) -> None:
    declare(graph, EntityInput("Known", "Service"))
    before = written(graph)

    with pytest.raises(BadInput, match=message):
        declare(graph, EntityInput("good"), given)

    assert written(graph) == before


def test_an_update_merges_properties_and_replaces_type_and_description(graph: Graph) -> None:
    declare(graph, EntityInput("Redis", "Database", "Old.", {"port": 6379, "zone": "a"}, ["Cache", "rc"]))

    done = update(
        graph,
        "cache",
        type="service",
        description="New.",
        properties={"port": None, "zone": "b", "hot": True},
        aliases_add=["Store"],
        aliases_remove=["RC"],
    )

    assert (done.entity.type, done.entity.description) == ("Service", "New.")
    assert done.entity.properties == {"zone": "b", "hot": True}
    assert done.entity.aliases == ("Cache", "Store")
    assert done.changed == ["type", "description", "properties", "aliases"]


def test_a_renamed_entity_keeps_its_old_name_as_an_alias_and_is_found_by_its_new_meaning(graph: Graph) -> None:
    graph.add_triples([Candidate("Checkout", "uses", "Redis")])

    done = update(graph, "redis", rename="Kangaroo Farm")

    assert (done.was, done.entity.name, done.entity.aliases) == ("Redis", "Kangaroo Farm", ("Redis",))
    assert graph.add_triples([Candidate("Checkout", "uses", "REDIS")]).added == 0
    found = graph.find_entities("kangaroos on farms")
    assert [hit.entity.name for hit in found] == ["Kangaroo Farm"]
    assert update(graph, "kangaroo farm", rename="Kangaroo farm").entity.name == "Kangaroo farm"


def test_an_entity_before_its_update_is_known_at_that_time(graph: Graph) -> None:
    declare(graph, EntityInput("Redis", "Database", "Old.", {"port": 6379}))
    before = the(graph, "Redis")
    with graph.reading() as snapshot:
        ((moment,),) = snapshot.tx.run("SELECT max(recorded_at) FROM change").fetchall()

    update(graph, "Redis", rename="Valkey", type="Service", description="New.", properties={"port": None})

    assert the(graph, "Redis", When(known_at=moment)) == before
    assert the(graph, "Redis").name == "Valkey"


def test_a_declared_type_leaves_the_guessed_one_known_at_that_time(graph: Graph) -> None:
    text = "The Auth Service depends on the User Database."
    read(graph, "memory://a", text)
    with graph.reading() as snapshot:
        ((moment,),) = snapshot.tx.run("SELECT max(recorded_at) FROM change").fetchall()

    declare(graph, EntityInput("Auth Service", "Microservice"))

    assert the(graph, "Auth Service").type == "Microservice"
    assert the(graph, "Auth Service", When(known_at=moment)).type == "Service"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "The update is empty"),
        ({"rename": "Kafka"}, r"Redis cannot be renamed to 'Kafka': Kafka \(Service\) has that name. Merge"),
        ({"rename": "log"}, r"Kafka \(Service\) has that name"),
        ({"aliases_add": ["Kafka"]}, "cannot be an alias of Redis"),
        ({"aliases_remove": ["Redis"]}, "own name"),
        ({"aliases_remove": ["Store"]}, "No alias named 'Store'.*Cache"),
        ({"rename": "\n"}, "new name has control characters"),
    ],
)
def test_an_update_that_is_refused_changes_nothing(graph: Graph, changes: dict[str, Any], message: str) -> None:
    declare(
        graph, EntityInput("Redis", "Database", aliases=["Cache"]), EntityInput("Kafka", "Service", aliases=["log"])
    )
    before = written(graph)

    with pytest.raises((BadInput, UnknownName), match=message):
        update(graph, "Redis", **{"description": "New.", **changes} if changes else changes)

    assert written(graph) == before


def test_an_update_to_the_stored_values_writes_nothing(graph: Graph) -> None:
    declare(graph, EntityInput("Redis", "Database", "Old.", {"port": 6379}))
    before = written(graph)

    done = update(graph, "Redis", rename="Redis", type="DATABASE", description="Old.", properties={"zone": None})

    assert (done.changed, written(graph)) == ([], before)


def test_strict_mode_refuses_types_outside_the_ontologies(graph: Graph) -> None:
    graph.settings = replace(graph.settings, strict=True)
    with pytest.raises(BadInput, match="The type Gadget of Till is not in the ontologies in force"):
        declare(graph, EntityInput("Till", "Gadget"))
    declare(graph, EntityInput("Till", "microservice"))
    with pytest.raises(BadInput, match="The type Gadget of Till"):
        update(graph, "Till", type="Gadget")


def test_the_limits_of_an_entity_are_allowed(graph: Graph) -> None:
    aliases = [f"alias {number}" for number in range(100)]
    long_text = {"x": "y" * (20_000 - len('{"x":""}'))}
    (entity, _) = declare(
        graph,
        EntityInput("n" * 500, "t" * 100, "d" * 20_000, long_text, aliases),
        EntityInput("a", properties={"k" * 200: 1}),
    ).entities
    assert (len(entity.aliases), entity.properties) == (100, long_text)
    with pytest.raises(BadInput) as refused:
        update(graph, "a", aliases_add=[*aliases, "one more"])
    assert str(refused.value) == "the entity has 101 aliases. Give at most 100 at a time."
    with pytest.raises(BadInput) as refused:
        update(graph, "a", properties={"k" * 201: 1})
    assert str(refused.value) == (
        f"A property of the entity has the key '{'k' * 40}'. A key is one line of 1 to 200 characters."
    )
    with pytest.raises(BadInput) as refused:
        update(graph, "a", properties={"x": "y" * 19_993})
    assert str(refused.value) == (
        "The properties of the entity have 20001 characters; the most is 20000. Ingest long texts as documents."
    )


def test_properties_that_are_too_long_together_are_refused_under_the_name_of_the_entity(graph: Graph) -> None:
    half = {"x": "y" * 11_000}
    declare(graph, EntityInput("Till", properties=half))
    for change in (
        lambda: update(graph, "Till", properties={"z": "y" * 11_000}),
        lambda: declare(graph, EntityInput("till", properties={"z": "y" * 11_000})),
    ):
        with pytest.raises(BadInput, match=r"The properties of Till have 220\d\d characters"):
            change()
    assert the(graph, "Till").properties == half


def test_several_inputs_of_one_name_complete_one_entity_and_the_first_counts(graph: Graph) -> None:
    declared = declare(
        graph,
        EntityInput("Till", description="First.", properties={"a": 1}, aliases=["Desk", "TILL", "desk"]),
        EntityInput("till", description="Second.", properties={"a": 2, "b": 2}, aliases=["Counter"]),
        EntityInput("Shop"),
    )
    till, again, shop = declared.entities
    assert till == again
    assert (till.name, till.description, till.properties) == ("Till", "First.", {"a": 1, "b": 2})
    assert (till.aliases, shop.aliases) == (("Counter", "Desk"), ())
    assert (declared.added, declared.completed) == ({till.id, shop.id}, frozenset())


def test_a_type_that_another_entity_of_the_name_has_is_refused(graph: Graph) -> None:
    declare(graph, EntityInput("Mercury", "Planet"), EntityInput("Mercury", "Element"))
    declare(graph, EntityInput("Quicksilver", "Metal", aliases=["Hermes"]), EntityInput("Venus", "Planet"))
    with pytest.raises(BadInput) as refused:
        update(graph, "Mercury", type="element", of_type="Planet")
    assert str(refused.value) == (
        "There is another element named 'Mercury'. Merge the two if they are the same entity."
    )
    assert update(graph, "Mercury", type="PLANET", of_type="Planet").entity.type == "PLANET"
    assert update(graph, "Mercury", type="Metal", of_type="Planet").entity.type == "Metal"
    assert update(graph, "Venus", type="Element").entity.type == "Element"


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"rename": "Counter"}, {"name": "Counter", "aliases": ("Cash", "Till")}),
        ({"type": "Desk"}, {"type": "Desk"}),
        ({"description": "Rings."}, {"description": "Rings."}),
        ({"properties": {"a": 1}}, {"properties": {"a": 1, "b": 2}}),
        ({"aliases_add": ["Desk"]}, {"aliases": ("Cash", "Desk")}),
        ({"aliases_remove": ["Cash"]}, {"aliases": ()}),
    ],
)
def test_an_update_of_one_field_leaves_the_others(graph: Graph, change: dict[str, Any], wanted: dict[str, Any]) -> None:
    declare(graph, EntityInput("Till", "Gadget", "Old.", {"b": 2}, ["Cash"]))
    before = the(graph, "Till")

    done = update(graph, "Till", **change)

    assert done == UpdatedEntity(replace(before, **wanted), "Till", list(wanted))
    assert the(graph, done.entity.name) == done.entity


def test_a_description_and_all_properties_can_be_emptied(graph: Graph) -> None:
    declare(graph, EntityInput("Till", description="Old.", properties={"b": 2}))
    done = update(graph, "Till", description="", properties={"b": None})
    assert (done.entity.description, done.entity.properties) == ("", {})
    assert done.changed == ["description", "properties"]


def test_names_of_the_entity_itself_are_no_obstacle_to_its_update(graph: Graph) -> None:
    declare(graph, EntityInput("Till", aliases=["Desk", "Cash"]), EntityInput("Shop", aliases=["Store"]))

    assert update(graph, "Till", aliases_add=["TILL", "desk", "Store"]).entity.aliases == ("Cash", "Desk", "Store")
    renamed = update(graph, "Till", rename="Desk", aliases_add=["desk"]).entity
    assert (renamed.name, renamed.aliases) == ("Desk", ("Cash", "Store", "Till"))
    with pytest.raises(BadInput, match=r"'desk' is the entity's own name\. Rename it instead\."):
        update(graph, "Desk", aliases_remove=["desk"])
    with pytest.raises(BadInput, match="'Counter' is the entity's own name"):
        update(graph, "Desk", rename="Counter", aliases_remove=["Counter"])
    assert update(graph, "Desk", rename="DESK").entity.aliases == ("Cash", "Store", "Till")


def test_values_that_are_no_json_are_stored_as_text(graph: Graph) -> None:
    (till,) = declare(graph, EntityInput("Till", properties={"since": date(2024, 5, 1)})).entities
    assert till.properties == {"since": "2024-05-01"}
