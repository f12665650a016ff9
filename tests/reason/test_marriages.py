"""A marriage begins in its year, and ends with the death of one of the two, a divorce or the next marriage."""

from datetime import UTC, datetime

import pytest

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import When

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


MARRIED = "Anna Berg is married to Max Roth."


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("Anna Berg married Max Roth in 1975.", "1965-06-01"),
        ("Anna Berg married Max Roth in 1975. She died in Leeds after a short illness.", ""),
        ("Anna Berg married Max Roth in 1975. She died in 2001.", ""),
        ("Anna Berg married Max Roth in 1975 and was widowed in 1990.", ""),
        ("Anna Berg married Max Roth in 1975 and Tim Roe in 1988.", ""),
        ("Anna Berg married Max Roth in 1975. Anna Berg married Tim Roe in 1988.", ""),
        ("Anna Berg, who has died aged 91, was a painter.\n\nAnna Berg married Max Roth in 1975.", ""),
        ("The late Anna Berg was married to Max Roth.", ""),
        ("Anna Berg (1889-1967) was a Norwegian printer. Anna Berg married Max Roth in 1911.", ""),
        ("Anna Berg (1889–1967) was a Norwegian printer. Anna Berg married Max Roth in 1911.", ""),
    ],
)
def test_a_marriage_does_not_hold_before_its_year_nor_behind_its_end(graph: Graph, text: str, at: str) -> None:
    graph.ingest_text(TextInput(text, title="People"))
    when = When(as_of=datetime.fromisoformat(at)) if at else When()

    assert graph.check_claim(MARRIED, when).verdict == "unknown"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("Anna Berg married Max Roth in 1975.", ""),
        ("Anna Berg married Max Roth in 1975 and was widowed in 1990.", "1980-01-01"),
        ("Anna Berg married Max Roth in 1975. Her father died in 1990.", ""),
        ("Anna Berg (born 1951) is a printer. Anna Berg married Max Roth in 1975.", ""),
        ("Anna Berg married Tim Roe in 1965. Anna Berg married Max Roth in 1975.", ""),
    ],
)
def test_a_marriage_holds_from_its_year(graph: Graph, text: str, at: str) -> None:
    graph.ingest_text(TextInput(text, title="People"))
    when = When(as_of=datetime.fromisoformat(at)) if at else When()

    assert graph.check_claim(MARRIED, when).verdict == "supported"


def test_a_plan_answers_the_husband_of_then(graph: Graph) -> None:
    graph.ingest_text(
        TextInput(
            "Eva Lind (14 February 1931 – 3 November 2009) was a Norwegian oceanographer. Eva Lind married Leif Moe in"
            " 1963. They divorced in 1971. Eva Lind married Paul Render in 1975."
        )
    )

    def husbands(year: int) -> list[str]:
        plan = graph.plan_question("Who is Eva Lind married to?", When(as_of=datetime(year, 6, 1, tzinfo=UTC)))
        return [one.entity.name for walk in plan.walks for one in walk.answers]

    assert [husbands(year) for year in (1965, 1980, 2020)] == [["Leif Moe"], ["Paul Render"], []]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Otto Lind was married to Eva Holm.", "supported"),
        ("Eva Holm married Otto Lind.", "supported"),
        ("Otto Lind is a sibling of Eva Holm.", "unknown"),
        ("Ann Moss is a sibling of Ole Moss.", "supported"),
        ("Ole Moss is the father of Ann Moss.", "unknown"),
    ],
)
def test_who_is_married_to_or_a_sibling_of_another_is_so_both_ways(graph: Graph, claim: str, verdict: str) -> None:
    graph.ingest_text(TextInput("Eva Holm married Otto Lind in 1960. Ole Moss is a sibling of Ann Moss."))

    assert graph.check_claim(claim).verdict == verdict
