from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from search_helpers import page, relate, triples

from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.settings import Settings


@pytest.fixture
def services(graph: Graph) -> Graph:
    relate(
        graph,
        "Checkout uses Redis",
        "Checkout uses Kafka",
        "Billing uses Redis",
        "Ann owns Checkout",
        "Redis owns Redis",
        types={"Checkout": "Service", "Billing": "Service", "Redis": "Database", "Ann": "Person"},
    )
    return graph


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
def test_a_pattern_finds_matching_triples_oldest_first(
    services: Graph, query: dict[str, str], expected: list[str]
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
def test_an_unknown_name_raises_with_the_nearest(
    services: Graph, query: dict[str, Any], kind: str, nearest: str
) -> None:
    with pytest.raises(UnknownName) as caught:
        page(services, **query)

    assert (caught.value.kind, caught.value.nearest[0]) == (kind, nearest)


def test_a_triple_has_its_names_times_and_evidence(graph: Graph) -> None:
    start, end = datetime(2020, 1, 1), datetime(2021, 1, 1)  # noqa: DTZ001  (times in the file are naive UTC)
    relate(
        graph,
        "Ann worksAt Acme",
        types={"Ann": "Person"},
        confidence=0.75,
        quote="Ann works at Acme",
        source="memo",
        valid_from=start,
        valid_to=end,
        metadata={"by": "é"},
    )

    (triple,) = page(graph).triples

    assert (triple.subject, triple.subject_type, triple.predicate) == ("Ann", "Person", "works_for")
    assert (triple.object, triple.object_type, triple.confidence) == ("Acme", "", 0.75)
    assert (triple.valid_from, triple.valid_to, triple.metadata) == (start, end, {"by": "é"})
    (why,) = triple.evidence
    assert (why.source, why.quote, why.extractor, why.surface) == ("memo", "Ann works at Acme", "agent", "worksAt")


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(services: Graph, limit: int) -> None:
    with pytest.raises(BadInput, match="It is at least 1"):
        page(services, limit=limit)


@settings(max_examples=8, deadline=None)
@given(count=st.integers(0, 9), limit=st.integers(1, 10))
def test_pages_have_every_triple_once_in_order(
    tmp_path_factory: pytest.TempPathFactory, wordllama: Embedder, count: int, limit: int
) -> None:
    graph = Graph(Settings(db=tmp_path_factory.mktemp("pages") / "graph.duckdb"), embedders=Embedders(wordllama))
    stored = relate(graph, *(f"A{number} uses B" for number in range(count))) if count else []
    seen: list[int] = []
    after: int | None = 0
    while after is not None:
        answer = page(graph, limit=limit, after=after)
        assert len(answer.triples) == limit or answer.next_after is None
        seen += [triple.id for triple in answer.triples]
        after = answer.next_after
    graph.close()

    assert seen == stored


def test_triples_added_between_pages_are_neither_lost_nor_repeated(services: Graph) -> None:
    first = page(services, limit=3)
    relate(services, "Billing uses Kafka")
    assert first.next_after is not None

    rest = triples(services, limit=9, after=first.next_after, infer=False)

    assert rest == ["Ann owns Checkout", "Redis owns Redis", "Billing uses Kafka"]
