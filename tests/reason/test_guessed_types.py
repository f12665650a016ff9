"""A type that only a word of a name suggests is no fact, and what the text says of the name is stronger."""

import pytest

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph

TEXT = (
    "Signal Mountain is a band from Cork. Signal Mountain was founded by Eve Dunn in 1999."
    " Cedar Lake wrote Silent Valley. Silent Valley was published in 1977. Mercy Island is a ship."
    " The Retail Division reports to Anna Holt. The Wanda Project is led by Carl Stone."
    " The Legal Department is headed by Anna Holt."
)


@pytest.mark.parametrize(
    "claim",
    [
        "Signal Mountain is a location",
        "Silent Valley is a location",
        "Mercy Island is a location",
        "The Retail Division is a person",
        "The Wanda Project is a person",
        "The Legal Department is a person",
    ],
)
def test_a_word_of_a_name_supports_no_type(graph: Graph, claim: str) -> None:
    graph.ingest_text(TextInput(TEXT, title="Names"))
    assert graph.check_claim(claim).verdict == "unknown"


def test_what_it_is_said_to_be_is_supported(graph: Graph) -> None:
    graph.ingest_text(TextInput(TEXT, title="Names"))
    assert graph.check_claim("Signal Mountain is a band").verdict == "supported"
    assert graph.find_entities("Signal Mountain")[0].entity.type == ""


def test_a_division_is_not_the_answer_to_who(graph: Graph) -> None:
    graph.ingest_text(TextInput(TEXT, title="Names"))
    assert graph.plan_question("Which persons report to Anna Holt?").answer == []


def test_what_is_missing_is_said_in_the_singular(graph: Graph) -> None:
    graph.ingest_text(TextInput(TEXT, title="Names"))
    assert graph.plan_question("Which persons report to Anna Holt?").missing == [
        "Nothing stored says that Retail Division is a person."
    ]
