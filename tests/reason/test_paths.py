from typing import Any

import pytest
from reason_stories import day, relate

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import When
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.reason.paths import FoundPath, PathQuery, Paths, find_paths
from mcp_graphrag.store.transaction import now


def paths(pipeline: Pipeline, source: str, target: str, **more: Any) -> Paths:
    return find_paths(pipeline.store, pipeline.embedder, PathQuery(source, target, **more))


def said(found: Paths) -> list[str]:
    return [" ".join(_words(each)) for each in found.paths]


def _words(path: FoundPath) -> list[str]:
    return [
        f"{one.subject}>{one.predicate}>{one.object}" if forward else f"{one.object}<{one.predicate}<{one.subject}"
        for one, forward in path.hops
    ]


def test_paths_come_shortest_first_then_surest_first(pipeline: Pipeline) -> None:
    relate(pipeline, "A uses B", "B uses D", confidence=0.5)
    relate(pipeline, "A uses C", "C uses D", "C uses E", "E uses D")
    found = paths(pipeline, "A", "D")
    assert said(found) == ["A>uses>C C>uses>D", "A>uses>B B>uses>D", "A>uses>C C>uses>E E>uses>D"]
    assert [each.confidence for each in found.paths] == [1.0, 0.25, 1.0]


def test_a_hop_is_the_surest_triple_between_its_two_entities_with_evidence(pipeline: Pipeline) -> None:
    relate(pipeline, "A uses B", confidence=0.5)
    relate(pipeline, "B owns A", quote="B has A", source="mail", confidence=0.9)
    found = paths(pipeline, "A", "B")
    assert said(found) == ["A<owns<B"]
    (evidence,) = found.paths[0].hops[0][0].evidence
    assert (evidence.quote, evidence.source) == ("B has A", "mail")


def test_a_directed_path_goes_from_subject_to_object_only(pipeline: Pipeline) -> None:
    relate(pipeline, "A uses B", "C uses B", "A uses D", "D uses E", "E uses C")
    assert said(paths(pipeline, "A", "C", k=1)) == ["A>uses>B B<uses<C"]
    assert said(paths(pipeline, "A", "C", directed=True)) == ["A>uses>D D>uses>E E>uses>C"]
    assert said(paths(pipeline, "C", "A", directed=True)) == []


def test_only_the_named_predicates_are_walked(pipeline: Pipeline) -> None:
    relate(pipeline, "A uses B", "A owns C", "C owns B")
    assert said(paths(pipeline, "A", "B", predicates=["OWNS"])) == ["A>owns>C C>owns>B"]


def test_no_path_within_so_many_hops_is_an_answer(pipeline: Pipeline) -> None:
    relate(pipeline, "A uses B", "B uses C", "X uses Y")
    assert paths(pipeline, "A", "C", max_hops=1).paths == []
    assert paths(pipeline, "A", "Y", max_hops=8).paths == []


def test_paths_start_from_every_bearer_of_a_name(pipeline: Pipeline) -> None:
    relate(pipeline, "Mercury orbits Sun", types={"Mercury": "Planet"})
    relate(pipeline, "Mercury fills Thermometer", types={"Mercury": "Element"})
    assert said(paths(pipeline, "Mercury", "Thermometer")) == ["Mercury>fills>Thermometer"]
    assert said(paths(pipeline, "Sun", "Mercury")) == ["Sun<orbits<Mercury"]


def test_paths_know_both_times(pipeline: Pipeline) -> None:
    relate(pipeline, "A uses B", valid_from=day("2020-01-01"), valid_to=day("2021-01-01"))
    before = now()
    relate(pipeline, "A uses C", "C uses B")

    def asked(when: When) -> list[str]:
        return said(paths(pipeline, "A", "B", k=1, when=when))

    assert asked(When(as_of=day("2020-06-01"))) == ["A>uses>B"]
    assert asked(When(as_of=day("2022-01-01"))) == ["A>uses>C C>uses>B"]
    assert asked(When(as_of=day("2022-01-01"), known_at=before)) == []
    assert asked(When(known_at=before)) == ["A>uses>B"]


def test_a_path_from_a_thing_to_itself_is_refused_with_the_next_step(pipeline: Pipeline) -> None:
    relate(pipeline, "Ferry_Service uses B")
    with pytest.raises(BadInput, match=r"'Ferry Service' and 'the ferry service' are the same entity, Ferry Service\."):
        paths(pipeline, "Ferry Service", "the ferry service")


def test_an_unknown_end_is_refused_with_the_nearest_names(pipeline: Pipeline) -> None:
    relate(pipeline, "Ferry_Service uses Tide_Database")
    with pytest.raises(UnknownName) as raised:
        paths(pipeline, "Ferry Service", "Tide Datums")
    assert raised.value.nearest[0] == "Tide Database"
    with pytest.raises(UnknownName, match="No predicate named 'ussses'"):
        paths(pipeline, "Ferry Service", "Tide Database", predicates=["ussses"])


@pytest.mark.parametrize(
    ("more", "said"), [({"max_hops": 9}, "max_hops is 9"), ({"k": 0}, "k is 0"), ({"k": 21}, "21")]
)
def test_limits_out_of_range_are_refused(pipeline: Pipeline, more: dict[str, int], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        paths(pipeline, "A", "B", **more)
