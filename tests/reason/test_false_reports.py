"""What one document states and another one calls a wrong report, and conflicts that are none."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph, open_graph

BELL = "Her best known work, The Drowned Bell, stands in Lisbon."


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[Graph]:
    with open_graph(tmp_path / "graph.duckdb") as opened:
        yield opened


def ingest(graph: Graph, *texts: str) -> None:
    for number, text in enumerate(texts):
        graph.ingest_text(TextInput(text, uri=f"note-{number}"))


@pytest.mark.parametrize(
    ("stated", "report", "claim"),
    [
        (
            BELL,
            "Our obituary wrongly said that The Drowned Bell stands in Lisbon.",
            "The Drowned Bell stands in Lisbon",
        ),
        (
            "Harrow Press is owned by Ida Brandt.",
            "It was wrongly reported that Harrow Press is owned by Ida Brandt.",
            "Harrow Press is owned by Ida Brandt",
        ),
    ],
)
def test_what_another_document_calls_wrongly_reported_is_not_supported(
    graph: Graph, stated: str, report: str, claim: str
) -> None:
    ingest(graph, stated)
    before = graph.check_claim(claim).verdict
    ingest(graph, stated, report)
    after = graph.check_claim(claim)

    assert (before, after.verdict) == ("supported", "unknown")
    assert any(report in note for each in after.claims for note in each.notes)


def test_a_question_is_not_answered_with_what_is_called_wrongly_reported(graph: Graph) -> None:
    ingest(graph, BELL, "Our obituary wrongly said that The Drowned Bell stands in Lisbon.")

    plan = graph.plan_question("Where does The Drowned Bell stand?")

    assert list(plan.answer) == []
    assert any("wrongly said" in missing for missing in plan.missing)


def test_a_wrong_report_of_something_else_takes_nothing_back(graph: Graph) -> None:
    ingest(graph, BELL, "Our obituary wrongly said that The Drowned Bell was founded by Ida Brandt.")

    assert graph.check_claim("The Drowned Bell stands in Lisbon").verdict == "supported"


def test_the_owner_of_another_kind_excludes_nothing(graph: Graph) -> None:
    ingest(graph, "Speaking of Basel, Quentin Ashe owns Harrow Press.")

    verdicts = [graph.check_claim(f"{owner} owns Harrow Press").verdict for owner in ("Basel", "Quentin Ashe")]

    assert verdicts == ["unknown", "supported"]


def test_a_line_that_says_when_and_by_whom_a_page_was_updated_dates_it(graph: Graph) -> None:
    ingest(graph, "# Shipping\n\n*Updated 1 June 2022 by Ida Brandt*\n\nThe Cargo Service uses Kafka.\n")

    impact = graph.trace_impact("Kafka")

    assert (impact.total, [triple.subject for triple in impact.lapsed]) == (0, ["Cargo Service"])
