"""Labels without a colon on their line: terms with short definitions, tables of properties, and front matter."""

import pytest

from mcp_graphrag.extract.lite_extractor import LiteExtractor
from mcp_graphrag.ingest import read_bytes
from mcp_graphrag.ingest.chunker import chunk_document

FACTS = {("Billing Service", "owned_by", "Ana Silva"), ("Billing Service", "runs_on", "Kubernetes")}
ROWS = "| Owner | Ana Silva |\n| Runs on | Kubernetes |\n"
HTML = """<html><body><h1>Billing Service</h1><p>What it is.</p><dl><dt>Owner</dt><dd>Ana Silva</dd><dt>Port</dt>
<dd>8443</dd><dt>Runs on</dt><dd>Kubernetes</dd><dt>Purpose</dt><dd>It sends bills. They are paid.</dd></dl>"""


def said(name: str, text: str) -> tuple[set[tuple[str, str, str]], set[tuple[str, str, str]]]:
    """The triples and the values of a file."""
    document = read_bytes(text.encode(), uri=f"file:///{name}", name=name)
    chunks = chunk_document(document)
    found = [*zip(chunks, LiteExtractor().extract(document, chunks), strict=True)]
    assert all(chunk.text[each.start : each.end] == each.value for chunk, one in found for each in one.values)
    return (
        {(each.subject, each.predicate, each.object) for _, one in found for each in one.triples},
        {(each.subject, each.predicate, each.value) for _, one in found for each in one.values},
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "# Billing Service\n\nOwner\n: Ana Silva\n\nPort\n: 8443\n\nRuns on\n: Kubernetes\n"),
        ("a.html", HTML),
        (
            "a.rst",
            "Billing Service\n===============\n\nOwner\n    Ana Silva\nPort\n    8443\nRuns on\n    Kubernetes\n",
        ),
        ("a.rst", "Billing Service\n===============\n\n:Owner: Ana Silva\n:Port: 8443\n:Runs on: Kubernetes\n"),
        ("a.md", "# Billing Service\n\n| Property | Value |\n|---|---|\n| Port | 8443 |\n" + ROWS),
        ("a.md", "# Billing Service\n\n- Owner: Ana Silva\n- Port: 8443\n- Runs on: Kubernetes\n"),
    ],
)
def test_a_term_with_a_short_definition_is_a_label_in_every_format(name: str, text: str) -> None:
    assert said(name, text) == (FACTS, {("Billing Service", "port", "8443")})


def test_a_term_below_a_heading_that_names_nothing_says_nothing() -> None:
    assert said("a.md", "# Overview\n\nOwner\n: Ana Silva\n\nPort\n: 8443\n") == (set(), set())


@pytest.mark.parametrize(
    "listed",
    ["\n  - Ana Silva\n  - Bo Nash", " [Ana Silva, Bo Nash]", ' ["Ana Silva", "Bo Nash"]', " Ana Silva, Bo Nash"],
)
def test_a_list_in_front_matter_is_that_label_of_the_text(listed: str) -> None:
    text = f"---\ntitle: Planning sync\ndate: 2026-03-02\ntags: [Kafka]\nattendees:{listed}\n---\n\nWe talked.\n"
    triples, values = said("a.md", text)
    assert triples == {("Planning sync", "attended_by", name) for name in ("Ana Silva", "Bo Nash")}
    assert values == set()
