"""Lists of conflicts: pages, dates, and the more trusted side."""

from datetime import datetime

import pytest
from conflict_helpers import add, conflicts, read, triple

from mcp_graphrag.graph import Graph
from mcp_graphrag.model import When
from mcp_graphrag.resolve.list_conflicts import list_conflicts


@pytest.mark.parametrize(
    ("precedence", "preferred"),
    [((), ""), (("wiki",), "other"), (("WIKI", "memo"), "other"), (("memo", "wiki"), "triple"), (("mail",), "")],
)
def test_the_more_trusted_source_is_preferred(graph: Graph, precedence: tuple[str, ...], preferred: str) -> None:
    sides = [triple("Mill owned_by Blue", source="memo"), triple("Mill owned_by Red", source="wiki")]
    graph.add_triples(sides)
    assert [conflict.preferred for conflict in conflicts(graph, precedence=precedence)] == [preferred]


def test_a_document_is_trusted_by_its_title_or_uri(graph: Graph) -> None:
    read(graph, "u:1", "The Mill Service is owned by the Blue Team.", "Catalogue")
    read(graph, "u:2", "The Mill Service is owned by the Red Team.", "Audit")
    assert [conflict.preferred for conflict in conflicts(graph, precedence=["audit"])] == ["other"]
    assert [conflict.preferred for conflict in conflicts(graph, precedence=["u:1", "audit"])] == ["triple"]


def test_conflicts_are_listed_page_by_page(graph: Graph) -> None:
    add(graph, *(f"Mill_{number} owned_by {team}" for number in range(5) for team in ("Blue", "Red")))
    with graph.reading() as snapshot:
        first = list_conflicts(snapshot, limit=3)
        rest = list_conflicts(snapshot, limit=3, after=first.conflicts[-1].id)
    assert [len(first.conflicts), len(rest.conflicts), first.total, rest.total] == [3, 2, 5, 5]


def test_conflicts_at_a_date_are_those_whose_triples_held_then(graph: Graph) -> None:
    add(graph, "Mill owned_by Blue", "Mill owned_by Red", "Dam owned_by Blue to 2021", "Dam owned_by Red to 2022")
    for year, subjects in ((2020, ["Mill", "Dam"]), (2023, ["Mill"])):
        when = When(as_of=datetime(year, 1, 1))  # noqa: DTZ001
        assert [conflict.triple.subject for conflict in conflicts(graph, when)] == subjects
