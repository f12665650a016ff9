"""A pronoun that begins a paragraph, an item or a section stands for what the document or the section is about."""

import pytest

from mcp_graphrag import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery

PERSON = "Nora Quill was a Scottish botanist. {}In 1882 Nora Quill married Walter Dunn. Eve Dunn became a physician."
SYSTEM = "The Pump Watch checks the pumps. The Valve Agent is owned by the Pump Team."


def stated(graph: Graph, text: str, title: str) -> set[tuple[str, str, str]]:
    graph.ingest_text(TextInput(f"# {title}\n\n{text}", title=title, media_type="text/markdown"))
    found = graph.query_triples(TripleQuery(infer=False)).triples
    return {(one.subject, one.predicate, one.object) for one in found if "pronoun" in one.metadata}


@pytest.mark.parametrize(
    ("title", "text", "expected"),
    [
        (
            "Nora Quill",
            PERSON.format("She was born in Perth. ") + "\n\nShe founded Blue Barn.",
            {("Nora Quill", "born_in", "Perth"), ("Blue Barn", "founded_by", "Nora Quill")},
        ),
        ("Nora Quill", PERSON.format("") + "\n\nShe founded Blue Barn.", set[tuple[str, str, str]]()),
        ("Nora Quill", PERSON.format("") + "\n\n## Works\n\nHe founded Blue Barn.", set[tuple[str, str, str]]()),
        ("Pump Watch", SYSTEM + "\n\nIt depends on the Drum Queue.", {("Pump Watch", "depends_on", "Drum Queue")}),
        ("Overview", SYSTEM + "\n\nIt depends on the Drum Queue.", set[tuple[str, str, str]]()),
        (
            "Overview",
            SYSTEM + "\n\n## Drum Service\n\nIt depends on the Drum Queue.\n\n### Hosting\n\nIt uses Redis.",
            {("Drum Service", "depends_on", "Drum Queue"), ("Drum Service", "uses", "Redis")},
        ),
    ],
)
def test_a_pronoun_that_begins_a_paragraph(
    graph: Graph, title: str, text: str, expected: set[tuple[str, str, str]]
) -> None:
    assert stated(graph, text, title) == expected


def test_it_after_an_exchange_stands_for_neither(graph: Graph) -> None:
    text = "The Rain Feed was replaced by the Snow Feed. It is owned by the Pump Team."
    assert stated(graph, text, "Feeds") == set()


@pytest.mark.parametrize(
    ("text", "founder"),
    [
        ("Eve Dunn is an engineer.\n\n- Tom Lind is a nurse.\n- She founded Blue Barn.", []),
        ("In her years here Eve Dunn did much.\n\n- Eve Dunn met Tom Lind.\n- He founded Blue Barn.", []),
    ],
)
def test_a_pronoun_that_begins_an_item(graph: Graph, text: str, founder: list[str]) -> None:
    graph.ingest_text(TextInput(text, title="People", media_type="text/markdown"))
    assert graph.plan_question("Who founded Blue Barn?").answer == founder


def test_he_behind_a_relative_of_the_topic_stands_for_nobody(graph: Graph) -> None:
    text = "Karl Voss was a poet. He lived in Bonn.\n\nHis friend Odon Kiss edited the journal Harfa. He founded Harfa."
    graph.ingest_text(TextInput(text, title="Karl Voss"))
    assert graph.plan_question("Who founded Harfa?").answer == []
