"""Lists of conflicts: pages, dates, and the more trusted side."""

from datetime import datetime

from conflict_helpers import add, conflicts, read, triple, with_ontology

from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.find_entities import link_name
from mcp_graphrag.model import When
from mcp_graphrag.resolve.list_conflicts import list_conflicts


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


def test_the_side_with_the_more_trusted_source_is_preferred_and_its_best_source_counts(graph: Graph) -> None:
    texts = ("Mill owned_by Blue", "memo"), ("Mill owned_by Red", "wiki"), ("Dam owned_by Blue", "chat")
    more = ("Dam owned_by Red", "mail"), ("Mill owned_by Red", "mail"), ("Mill owned_by Red", "chat")
    graph.add_triples([triple(text, source=source) for text, source in texts + more])

    for precedence, preferred in [
        (["wiki", "x", "mail"], ["other", "other"]),
        (["memo", "x", "mail"], ["triple", "other"]),
        (["mail", "memo"], ["other", "other"]),
        (["x", "chat", "memo"], ["other", "triple"]),
        (["memo", "chat", "memo"], ["triple", "triple"]),
        (["WIKI", "memo"], ["other", ""]),
        (["x", "y"], ["", ""]),
        ([], ["", ""]),
    ]:
        assert [conflict.preferred for conflict in conflicts(graph, precedence=precedence)] == preferred, precedence


def test_a_triple_that_violates_its_types_is_never_preferred(graph: Graph) -> None:
    with_ontology(graph)
    candidates = [triple("Ann runs_on Mill", {"Ann": "Person", "Mill": "Service"}, source="memo")]
    graph.add_triples([*candidates, *(triple(f"Mill owned_by {team}", source="memo") for team in ("Blue", "Red"))])

    found = conflicts(graph, precedence=["memo"])

    assert [(conflict.kind, conflict.preferred) for conflict in found] == [("type", ""), ("functional", "")]


def test_conflicts_about_an_entity_are_those_of_either_end_of_either_triple(graph: Graph) -> None:
    with_ontology(graph)
    add(graph, "Ann runs_on Mill", Ann="Person", Mill="Service")
    add(graph, "Mill owned_by Blue", "Mill owned_by Red", "Dam owned_by Blue", "Dam owned_by White")
    with graph.reading() as snapshot:
        found = {
            name: [conflict.triple.subject for conflict in list_conflicts(snapshot, about=ids).conflicts]
            for name in ("Ann", "Mill", "Red", "Blue", "Dam", "White")
            for ids in [{head.id for head in link_name(snapshot, name).entities}]
        }

    assert found == {
        "Ann": ["Ann"],
        "Mill": ["Ann", "Mill"],
        "Red": ["Mill"],
        "Blue": ["Mill", "Dam"],
        "Dam": ["Dam"],
        "White": ["Dam"],
    }
