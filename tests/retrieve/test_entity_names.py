import pytest
from retrieve_stories import TEST, link, relate

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import Document
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.ingest import IngestReport, ingest
from mcp_graphrag.retrieve.entities import find_entities


@pytest.fixture
def services(pipeline: Pipeline) -> Pipeline:
    relate(
        pipeline,
        "Checkout_Service uses Redis",
        "Bartender_Bot uses Kafka",
        "Payment_Gateway uses Redis",
        types={"Redis": "Database", "Kafka": "Queue", "Checkout Service": "Service", "Payment Gateway": "Service"},
    )
    return pipeline


def _linked(pipeline: Pipeline, name: str) -> tuple[list[str], str]:
    linked = link(pipeline, name)
    return [entity.name for entity in linked.entities], linked.how


@pytest.mark.parametrize("name", ["Redis", "redis", " REDIS ", "The Redis", "Redis, Inc."])
def test_a_name_in_any_spelling_is_found_exactly(services: Pipeline, name: str) -> None:
    assert _linked(services, name) == (["Redis"], "exact")


@pytest.mark.parametrize(
    ("name", "entity"),
    [
        ("Rediss", "Redis"),
        ("Chekout Service", "Checkout Service"),
        ("Checkout", "Checkout Service"),
        ("gateway", "Payment Gateway"),
    ],
)
def test_a_name_that_is_almost_one_or_whole_words_of_one_is_taken_for_it(
    services: Pipeline, name: str, entity: str
) -> None:
    assert _linked(services, name) == ([entity], "fuzzy")


@pytest.mark.parametrize("name", ["C", "art", "ed", "zzz", "Kubernetes", "'; DROP TABLE entity", "\udcff", "🙂"])
def test_a_name_of_nothing_is_not_taken_for_something(services: Pipeline, name: str) -> None:
    with pytest.raises(UnknownName) as caught:
        link(services, name)

    assert (caught.value.kind, caught.value.name) == ("entity", name)


def test_an_unknown_name_answers_with_the_nearest(services: Pipeline) -> None:
    with pytest.raises(UnknownName, match="Nearest: Redis") as caught:
        link(services, "Rediss", guess=False)

    assert caught.value.nearest == ("Redis",)


def test_a_name_is_found_by_meaning(pipeline: Pipeline) -> None:
    relate(pipeline, "automobile_engine has pistons", "bread made_of flour")

    assert _linked(pipeline, "car engine") == (["automobile engine"], "embedding")


def test_a_name_is_found_by_alias(pipeline: Pipeline) -> None:
    text = "Site Reliability Engineering (SRE) uses Grafana."
    ingest(
        pipeline,
        [Document("memory://a", "A", text)],
        pipeline.chosen_extractors("auto"),
        TEST,
        report=IngestReport(),
    )

    assert _linked(pipeline, "sre") == (["Site Reliability Engineering"], "alias")


def test_a_name_of_two_things_stands_for_both(pipeline: Pipeline) -> None:
    relate(pipeline, "Mercury orbits Sun", types={"Mercury": "Planet"})
    relate(pipeline, "Mercury is_a Metal", types={"Mercury": "Element"})

    linked = link(pipeline, "mercury")

    assert [(entity.name, entity.type) for entity in linked.entities] == [("Mercury", "Planet"), ("Mercury", "Element")]


@pytest.mark.parametrize(("name", "says"), [("", "is empty"), (" \n", "is empty"), ("x" * 1001, "1001 characters")])
def test_a_name_that_is_none_is_refused(services: Pipeline, name: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        link(services, name)


def _found(pipeline: Pipeline, query: str, *, type: str | None = None, limit: int = 10) -> list[str]:
    with pipeline.store.reading() as tx:
        return [each.entity.name for each in find_entities(pipeline.store, tx, query, type=type, limit=limit)]


def test_entities_are_listed_equal_first_then_by_beginning_then_by_part(pipeline: Pipeline) -> None:
    relate(pipeline, "Redis_Cluster uses My_Redis", "Redis uses Kafka")

    assert _found(pipeline, "redis") == ["Redis", "Redis Cluster", "My Redis"]
    assert _found(pipeline, "redis", limit=1) == ["Redis"]


def test_an_empty_query_lists_the_best_connected(services: Pipeline) -> None:
    assert _found(services, "", limit=1) == ["Redis"]
    assert _found(services, "", type="service") == ["Checkout Service", "Payment Gateway"]


def test_a_type_is_compared_in_any_spelling_and_an_unknown_one_refused(services: Pipeline) -> None:
    assert set(_found(services, "e", type="SERVICE")) == {"Payment Gateway", "Checkout Service"}
    with pytest.raises(UnknownName, match=r"No type named 'Servise'\. Nearest: Service"):
        _found(services, "e", type="Servise")
