from typing import Any

import pytest
from reason_helpers import day, relate
from search_helpers import changed

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import NOW, Candidate, When
from mcp_graphrag.reason.trace_impact import Impact, ImpactQuery
from mcp_graphrag.store.engine.transaction import now


def impact(graph: Graph, entity: str, *, when: When = NOW, **more: Any) -> Impact:
    return graph.trace_impact(ImpactQuery(entity, **more), when)


def levels(found: Impact) -> dict[str, int]:
    return {item.entity.name: item.level for item in found.affected}


def test_all_dependants_are_found_by_level(graph: Graph) -> None:
    relate(graph, "Auth depends_on Store", "Gate calls Auth", "Page depends_on Gate", "Auth depends_on Cache")
    found = impact(graph, "Store")
    assert levels(found) == {"Auth": 1, "Gate": 2, "Page": 3}
    assert (found.levels, found.total) == ([1, 1, 1], 3)
    assert [(one.subject, forward) for one, forward in found.affected[-1].path] == [
        ("Auth", False),
        ("Gate", False),
        ("Page", False),
    ]


def test_the_path_is_a_shortest_one_and_the_most_confident_of_these(graph: Graph) -> None:
    relate(graph, "A depends_on X", "C depends_on A", confidence=0.5)
    relate(graph, "B depends_on X", "C depends_on B", "D depends_on C", "D depends_on X", quote="so it is")
    found = {item.entity.name: item for item in impact(graph, "X").affected}
    assert [one.subject for one, _ in found["C"].path] == ["B", "C"]
    assert [one.subject for one, _ in found["D"].path] == ["D"]
    assert found["D"].path[0][0].evidence[0].quote == "so it is"


def test_entities_in_a_cycle_are_counted_once_and_the_start_never(graph: Graph) -> None:
    relate(graph, "A depends_on B", "B depends_on C", "C depends_on A", "A depends_on A")
    assert levels(impact(graph, "A")) == {"C": 1, "B": 2}


def test_only_dependencies_are_followed_by_default(graph: Graph) -> None:
    relate(graph, "Auth owned_by Team", "Auth related_to Team")
    found = impact(graph, "Team")
    assert (found.affected, found.levels, found.total) == ([], [], 0)


def test_given_predicates_are_followed_from_object_to_subject_and_their_inverses_back(graph: Graph) -> None:
    relate(graph, "Auth owned_by Team", "Team owns Store", "Ann member_of Team")
    found = impact(graph, "Team", predicates=["OWNED_BY"])
    assert levels(found) == {"Auth": 1, "Store": 1}
    assert found.predicates == ["owned_by", "owns"]
    assert {item.entity.name: item.path[0][1] for item in found.affected} == {"Auth": False, "Store": True}


def test_a_symmetric_predicate_is_followed_both_ways(graph: Graph) -> None:
    relate(graph, "A similar_to B", "C similar_to B")
    assert levels(impact(graph, "A", predicates=["similar_to"])) == {"B": 1, "C": 2}


def test_an_ambiguous_inverse_is_not_followed(graph: Graph) -> None:
    relate(graph, "Run in_session Monday", "Monday contains Walk")
    assert levels(impact(graph, "Monday", predicates=["in_session"])) == {"Run": 1}


def test_a_raw_verb_is_followed_in_its_own_direction(graph: Graph) -> None:
    relate(graph, "Book authored_by Ann")
    assert levels(impact(graph, "Ann", predicates=["authored_by"])) == {"Book": 1}
    assert levels(impact(graph, "Book", predicates=["wrote"])) == {"Ann": 1}


def test_dependencies_come_from_the_ontology(graph: Graph) -> None:
    relate(graph, "Pump feeds_on River", "River waters Field", "A depends_on River")
    own = {"feeds_on": {"dependency": True}, "watered_by": {"inverse": "waters", "dependency": True}}
    graph.add_ontology("waters", {"predicates": own})
    alone = changed(graph, ontology=("waters",))
    assert levels(impact(alone, "River")) == {"Pump": 1, "Field": 1, "A": 1}


def test_the_past_is_traced_by_the_ontology_of_that_time(graph: Graph) -> None:
    relate(graph, "Pump feeds_on River")
    before = now()
    graph.add_ontology("waters", {"predicates": {"feeds_on": {"dependency": True}}})

    assert levels(impact(graph, "River")) == {"Pump": 1}
    assert levels(impact(graph, "River", when=When(known_at=before))) == {}


def test_depth_and_limit_bound_what_is_shown_but_not_what_is_counted(graph: Graph) -> None:
    relate(graph, *(f"N{number + 1} depends_on N{number}" for number in range(6)))
    found = impact(graph, "N0", max_depth=4, limit=2)
    assert levels(found) == {"N1": 1, "N2": 2}
    assert found.total == 4


def test_impact_obeys_world_time(graph: Graph) -> None:
    relate(graph, "A depends_on X", valid_to=day("2020-01-01"))
    relate(graph, "B depends_on X", valid_from=day("2020-01-01"))
    assert levels(impact(graph, "X", when=When(as_of=day("2019-01-01")))) == {"A": 1}
    assert levels(impact(graph, "X", when=When(as_of=day("2020-01-01")))) == {"B": 1}


def test_unknown_names_and_bad_limits_are_refused(graph: Graph) -> None:
    relate(graph, "A depends_on B")
    with pytest.raises(UnknownName, match="No entity named 'Nothing'"):
        impact(graph, "Nothing")
    with pytest.raises(UnknownName, match="No predicate named 'xyzzied'"):
        impact(graph, "B", predicates=["xyzzied"])
    with pytest.raises(BadInput, match="max_depth is 0"):
        impact(graph, "B", max_depth=0)


def test_within_a_level_the_most_confident_come_first_each_with_its_own_path(graph: Graph) -> None:
    for near, far, confidence in (("A", "D", 0.5), ("B", "E", 1.0), ("C", "F", 0.75)):
        relate(graph, f"{near} depends_on X", confidence=confidence)
        relate(graph, f"{far} depends_on {near}", f"{far}2 depends_on {far}", confidence=1.25 - confidence)
    shown = [[one.subject for one, _ in item.path] for item in impact(graph, "X").affected]
    assert shown == [  # 1, 0.75 and 0.5; then by the products 0.375, 0.375 and 0.25, of equals the older
        *(["B"], ["C"], ["A"]),
        *(["A", "D"], ["C", "F"], ["B", "E"]),
        *(["A", "D", "D2"], ["C", "F", "F2"], ["B", "E", "E2"]),
    ]


def test_by_default_ten_levels_are_traced_and_a_hundred_entities_shown(graph: Graph) -> None:
    relate(graph, *(f"N{number + 1} depends_on N{number}" for number in range(12)))
    relate(graph, *(f"L{number} depends_on N0" for number in range(100)))
    found = impact(graph, "N0")
    assert (found.levels, len(found.affected)) == ([101, *[1] * 9], 100)
    with pytest.raises(BadInput, match="limit is 0"):
        impact(graph, "N0", limit=0)
    assert [len(impact(graph, "N0", max_depth=1, limit=1).affected), impact(graph, "N0", max_depth=100).total] == [
        1,
        112,
    ]
    with pytest.raises(BadInput, match="max_depth is 101"):
        impact(graph, "N0", max_depth=101)


@pytest.mark.parametrize(
    "predicate",
    ["depends", "dependencies", "database", "datastore", "runs in", "client of", "hosted by", "relies on"],
)
def test_the_words_of_callers_for_dependencies_are_followed(graph: Graph, predicate: str) -> None:
    graph.add_triples([Candidate("Shop", predicate, "Till")])
    assert levels(impact(graph, "Till")) == {"Shop": 1}


def test_what_is_stored_and_not_followed_is_named(graph: Graph) -> None:
    relate(graph, "Shop depends_on Till", "Shop located_in Till", "Gate located_in Till", "Gate monitors Till")
    assert impact(graph, "Till").others == {"located_in": 2, "monitors": 1}
