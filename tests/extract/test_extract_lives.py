"""Two dates in brackets are a life only where something says that they are of a person."""

import pytest
from extract_helpers import triples, types

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph


@pytest.mark.parametrize(
    "text",
    [
        "The Siege of Vordal (4 May – 19 August 1657) was a battle.",
        "Project Heron (1 March 1990 – 3 June 2011) was led by Ann Lee.",
        "Havbris (12 May 1901 – 3 June 1944) was a steamship built by Vik Yards.",
        "Anna Maria (12 May 1901 – 3 June 1944) was a Norwegian steamship.",
        "Peter Holm (4 May 2010 – 3 June 2014) was a minister of Norway.",
        "Peter Holm (1974 – 2014) was a minister of Norway.",
        "Peter Holm (1994 – 2014) was a printer.",
        "Anna Maria (1901 – 1944) was a Norwegian steamer.",
        "The Vordal Fair (1890–1954) was a trade fair.",
    ],
)
def test_dates_of_things_and_offices_are_no_life(text: str) -> None:
    assert not {"born_on", "died_on"} & {predicate for _, predicate, _ in triples(text)}
    assert types(text).get("Havbris") is None


@pytest.mark.parametrize(
    "text",
    [
        "Ashok Vendran (4 May 1850 – 3 June 1901) was an Indian painter.",
        "Ashok Vendran (4 May 1850 – 3 June 1901) led the school. He lived in Oslo.",
        "Peter Holm (4 May 1850 – 3 June 1901) led the school.",
        "Peter Holm (4 May 1850 – 3 June 1901) was a Norwegian oceanographer and the first man to lead the school.",
        "Peter Holm (4 May 1850 – 3 June 1901) was a shipowner.",
        "Peter Holm (1850–1901) was a Norwegian printer.",
    ],
)
def test_a_person_has_a_life(text: str) -> None:
    assert {"born_on", "died_on"} <= {predicate for _, predicate, _ in triples(text)}


def test_years_of_a_fair_support_no_birth_and_no_death(graph: Graph) -> None:
    graph.ingest_text(TextInput("The Vordal Fair (1890–1914) was a trade fair.", uri="u:1"))
    graph.ingest_text(TextInput("Nora Lind (1850–1901) was a Norwegian painter.", uri="u:2"))
    claims = ["The Vordal Fair was born in 1890.", "The Vordal Fair died in 1914.", "Nora Lind died in 1901."]

    assert [graph.check_claim(claim).verdict for claim in claims] == ["unknown", "unknown", "supported"]


@pytest.mark.parametrize(
    ("text", "dead"),
    [
        ("Ida Holm, poet, was born in Graz in 1834. Her teacher was Anna Berg.\n\nShe died in Bath.", ["Ida Holm"]),
        ("Ida Holm, poet, was born in Graz in 1834.\n\nAnna Berg was her teacher.\n\nShe died in Bath.", []),
    ],
)
def test_a_text_that_opens_with_a_birth_is_about_that_person(text: str, dead: list[str]) -> None:
    assert [one for one, predicate, _ in triples(text) if predicate == "died_in"] == dead
