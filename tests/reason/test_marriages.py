"""A marriage ends with the death of one of the two."""

import pytest

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph

TEXT = (
    "Elsa Karlow (14 March 1858 – 2 November 1931) was a botanist. Elsa Karlow married Walter Dunn in 1882."
    " Anna Moss married Carl Stone in 1998."
)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Elsa Karlow is married to Walter Dunn", "unknown"),
        ("Walter Dunn is married to Elsa Karlow", "unknown"),
        ("Elsa Karlow was married to Walter Dunn", "supported"),
        ("Anna Moss is married to Carl Stone", "supported"),
    ],
)
def test_a_marriage_ends_with_a_death(graph: Graph, claim: str, verdict: str) -> None:
    graph.ingest_text(TextInput(TEXT, title="People"))
    assert graph.check_claim(claim).verdict == verdict
