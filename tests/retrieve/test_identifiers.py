"""Which words of a question are identifiers, and which of them no hit has."""

import pytest
from retrieve_stories import ask, read

from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.retrieve.identifiers import identifiers


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("Is CVE-2015-7995, or cve-2015-1, in E618?", ["CVE-2015-7995", "cve-2015-1", "E618"]),
        ("what sets AUTH_TOKEN for xsltParse's _start", ["AUTH_TOKEN", "xsltParse", "_start"]),
        ("GPT-4-based tools, HTTPServer and main2.py", ["GPT-4", "HTTPServer", "main2.py"]),
        ("E618 E618", ["E618"]),
        ("What did the WHO say in 2015, on the 3rd, post-2015 or in the mid-1990s of APIs, UTF and 10GB?", []),
        ("第3章は E618の話", []),
        ("", []),
    ],
)
def test_identifiers_are_words_with_a_digit_an_underscore_or_capitals_inside(query: str, named: list[str]) -> None:
    assert list(identifiers(query)) == named


def test_a_search_says_which_identifiers_no_hit_has_as_they_stand(pipeline: Pipeline) -> None:
    read(pipeline, "memory://libxslt", "CVE-2015-799 and CVE-2016-1683 concern libxslt; auth token, xsltparse.")

    def told(query: str) -> list[str]:
        notes = ask(pipeline, query, mode="keyword").notes
        return [note for note in notes if note.startswith("No passage shown has")]

    assert told("CVE-2015-7995") == ["No passage shown has 'CVE-2015-7995' as it stands."]
    assert told("AUTH_TOKEN X1 X2 cve") == ["No passage shown has 'AUTH_TOKEN' or 'X1' as they stand."]
    assert told("CVE-2016-1683 xsltParse") == told("libxslt") == []
