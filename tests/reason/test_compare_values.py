"""Values compared: versions as versions, amounts in one currency, numbers where both are plain."""

import pytest

from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate
from mcp_graphrag.reason.questions.compare_values import order


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("$3,400 million", "$3.5 billion", "less"),
        ("€3,500 million", "$3,500 million", "unknown"),
        ("3.4 billion", "$3,500 million", "unknown"),
        ("3.4 billion francs", "$3,500 million", "unknown"),
        ("1.10.0", "1.9.3", "greater"),
        ("v2", "v10", "less"),
        ("3.10", "3.9", "less"),  # a number, as nothing says that it is a version
        ("40 MB", "12 GB", "unknown"),
    ],
)
def test_values_compare_only_as_what_both_are(first: str, second: str, expected: str) -> None:
    assert order(first, second) == expected


@pytest.mark.parametrize(("first", "second", "expected"), [("3.10", "3.9", "greater"), ("3.1", "3.1.4", "unknown")])
def test_versions_compare_part_by_part(first: str, second: str, expected: str) -> None:
    assert order(first, second, versions=True) == expected


def test_a_question_for_the_higher_version_compares_versions(graph: Graph) -> None:
    graph.add_triples([Candidate("Atlas", "version", "3.10"), Candidate("Orion", "version", "3.9")])
    assert graph.plan_question("Which has the higher version, Atlas or Orion?").answer == ["Atlas"]


def test_a_year_is_no_answer_to_who(graph: Graph) -> None:
    graph.add_triples([Candidate("Acme", "founded by", "Ann Lee"), Candidate("Acme", "founded by", "2004")])
    assert graph.plan_question("Who founded Acme?").answer == ["Ann Lee"]
    assert graph.plan_question("Who is the founder of Acme?").answer == ["Ann Lee"]
