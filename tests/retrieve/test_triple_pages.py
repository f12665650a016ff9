from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from retrieve_stories import page, relate, triples

from mcp_graphrag.embed import Embedder
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.pipeline import Pipeline, make_pipeline
from mcp_graphrag.settings import Settings


@pytest.fixture
def services(pipeline: Pipeline) -> Pipeline:
    relate(
        pipeline,
        "Checkout uses Redis",
        "Checkout uses Kafka",
        "Billing uses Redis",
        "Ann owns Checkout",
        "Redis owns Redis",
        types={"Checkout": "Service", "Billing": "Service", "Redis": "Database", "Ann": "Person"},
    )
    return pipeline


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            {},
            [
                "Checkout uses Redis",
                "Checkout uses Kafka",
                "Billing uses Redis",
                "Ann owns Checkout",
                "Redis owns Redis",
            ],
        ),
        ({"subject": "checkout"}, ["Checkout uses Redis", "Checkout uses Kafka"]),
        ({"object": "REDIS"}, ["Checkout uses Redis", "Billing uses Redis", "Redis owns Redis"]),
        ({"predicate": "Owns"}, ["Ann owns Checkout", "Redis owns Redis"]),
        ({"subject": "Checkout", "object": "Kafka"}, ["Checkout uses Kafka"]),
        ({"subject": "Checkout", "predicate": "owns"}, []),
        ({"subject": "Redis", "object": "Redis"}, ["Redis owns Redis"]),
        ({"subject_type": "service", "object_type": "DATABASE"}, ["Checkout uses Redis", "Billing uses Redis"]),
        ({"object_type": "Service"}, ["Ann owns Checkout"]),
        ({"subject": "Billing", "subject_type": "Person"}, []),
    ],
)
def test_a_pattern_finds_the_triples_that_fit_oldest_first(
    services: Pipeline, query: dict[str, str], expected: list[str]
) -> None:
    assert triples(services, infer=False, **query) == expected


@pytest.mark.parametrize(
    ("query", "kind", "nearest"),
    [
        ({"subject": "Chekout"}, "entity", "Checkout"),
        ({"object": "Kafkaa"}, "entity", "Kafka"),
        ({"predicate": "owens"}, "predicate", "owns"),
        ({"subject_type": "Servise"}, "type", "Service"),
    ],
)
def test_a_name_that_nothing_has_answers_with_the_nearest(
    services: Pipeline, query: dict[str, str], kind: str, nearest: str
) -> None:
    with pytest.raises(UnknownName) as caught:
        page(services, **query)

    assert (caught.value.kind, caught.value.nearest[0]) == (kind, nearest)


def test_homonyms_are_all_meant_until_a_type_tells_them_apart(pipeline: Pipeline) -> None:
    relate(pipeline, "Mercury orbits Sun", types={"Mercury": "Planet"})
    relate(pipeline, "Mercury is_a Metal", types={"Mercury": "Element"})

    assert triples(pipeline, subject="Mercury") == ["Mercury orbits Sun", "Mercury is_a Metal"]
    assert triples(pipeline, subject="Mercury", subject_type="Element") == ["Mercury is_a Metal"]


def test_a_triple_comes_with_its_words_times_and_evidence(pipeline: Pipeline) -> None:
    start, end = datetime(2020, 1, 1), datetime(2021, 1, 1)  # noqa: DTZ001  (times in the file are naive UTC)
    relate(
        pipeline,
        "Ann worksAt Acme",
        types={"Ann": "Person"},
        confidence=0.75,
        quote="Ann works at Acme",
        source="memo",
        valid_from=start,
        valid_to=end,
        metadata={"by": "é"},
    )

    (triple,) = page(pipeline).triples

    assert (triple.subject, triple.subject_type, triple.predicate) == ("Ann", "Person", "affiliated_with")
    assert (triple.object, triple.object_type, triple.confidence) == ("Acme", "", 0.75)
    assert (triple.valid_from, triple.valid_to, triple.metadata) == (start, end, {"by": "é"})
    (why,) = triple.evidence
    assert (why.source, why.quote, why.extractor, why.surface) == ("memo", "Ann works at Acme", "agent", "worksAt")


@pytest.mark.parametrize("limit", [0, -1])
def test_a_page_of_nothing_is_refused(services: Pipeline, limit: int) -> None:
    with pytest.raises(BadInput, match="It is at least 1"):
        page(services, limit=limit)


@settings(max_examples=8, deadline=None)
@given(count=st.integers(0, 9), limit=st.integers(1, 10))
def test_pages_have_every_triple_once_in_order(
    tmp_path_factory: pytest.TempPathFactory, wordllama: Embedder, count: int, limit: int
) -> None:
    pipeline = make_pipeline(Settings(db=tmp_path_factory.mktemp("pages") / "graph.duckdb"))
    assert pipeline.embedder.name == wordllama.name
    stored = relate(pipeline, *(f"A{number} uses B" for number in range(count))) if count else []
    seen: list[int] = []
    after: int | None = 0
    while after is not None:
        answer = page(pipeline, limit=limit, after=after)
        assert len(answer.triples) == limit or answer.next_after is None
        seen += [each.id for each in answer.triples]
        after = answer.next_after
    pipeline.store.close()

    assert seen == stored


def test_triples_added_between_pages_are_neither_lost_nor_repeated(services: Pipeline) -> None:
    first = page(services, limit=3)
    relate(services, "Billing uses Kafka")
    assert first.next_after is not None

    rest = triples(services, limit=9, after=first.next_after, infer=False)

    assert rest == ["Ann owns Checkout", "Redis owns Redis", "Billing uses Kafka"]
