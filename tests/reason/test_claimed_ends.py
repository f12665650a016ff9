"""Both ends of a claim's time are compared with what the source says, at the precision of both."""

import pytest

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate, Origin

TEXT = (
    "Pia Holt led the Crane Team until June 2026. Wanda Bell has led the Crane Team since July 2026."
    " Tom Wick was married to Ada Moss from 1955 until 1962. The Bolt Registry was hosted in Oslo until 2025."
    " The Nut Registry was owned by the Hoist Team through March 2026."
)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Pia Holt led the Crane Team until June 2026", "supported"),
        ("Pia Holt led the Crane Team until 2026", "supported"),
        ("Pia Holt led the Crane Team until May 2026", "unknown"),
        ("Pia Holt led the Crane Team until 31 May 2026", "unknown"),
        ("Pia Holt led the Crane Team until 1 June 2026", "unknown"),
        ("Wanda Bell has led the Crane Team since July 2026", "supported"),
        ("Wanda Bell has led the Crane Team since 1 July 2026", "unknown"),
        ("Tom Wick was married to Ada Moss from 1955 until 1962", "supported"),
        ("Tom Wick was married to Ada Moss from 1955 until 1961", "unknown"),
        ("Tom Wick was married to Ada Moss until 1961", "unknown"),
        ("The Bolt Registry was hosted in Oslo until 2024", "unknown"),
        ("The Nut Registry was owned by the Hoist Team until March 2026", "supported"),
        ("The Nut Registry was owned by the Hoist Team until April 2026", "unknown"),
    ],
)
def test_an_end_is_as_said(graph: Graph, claim: str, verdict: str) -> None:
    graph.ingest_text(TextInput(TEXT, title="Teams"))
    assert graph.check_claim(claim).verdict == verdict


@pytest.mark.parametrize(
    ("stored", "claim", "verdict"),
    [
        ("Johnson uses Mains", "Johnson & Johnson uses Mains.", "unknown"),
        ("The_Who is_a band", "WHO is a band.", "unknown"),
        ("The_Who is_a band", "The Who is a band.", "supported"),
        ("Turkey located_in Asia", "The turkey is located in Asia.", "unknown"),
        ("Turkey located_in Asia", "Turkey is located in Asia.", "supported"),
        ("Münster located_in Hesse", "Munster is located in Hesse.", "supported"),
        ("Résumé uses Redis", "The resume uses Redis.", "unknown"),
    ],
)
def test_case_and_accents_decide_for_an_ordinary_word(graph: Graph, stored: str, claim: str, verdict: str) -> None:
    subject, predicate, object_ = (part.replace("_", " ") for part in stored.split())
    graph.add_triples([Candidate(subject, predicate, object_)], origin=Origin("test"))
    assert graph.check_claim(claim).verdict == verdict


def test_another_stored_value_is_shown_beside_an_unknown_one(graph: Graph) -> None:
    graph.add_triples([Candidate("work_mem", "has_default", "4MB")], origin=Origin("test"))
    found = graph.check_claim("The default of work_mem is 8MB.")
    assert (found.verdict, [one.triple.object for one in found.claims[0].others]) == ("unknown", ["4MB"])
