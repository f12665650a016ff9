from typing import Any

import pytest
from reason_stories import day, relate

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import When
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.reason.impact import Impact, ImpactQuery, trace_impact
from mcp_graphrag.resolve.ontology import Ontology, PredicateRule, Signature
from mcp_graphrag.resolve.vocabulary_files import default_ontology


def impact(pipeline: Pipeline, entity: str, ontology: Ontology | None = None, **more: Any) -> Impact:
    known = ontology or default_ontology()
    return trace_impact(pipeline.store, pipeline.embedder, known, ImpactQuery(entity, **more))


def levels(found: Impact) -> dict[str, int]:
    return {each.entity.name: each.level for each in found.affected}


def test_all_that_depends_on_a_thing_is_found_by_level(pipeline: Pipeline) -> None:
    relate(pipeline, "Auth depends_on Store", "Gate calls Auth", "Page depends_on Gate", "Auth depends_on Cache")
    found = impact(pipeline, "store")
    assert levels(found) == {"Auth": 1, "Gate": 2, "Page": 3}
    assert (found.levels, found.total) == ([1, 1, 1], 3)
    assert [(one.subject, forward) for one, forward in found.affected[-1].path] == [
        ("Auth", False),
        ("Gate", False),
        ("Page", False),
    ]


def test_the_reason_is_a_shortest_one_and_of_those_the_surest(pipeline: Pipeline) -> None:
    relate(pipeline, "A depends_on X", "C depends_on A", confidence=0.5)
    relate(pipeline, "B depends_on X", "C depends_on B", "D depends_on C", "D depends_on X", quote="so it is")
    found = {each.entity.name: each for each in impact(pipeline, "X").affected}
    assert [one.subject for one, _ in found["C"].path] == ["B", "C"]
    assert [one.subject for one, _ in found["D"].path] == ["D"]
    assert found["D"].path[0][0].evidence[0].quote == "so it is"


def test_what_goes_round_in_a_circle_is_counted_once_and_the_start_never(pipeline: Pipeline) -> None:
    relate(pipeline, "A depends_on B", "B depends_on C", "C depends_on A", "A depends_on A")
    assert levels(impact(pipeline, "A")) == {"C": 1, "B": 2}


def test_predicates_that_are_no_dependencies_are_not_followed(pipeline: Pipeline) -> None:
    relate(pipeline, "Auth owned_by Team", "Auth related_to Team")
    found = impact(pipeline, "Team")
    assert (found.affected, found.levels, found.total) == ([], [], 0)


def test_given_predicates_are_followed_from_object_to_subject_and_their_inverses_back(pipeline: Pipeline) -> None:
    relate(pipeline, "Auth owned_by Team", "Team owns Store", "Ann member_of Team")
    found = impact(pipeline, "Team", predicates=["OWNED_BY"])
    assert levels(found) == {"Auth": 1, "Store": 1}
    assert found.predicates == ["owned_by", "owns"]
    assert {each.entity.name: each.path[0][1] for each in found.affected} == {"Auth": False, "Store": True}


def test_a_symmetric_predicate_is_followed_both_ways(pipeline: Pipeline) -> None:
    relate(pipeline, "A similar_to B", "C similar_to B")
    assert levels(impact(pipeline, "A", predicates=["similar_to"])) == {"B": 1, "C": 2}


def test_an_inverse_that_may_mean_something_else_is_not_followed(pipeline: Pipeline) -> None:
    relate(pipeline, "Run in_session Monday", "Monday contains Walk")
    assert levels(impact(pipeline, "Monday", predicates=["in_session"])) == {"Run": 1}


def test_a_verb_is_followed_as_it_reads_however_it_is_stored(pipeline: Pipeline) -> None:
    relate(pipeline, "Book authored_by Ann")
    assert levels(impact(pipeline, "Ann", predicates=["authored_by"])) == {"Book": 1}
    assert levels(impact(pipeline, "Book", predicates=["wrote"])) == {"Ann": 1}


def test_dependencies_come_from_the_ontology(pipeline: Pipeline) -> None:
    relate(pipeline, "Pump feeds_on River", "River waters Field", "A depends_on River")
    own = Ontology(
        {},
        {
            "feeds_on": PredicateRule("feeds_on", dependency=True),
            "watered_by": PredicateRule("watered_by", signatures=(Signature(inverse="waters"),), dependency=True),
        },
    )
    assert levels(impact(pipeline, "River", own)) == {"Pump": 1, "Field": 1}


def test_depth_and_limit_bound_what_is_shown_but_not_what_is_counted(pipeline: Pipeline) -> None:
    relate(pipeline, *(f"N{number + 1} depends_on N{number}" for number in range(6)))
    found = impact(pipeline, "N0", max_depth=4, limit=2)
    assert levels(found) == {"N1": 1, "N2": 2}
    assert found.total == 4


def test_impact_knows_world_time(pipeline: Pipeline) -> None:
    relate(pipeline, "A depends_on X", valid_to=day("2020-01-01"))
    relate(pipeline, "B depends_on X", valid_from=day("2020-01-01"))
    assert levels(impact(pipeline, "X", when=When(as_of=day("2019-01-01")))) == {"A": 1}
    assert levels(impact(pipeline, "X", when=When(as_of=day("2020-01-01")))) == {"B": 1}


def test_unknown_names_and_bad_limits_are_refused(pipeline: Pipeline) -> None:
    relate(pipeline, "A depends_on B")
    with pytest.raises(UnknownName, match="No entity named 'Nothing'"):
        impact(pipeline, "Nothing")
    with pytest.raises(UnknownName, match="No predicate named 'xyzzied'"):
        impact(pipeline, "B", predicates=["xyzzied"])
    with pytest.raises(BadInput, match="max_depth is 0"):
        impact(pipeline, "B", max_depth=0)
