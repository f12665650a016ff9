"""A triple may say that something is not so: it contradicts its positive, is shown with it, and connects nothing."""

import pytest
from reason_helpers import relate

from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import Candidate, Origin
from mcp_graphrag.reason.find_paths import PathQuery


@pytest.mark.parametrize("predicate", ["not_uses", "does_not_use", "not_use"])
def test_a_denied_triple_decides_claims(graph: Graph, predicate: str) -> None:
    relate(graph, f"Quay {predicate} Redis")

    assert graph.check_claim("Quay uses Redis.").verdict == "contradicted"
    assert graph.check_claim("Quay does not use Redis.").verdict == "supported"
    assert [reason.why for reason in graph.check_claim("Quay uses Redis.").claims[0].contradicting] == ["denied"]


def test_a_denial_of_the_broader_predicate_contradicts_and_of_the_narrower_does_not(graph: Graph) -> None:
    graph.add_ontology("needs", {"predicates": {"requires": {"broader": ["depends_on"]}}})
    relate(graph, "Quay not_depends_on Redis", "Pier not_requires Redis")

    assert graph.check_claim("Quay requires Redis.").verdict == "contradicted"
    assert graph.check_claim("Pier depends on Redis.").verdict == "unknown"


def test_it_is_listed_with_its_positive_and_both_are_a_conflict(graph: Graph) -> None:
    relate(graph, "Quay uses Redis")
    denied = [Candidate("Quay", "not_uses", "Redis"), Candidate("Pier", "uses", "Redis")]
    stored = graph.add_triples(denied, origin=Origin("test"))

    listed = graph.query_triples(TripleQuery(predicate="uses", infer=False)).triples

    assert [(one.subject, one.predicate) for one in listed] == [
        ("Quay", "uses"),
        ("Quay", "not_uses"),
        ("Pier", "uses"),
    ]
    assert stored.conflicts.count == 1


def test_it_connects_nothing(graph: Graph) -> None:
    relate(graph, "Quay not_depends_on Redis", "Redis depends_on Host", "Pier depends_on Redis")

    assert graph.find_paths(PathQuery("Quay", "Host")).paths == []
    assert [each.entity.name for each in graph.trace_impact("Host").affected] == ["Redis", "Pier"]
    around = graph.neighbourhood(NeighbourhoodQuery("Quay", hops=3)).neighbours
    assert [each.triple.predicate for each in around] == ["not_depends_on"]
