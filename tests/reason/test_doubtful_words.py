"""Words that make a sentence say less than its other words do: near, second, fake, corrected, of another time."""

import pytest

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph

CASES = [
    ("As of 2012 the Ferry Team was led by Anna Veldt.", "The Ferry Team is led by Anna Veldt.", "unknown"),
    ("The Ferry Team has been led by Anna Veldt since 2012.", "The Ferry Team is led by Anna Veldt.", "supported"),
    (
        "Ida Krall wrote The Glass Ferry. Correction: The Glass Ferry was written by Ove Sund.",
        "Ida Krall wrote The Glass Ferry.",
        "unknown",
    ),
    (
        "Although many think Ida Krall wrote The Glass Ferry, it was written by Ove Sund.",
        "Ida Krall wrote The Glass Ferry.",
        "unknown",
    ),
    ("Ida Krall is almost the owner of the Lumen Tower.", "Ida Krall is the owner of the Lumen Tower.", "unknown"),
    ("Ida Krall is now the owner of the Lumen Tower.", "Ida Krall is the owner of the Lumen Tower.", "supported"),
    ("Arvik is the second largest city of Tarnia.", "Arvik is the largest city of Tarnia.", "unknown"),
    ("Arvik is the largest city of Tarnia.", "Arvik is the largest city of Tarnia.", "supported"),
    ("The Quill Service uses Redis. Just kidding.", "The Quill Service uses Redis.", "unknown"),
    ("The Quill Service depends on Redis only on Mondays.", "The Quill Service depends on Redis.", "unknown"),
    ("The Quill Service depends only on Redis.", "The Quill Service depends on Redis.", "supported"),
    ("Ove Sund is a fake doctor.", "Ove Sund is a doctor.", "unknown"),
    ("Ove Sund is a retired judge.", "Ove Sund is a judge.", "unknown"),
    ("Ove Sund is a Norwegian judge.", "Ove Sund is a judge.", "supported"),
    ("Ida Krall is married to Ove Sund. He died in 1940.", "Ida Krall is married to Ove Sund.", "unknown"),
    ("Ida Krall is married to Ove Sund. He died in 1940.", "Ida Krall was married to Ove Sund.", "supported"),
    ("Ida Krall is married to Ove Sund. Her father died in 1940.", "Ida Krall is married to Ove Sund.", "supported"),
    ("Ida Krall married Ove Sund, and he died in 1940.", "Ida Krall died in 1940.", "unknown"),
    ("Ida Krall married Ove Sund, and he died in 1940.", "Ida Krall is married to Ove Sund.", "unknown"),
]
OF_ANOTHER = "Max Stone's daughter Ida Krall married Ove Sund. He died in 1940."


@pytest.mark.parametrize(("text", "claim", "verdict"), CASES)
def test_a_claim_is_supported_only_by_what_a_sentence_says(graph: Graph, text: str, claim: str, verdict: str) -> None:
    graph.ingest_text(TextInput(text, title="Notes"))
    assert graph.check_claim(claim).verdict == verdict


def test_he_who_may_be_a_third_person_ends_no_marriage(graph: Graph) -> None:
    graph.ingest_text(TextInput(OF_ANOTHER, title="Notes"))
    assert graph.check_claim("Ida Krall is married to Ove Sund.").verdict == "supported"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Without the Tide Database, the Harbor Service cannot work.", "supported"),
        ("The Harbor Service does not start without the Tide Database.", "supported"),
        ("Without the Tide Database, the Harbor Service can work.", "unknown"),
        ("Without the Tide Database, the Harbor Service may not start.", "unknown"),
        ("Without the Tide Database or Redis, the Harbor Service cannot start.", "unknown"),
        ("The Harbor Service cannot start without the Tide Database in tests.", "unknown"),
        ("If the Harbor Service cannot start without the Tide Database, call us.", "unknown"),
        ("We doubt that the Harbor Service cannot start without the Tide Database.", "unknown"),
        ("Unlike the Harbor Service, the Pier Service depends on the Tide Database.", "unknown"),
    ],
)
def test_what_cannot_work_without_a_thing_depends_on_it(graph: Graph, text: str, verdict: str) -> None:
    graph.ingest_text(TextInput(text, title="Notes"))
    assert graph.check_claim("The Harbor Service depends on the Tide Database.").verdict == verdict


def test_what_cannot_work_without_a_thing_is_affected_by_it(graph: Graph) -> None:
    graph.ingest_text(TextInput("Without the Tide Database, the Harbor Service cannot work.", title="Notes"))
    assert [each.entity.name for each in graph.trace_impact("Tide Database").affected] == ["Harbor Service"]
    assert not graph.trace_impact("Harbor Service").affected
