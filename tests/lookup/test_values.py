"""Values are found beside triples, by their subject, predicate or text, and decide claims and questions."""

from collections.abc import Sequence
from typing import Any

import pytest
from value_helpers import state

from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import VALUE, Candidate, Counts
from mcp_graphrag.reason.check_claim import Claim
from mcp_graphrag.reason.plan_question import PlanQuery
from mcp_graphrag.search.query import SearchQuery


@pytest.fixture
def kitchen(graph: Graph) -> Graph:
    state(graph, "memo:a", "Freezer 3 | Temperature | -20 °C", "Freezer 3 | Last Service | 6 May 2024")
    state(graph, "memo:b", "Rack 1 | port | 5,432", "Rack 2 | port | 80", "Rack 2 | height | 5,432 mm")
    state(graph, "memo:c", "Rack 2 | room | B3", "Room | floor | 2")
    graph.add_triples([Candidate("Freezer 3", "located_in", "Room B2")])
    return graph


def listed(graph: Graph, **query: Any) -> list[str]:
    found: list[str] = []
    after = 0
    while True:
        page = graph.query_triples(TripleQuery(after=after, **query))
        found += [f"{each.subject} {each.predicate} {each.object}" for each in page.triples]
        assert len(page.marks) == len(page.triples)
        if page.next_after is None:
            return found
        after = page.next_after


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            {"subject": "Freezer 3"},
            [
                "Freezer 3 located_in Room B2",
                "Freezer 3 temperature -20 °C",
                "Freezer 3 last_service 6 May 2024",
            ],
        ),
        ({"subject": "freezer 3", "predicate": "Temperature"}, ["Freezer 3 temperature -20 °C"]),
        ({"predicate": "port"}, ["Rack 1 port 5,432", "Rack 2 port 80"]),
        ({"predicate": "port", "object": "5432"}, ["Rack 1 port 5,432"]),
        ({"object": "5432"}, ["Rack 1 port 5,432", "Rack 2 height 5,432 mm"]),
        ({"object": "5432 mm"}, ["Rack 2 height 5,432 mm"]),
        ({"subject": "Freezer 3", "object": "6 may 2024"}, ["Freezer 3 last_service 6 May 2024"]),
        ({"object": "-20 °c"}, ["Freezer 3 temperature -20 °C"]),
        (
            {"subject": "Freezer 3", "object_type": VALUE},
            ["Freezer 3 temperature -20 °C", "Freezer 3 last_service 6 May 2024"],
        ),
        ({"subject": "Rack 1", "predicate": "port", "object_type": "Service"}, []),
        ({"subject": "Rack 1", "predicate": "port", "min_confidence": 1.0}, ["Rack 1 port 5,432"]),
        ({"predicate": "port", "paths": ["memo:a"]}, []),
    ],
)
@pytest.mark.parametrize("limit", [1, 20])
def test_a_query_lists_values_behind_triples_on_one_page_or_several(
    kitchen: Graph, query: dict[str, Any], expected: Sequence[str], limit: int
) -> None:
    kitchen.add_triples([Candidate("Room B2", "provides", "Freezer 3")])
    assert listed(kitchen, infer=False, limit=limit, **query) == expected


def test_a_value_has_the_line_that_states_it_as_quote(kitchen: Graph) -> None:
    page = kitchen.query_triples(TripleQuery(subject="Rack 2", predicate="height"))

    (value,) = page.triples
    (evidence,) = value.evidence
    assert (value.object, value.object_type, page.total) == ("5,432 mm", VALUE, 1)
    assert (evidence.quote, evidence.line, evidence.surface) == ("Rack 2 | height | 5,432 mm", 3, "height")
    assert kitchen.source(evidence.citation).text[evidence.start : evidence.end] == evidence.quote


@pytest.mark.parametrize("purge", [False, True])
def test_a_value_is_removed_as_a_triple_is(kitchen: Graph, *, purge: bool) -> None:
    removal = Removal(triple=("Rack 1", "port", "5,432"), purge=purge)

    assert kitchen.remove(removal) == Counts(values=1)

    assert listed(kitchen, predicate="port") == ["Rack 2 port 80"]
    with pytest.raises(UnknownName, match="No entity named '5,432'"):
        kitchen.remove(removal)


def test_a_text_that_is_no_value_and_no_name_is_unknown(kitchen: Graph) -> None:
    with pytest.raises(UnknownName, match="No entity named '81'"):
        kitchen.query_triples(TripleQuery(predicate="port", object="81"))


def test_an_entity_is_shown_with_its_first_values_and_how_many_more_there_are(kitchen: Graph) -> None:
    state(kitchen, "memo:e", *(f"Rack 3 | slot {number} | {number}" for number in range(10)))
    long = "x" * 70

    state(kitchen, "memo:d", f"Rack 4 | note | {long}")

    shown = [f"slot_{number} {number}" for number in range(8)]
    assert kitchen.neighbourhood("Rack 3").values == [*shown, "2 more"]
    assert kitchen.find_entities("Rack 4")[0].values == [f"note {long[:60]}…"]
    found = kitchen.brief(SearchQuery("what temperature has Freezer 3?"))
    assert [each.object for each in found.triples] == ["-20 °C", "Room B2", "6 May 2024"]
    assert kitchen.describe().values["port"] == 2


@pytest.mark.parametrize(
    ("claim", "verdict", "shown"),
    [
        (Claim("Rack 1", "port", "5432"), "supported", "5,432"),
        (Claim("Freezer 3", "temperature", "-20.0 °C"), "supported", "-20 °C"),
        (Claim("Freezer 3", "last service", "2024-05-06"), "supported", "6 May 2024"),
        (Claim("Rack 1", "port", "5432", negated=True), "contradicted", "5,432"),
        (Claim("Rack 1", "port", "80"), "unknown", "5,432"),
        (Claim("Rack 1", "port", "80", negated=True), "unknown", "5,432"),
        (Claim("Freezer 3", "temperature", "-20 °F"), "unknown", "-20 °C"),
        (Claim("Freezer 3", "temperature", "Room B2"), "unknown", "-20 °C"),
        (Claim("Rack 2", "height", "5432 MM"), "unknown", "5,432 mm"),
    ],
)
def test_a_value_supports_an_equal_one_and_is_shown_beside_another(
    kitchen: Graph, claim: Claim, verdict: str, shown: str
) -> None:
    (checked,) = kitchen.check_claim(claim).claims

    reasons = [*checked.supporting, *checked.contradicting, *checked.others]
    assert (checked.verdict, [each.triple.object for each in reasons]) == (verdict, [shown])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the port of Rack 1?", ["5,432"]),
        ("What is Freezer 3's temperature?", ["-20 °C"]),
        ("Which temperature does Freezer 3 have?", ["-20 °C"]),
        ("When was the last service of Freezer 3?", ["6 May 2024"]),
        ("When is the port of Rack 1?", []),
        ("What is the highest temperature of Freezer 3?", []),
        ("What was the temperature of Freezer 3 in 2020?", []),
        ("What is the port of Rack 1 and Rack 2?", []),
        ("What is the room of Rack 2?", ["B3"]),
        ("What is the height of Rack 1?", []),
    ],
)
def test_a_question_for_a_value_is_answered_if_every_word_of_it_was_read(
    kitchen: Graph, question: str, answer: Sequence[str]
) -> None:
    assert list(kitchen.plan_question(PlanQuery(question)).answer) == answer


def test_a_question_for_which_documents_state_different_values_is_not_answered(kitchen: Graph) -> None:
    state(kitchen, "memo:e", "Rack 1 | port | 81")

    plan = kitchen.plan_question(PlanQuery("What is the port of Rack 1?"))

    assert (plan.answer, plan.missing) == ((), ["Stated differently: 5,432, 81."])
    assert [each.object for each in plan.evidence] == ["5,432", "81"]


def test_a_large_table_tells_nothing_of_how_rare_a_word_is_in_texts(kitchen: Graph) -> None:
    kitchen.ingest_text("The ferry leaves the harbour at noon.")
    with kitchen.reading() as snapshot:
        before = snapshot.keywords.weights(["ferri", "noon"])

    state(kitchen, "memo:e", *(f"Unit {number} | ferry | noon {'x' * 900}" for number in range(150)))

    with kitchen.reading() as snapshot:
        assert snapshot.keywords.count > 150
        assert snapshot.keywords.weights(["ferri", "noon"]) == before
    assert kitchen.search(SearchQuery("Unit 77 ferry", mode="keyword")).hits[0].text.startswith("Unit 77 |")


def test_a_predicate_is_found_by_the_heading_that_stands_for_it(graph: Graph) -> None:
    graph.add_triples([Candidate("Priya Nair", "reports_to", "Hanna Falk")])
    assert listed(graph, subject="Priya Nair", predicate="line manager") == ["Priya Nair reports_to Hanna Falk"]
