"""Passages to read beside a claim, an answer or a name: the newest that say what it is about, with their dates."""

import pytest

from mcp_graphrag import TextInput
from mcp_graphrag.errors import UnknownName, UnreadName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.reason.check_claim import Claim
from mcp_graphrag.reason.find_paths import PathQuery
from mcp_graphrag.search.ask import AskQuery

OWNED = "The Quay Service is owned by the Heron Team."
LATER = "Ola Brandt looks after the Quay Service these days."


def tell(graph: Graph, text: str, uri: str, date: str = "") -> None:
    front = f"---\ndate: {date}\n---\n" if date else ""
    graph.ingest_text(TextInput(f"{front}# Page {uri}\n\n{text}", uri=uri))


def test_a_newer_sentence_about_one_end_stands_beside_the_verdict(graph: Graph) -> None:
    tell(graph, OWNED, "old", "2023-05-02")
    tell(graph, LATER, "new", "2025-02-01")

    found = graph.check_claim(OWNED)

    assert found.verdict == "supported"
    assert [(one.text, one.is_later) for one in found.passages] == [(OWNED, False), (LATER, True)]
    assert [f"{one.date:%Y-%m-%d}" for one in found.passages] == ["2023-05-02", "2025-02-01"]


@pytest.mark.slow
def test_dated_passages_come_before_many_undated_ones_and_each_text_once(graph: Graph) -> None:
    for number in range(30):
        tell(graph, f"{OWNED} Nothing else is known on day {number}.", f"u{number}")
    tell(graph, LATER, "new", "2025-02-01")

    found = graph.check_claim(OWNED).passages

    assert [one.text for one in found].count(OWNED) == 1
    assert LATER in [one.text for one in found]
    assert len(found) <= 8


def test_the_rules_around_a_header_are_no_passages(graph: Graph) -> None:
    graph.ingest_text(TextInput(f"---\ndate: 2023-05-02\n---\n{OWNED}\n\n---\n\n{LATER}", uri="rules"))
    graph.ingest_text(TextInput("---\ndate: 2024-05-02\n---\nThe ferry was late.", uri="other"))

    assert "---" not in [one.text for one in graph.check_claim(OWNED).passages]


def test_a_claim_that_was_not_read_has_passages(graph: Graph) -> None:
    tell(graph, f"{OWNED} Its budget was halved.", "old", "2023-05-02")

    found = graph.check_claim("Rumour has it that the Quay Service lost half of its money to the Heron Team.")

    assert found.verdict == "unknown"
    assert OWNED in [one.text for one in found.passages]


@pytest.mark.slow
def test_the_context_of_a_question_has_the_newest_sentence_about_its_subject(graph: Graph) -> None:
    for number in range(30):
        tell(graph, f"{OWNED} So who owns it is plain, said clerk {number}. " * 3, f"u{number}")
    tell(graph, LATER, "new", "2025-02-01")

    context = graph.ask(AskQuery("Who owns the Quay Service?", tokens=700)).context.text

    assert "- 2025-02-01 [" in context
    assert f"> {LATER}" in context


def test_a_name_that_only_chunks_have_is_shown_with_them(graph: Graph) -> None:
    for number in range(3):
        tell(graph, f"{OWNED} The reporting server failed {number} times.", f"t{number}")

    for question in (
        lambda: graph.trace_impact("reporting server"),
        lambda: graph.find_paths(PathQuery("Quay Service", "reporting server")),
        lambda: graph.query_triples(TripleQuery(subject="reporting server")),
        lambda: graph.neighbourhood(NeighbourhoodQuery("reporting server")),
    ):
        with pytest.raises(UnreadName, match="3 chunks say it; none was read into triples") as error:
            question()
        assert len(error.value.passages) == 3
        assert all("The reporting server failed" in one for one in error.value.passages)


def test_a_name_that_nothing_says_is_unknown(graph: Graph) -> None:
    tell(graph, OWNED, "old")

    with pytest.raises(UnknownName) as error:
        graph.trace_impact("Zanzibar Ledger")
    assert not isinstance(error.value, UnreadName)


def test_a_claim_by_names_has_passages_too(graph: Graph) -> None:
    tell(graph, OWNED, "old", "2023-05-02")

    assert [one.text for one in graph.check_claim(Claim("Quay Service", "owned_by", "Heron Team")).passages] == [OWNED]
