"""Which words of a question are identifiers, and which of them no hit has."""

import pytest
from search_helpers import ask, ingest_documents, ingest_text

from mcp_graphrag.edit.inputs import TextInput, text_document
from mcp_graphrag.graph import Graph
from mcp_graphrag.search.quoted_identifiers import identifiers


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("Is CVE-2015-7995, or cve-2015-1, in E618?", ["CVE-2015-7995", "cve-2015-1", "E618"]),
        ("what sets AUTH_TOKEN for xsltParse's _start", ["AUTH_TOKEN", "xsltParse", "_start"]),
        ("GPT-4-based tools, HTTPServer and main2.py", ["GPT-4", "HTTPServer", "main2.py"]),
        ("E618 E618", ["E618"]),
        ("What did the WHO say in 2015, on the 3rd, post-2015 or in the mid-1990s of APIs, UTF and 10GB?", []),
        (f"{'a1' * 40} {'a1' * 40}b post-2015-era", ["a1" * 40]),
        ("第3章は E618の話", []),
        ("", []),
    ],
)
def test_identifiers_are_words_with_a_digit_an_underscore_or_capitals_inside(query: str, named: list[str]) -> None:
    assert list(identifiers(query)) == named


def test_a_search_notes_the_identifiers_that_no_hit_has(graph: Graph) -> None:
    ingest_text(graph, "memory://libxslt", "CVE-2015-799 and CVE-2016-1683 concern libxslt; auth token, xsltparse.")

    def note_texts(query: str) -> list[str]:
        notes = ask(graph, query, mode="keyword").notes
        return [note for note in notes if note.startswith("No chunk shown has")]

    assert note_texts("CVE-2015-7995") == ["No chunk shown has 'CVE-2015-7995' in this spelling."]
    assert note_texts("AUTH_TOKEN X1 X2 cve") == ["No chunk shown has 'AUTH_TOKEN' or 'X1' in this spelling."]
    assert note_texts("CVE-2016-1683 xsltParse") == note_texts("libxslt") == []


def test_the_section_of_a_version_comes_first_among_those_of_many(graph: Graph) -> None:
    said = "Changed how {0} reads what 0.{1}.0 wrote. Version 0.{2}.0 will change it again. " * 6
    parts = [f"## 0.{at}.0\n\n{said.format('it', at - 1, at + 1)}\n" for at in range(40, 0, -1)]
    text = "# Changes\n\n" + "\n".join(parts)
    given = TextInput(text, "Changes", uri="changes.md", media_type="text/markdown")
    ingest_documents(graph, text_document(given, max_bytes=graph.max_bytes), extract="auto")

    asked = {version: ask(graph, f"What changed in {version}?").hits[0] for version in ("0.40.0", "v0.15.0", "0.4.0")}

    assert {version: hit.chunk.headings[-1] for version, hit in asked.items()} == {
        "0.40.0": "0.40.0",
        "v0.15.0": "0.15.0",
        "0.4.0": "0.4.0",
    }
