from dataclasses import replace
from typing import Any

import pytest

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Candidate, Document, Entity, Origin
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.embed import pending
from mcp_graphrag.pipeline.entities import Declared, EntityGiven, Update, Updated, add_entities, update_entity
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.pipeline.triples import assert_triples
from mcp_graphrag.retrieve.entities import find_entities, link_name
from mcp_graphrag.store.documents import find_document, retire_document
from mcp_graphrag.store.history import prune_entities

TEST = Origin("test")


def declare(pipeline: Pipeline, *given: EntityGiven) -> Declared:
    return add_entities(pipeline, given, TEST)


def update(pipeline: Pipeline, name: str, **words: Any) -> Updated:
    return update_entity(pipeline, name, Update(**words), TEST)


def the(pipeline: Pipeline, name: str, **then: Any) -> Entity:
    """The entity of a name, as known at a moment if one is given."""
    with pipeline.store.reading(**then) as tx:
        return find_entities(pipeline.store, tx, name, limit=1)[0].entity


def written(pipeline: Pipeline) -> list[tuple[Any, ...]]:
    """Everything that an update of entities writes."""
    with pipeline.reading() as tx:
        return [tx.run(f"FROM {table}").fetchall() for table in ("entity", "entity_alias", "past", "change")]  # pyright: ignore[reportReturnType]


def test_an_entity_is_declared_with_its_words_properties_and_aliases(pipeline: Pipeline) -> None:
    told = EntityGiven("Redis  Cache", "DATABASE", "Keeps sessions.", {"port": 6379, "tags": ["hot"]}, ["rc", "Cache"])

    (entity,) = declare(pipeline, told).entities

    assert (entity.name, entity.type, entity.aliases) == ("Redis Cache", "Database", ("Cache", "rc"))
    assert (entity.description, entity.properties) == ("Keeps sessions.", {"port": 6379, "tags": ["hot"]})
    assert the(pipeline, "RC") == entity
    assert pending(pipeline) == 0


def test_a_known_entity_is_completed_and_keeps_what_it_has(pipeline: Pipeline) -> None:
    declare(pipeline, EntityGiven("Redis", "Database", "", {"port": 6379}))

    again = declare(pipeline, EntityGiven("redis", None, "Keeps sessions.", {"port": 1, "zone": "a"}, ["Cache"]))
    same = declare(pipeline, EntityGiven("Redis", "Database", "Other words.", {"port": 2}))

    (entity,) = again.entities
    assert (entity.name, entity.description, entity.aliases) == ("Redis", "Keeps sessions.", ("Cache",))
    assert entity.properties == {"port": 6379, "zone": "a"}
    assert (again.added, again.completed) == (frozenset(), {entity.id})
    assert (same.entities, same.completed) == ([entity], frozenset())


def test_one_name_with_two_types_is_two_entities(pipeline: Pipeline) -> None:
    declared = declare(pipeline, EntityGiven("Mercury", "Planet"), EntityGiven("Mercury", "Element"))

    assert [(each.name, each.type) for each in declared.entities] == [("Mercury", "Planet"), ("Mercury", "Element")]
    with pytest.raises(BadInput, match=r"2 entities bear the name 'mercury': Mercury \(Planet\), Mercury \(Element\)"):
        update(pipeline, "mercury", description="Hot.")
    assert update(pipeline, "mercury", description="Hot.", of_type="planet").entity.type == "Planet"
    with pytest.raises(UnknownName, match=r"Mercury \(Element\)"):
        update(pipeline, "mercury", description="Hot.", of_type="God")


def test_what_a_caller_declares_outlives_the_document_that_named_it(pipeline: Pipeline) -> None:
    text = "The Auth Service depends on the User Database."
    ingest(
        pipeline, [Document("memory://a", "A", text)], pipeline.chosen_extractors("auto"), TEST, report=IngestReport()
    )

    declare(pipeline, EntityGiven("User Database"))
    with pipeline.writing(TEST) as tx:
        document = find_document(tx, "memory://a")
        assert document
        retire_document(tx, document.id)
        names = {each: link_name(pipeline.store, tx, each).entities[0].id for each in ("Auth Service", "User Database")}
        assert prune_entities(tx, names.values()) == [names["Auth Service"]]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (EntityGiven(" "), "name of an entity is empty"),
        (EntityGiven("a\0b"), "control characters"),
        (EntityGiven("a", "x" * 101), "type of a has 101 characters"),
        (EntityGiven("a", description="\x1b[0m"), "description of a has control characters"),
        (EntityGiven("a", properties={"x": "y" * 20_001}), "properties of a have 200"),
        (EntityGiven("a", properties={" ": 1}), "A property of a has the key ' '"),
        (EntityGiven("a", properties={"x": float("nan")}), "no number that JSON has"),
        (EntityGiven("a", aliases=["Known"]), r"'Known' cannot be an alias of a: Known \(Service\) bears that name"),
    ],
)
def test_what_cannot_be_stored_is_refused_and_nothing_else_is_stored(
    pipeline: Pipeline, given: EntityGiven, said: str
) -> None:
    declare(pipeline, EntityGiven("Known", "Service"))
    before = written(pipeline)

    with pytest.raises(BadInput, match=said):
        declare(pipeline, EntityGiven("good"), given)

    assert written(pipeline) == before


def test_an_update_merges_properties_and_changes_words(pipeline: Pipeline) -> None:
    declare(pipeline, EntityGiven("Redis", "Database", "Old.", {"port": 6379, "zone": "a"}, ["Cache", "rc"]))

    done = update(
        pipeline,
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


def test_a_renamed_entity_keeps_its_old_name_as_an_alias_and_is_found_by_its_new_meaning(pipeline: Pipeline) -> None:
    assert_triples(pipeline, [Candidate("Checkout", "uses", "Redis")], TEST)

    done = update(pipeline, "redis", rename="Kangaroo Farm")

    assert (done.was, done.entity.name, done.entity.aliases) == ("Redis", "Kangaroo Farm", ("Redis",))
    assert assert_triples(pipeline, [Candidate("Checkout", "uses", "REDIS")], TEST).added == 0
    with pipeline.reading() as tx:
        found = find_entities(pipeline.store, tx, "kangaroos on farms", embedder=pipeline.embedder)
    assert [each.entity.name for each in found] == ["Kangaroo Farm"]
    assert update(pipeline, "kangaroo farm", rename="Kangaroo farm").entity.name == "Kangaroo farm"


def test_the_words_before_an_update_are_known_at_their_time(pipeline: Pipeline) -> None:
    declare(pipeline, EntityGiven("Redis", "Database", "Old.", {"port": 6379}))
    before = the(pipeline, "Redis")
    with pipeline.reading() as tx:
        ((moment,),) = tx.run("SELECT max(recorded_at) FROM change").fetchall()

    update(pipeline, "Redis", rename="Valkey", type="Service", description="New.", properties={"port": None})

    assert the(pipeline, "Redis", known_at=moment) == before
    assert the(pipeline, "Redis").name == "Valkey"


def test_a_better_founded_type_leaves_the_guessed_one_known_at_its_time(pipeline: Pipeline) -> None:
    text = "The Auth Service depends on the User Database."
    ingest(
        pipeline, [Document("memory://a", "A", text)], pipeline.chosen_extractors("auto"), TEST, report=IngestReport()
    )
    with pipeline.reading() as tx:
        ((moment,),) = tx.run("SELECT max(recorded_at) FROM change").fetchall()

    declare(pipeline, EntityGiven("Auth Service", "Microservice"))

    assert the(pipeline, "Auth Service").type == "Microservice"
    assert the(pipeline, "Auth Service", known_at=moment).type == "Service"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({}, "The update says nothing"),
        ({"rename": "Kafka"}, r"Redis cannot be renamed to 'Kafka': Kafka \(Service\) bears that name. Merge"),
        ({"rename": "log"}, r"Kafka \(Service\) bears that name"),
        ({"aliases_add": ["Kafka"]}, "cannot be an alias of Redis"),
        ({"aliases_remove": ["Redis"]}, "own name"),
        ({"aliases_remove": ["Store"]}, "No alias named 'Store'.*Cache"),
        ({"rename": "\n"}, "new name has control characters"),
    ],
)
def test_an_update_that_cannot_be_changes_nothing(pipeline: Pipeline, words: dict[str, Any], said: str) -> None:
    declare(
        pipeline, EntityGiven("Redis", "Database", aliases=["Cache"]), EntityGiven("Kafka", "Service", aliases=["log"])
    )
    before = written(pipeline)

    with pytest.raises((BadInput, UnknownName), match=said):
        update(pipeline, "Redis", **{"description": "New.", **words} if words else words)

    assert written(pipeline) == before


def test_an_update_to_what_is_already_so_writes_nothing(pipeline: Pipeline) -> None:
    declare(pipeline, EntityGiven("Redis", "Database", "Old.", {"port": 6379}))
    before = written(pipeline)

    done = update(pipeline, "Redis", rename="Redis", type="DATABASE", description="Old.", properties={"zone": None})

    assert (done.changed, written(pipeline)) == ([], before)


def test_an_unknown_name_is_refused_with_the_nearest(pipeline: Pipeline) -> None:
    declare(pipeline, EntityGiven("Redis"))
    with pytest.raises(UnknownName, match="Nearest: Redis"):
        update(pipeline, "Rediss", description="New.")


def test_strict_mode_lets_no_unknown_type_in(pipeline: Pipeline) -> None:
    strict = replace(pipeline, settings=replace(pipeline.settings, strict=True))
    with pytest.raises(BadInput, match="The type Gadget of Till is not in the ontologies in force"):
        add_entities(strict, [EntityGiven("Till", "Gadget")], TEST)
    add_entities(strict, [EntityGiven("Till", "microservice")], TEST)
    with pytest.raises(BadInput, match="The type Gadget of Till"):
        update_entity(strict, "Till", Update(type="Gadget"), TEST)
