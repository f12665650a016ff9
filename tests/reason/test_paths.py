from typing import Any

import pytest
from reason_helpers import day, read, relate

from mcp_graphrag.edit.edit_entities import EntityInput
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import NOW, Origin, When
from mcp_graphrag.reason.find_paths import FoundPath, PathQuery, Paths
from mcp_graphrag.store.engine.transaction import now


def paths(graph: Graph, source: str, target: str, *, when: When = NOW, **more: Any) -> Paths:
    return graph.find_paths(PathQuery(source, target, **more), when)


def in_words(found: Paths) -> list[str]:
    return [" ".join(_words(path)) for path in found.paths]


def _words(path: FoundPath) -> list[str]:
    return [
        f"{one.subject}>{one.predicate}>{one.object}" if forward else f"{one.object}<{one.predicate}<{one.subject}"
        for one, forward in path.hops
    ]


def test_paths_come_shortest_first_then_most_confident_first(graph: Graph) -> None:
    relate(graph, "A uses B", "B uses D", confidence=0.5)
    relate(graph, "A uses C", "C uses D", "C uses E", "E uses D")
    found = paths(graph, "A", "D")
    assert in_words(found) == ["A>uses>C C>uses>D", "A>uses>B B>uses>D", "A>uses>C C>uses>E E>uses>D"]
    assert [path.confidence for path in found.paths] == [1.0, 0.25, 1.0]


def test_a_hop_is_the_most_confident_triple_between_its_entities_with_evidence(graph: Graph) -> None:
    relate(graph, "A uses B", confidence=0.5)
    relate(graph, "B owns A", quote="B has A", source="mail", confidence=0.9)
    found = paths(graph, "A", "B")
    assert in_words(found) == ["A<owns<B"]
    (evidence,) = found.paths[0].hops[0][0].evidence
    assert (evidence.quote, evidence.source) == ("B has A", "mail")


def test_a_directed_path_goes_from_subject_to_object_only(graph: Graph) -> None:
    relate(graph, "A uses B", "C uses B", "A uses D", "D uses E", "E uses C")
    assert in_words(paths(graph, "A", "C", k=1)) == ["A>uses>B B<uses<C"]
    assert in_words(paths(graph, "A", "C", directed=True)) == ["A>uses>D D>uses>E E>uses>C"]
    assert in_words(paths(graph, "C", "A", directed=True)) == []


def test_only_the_named_predicates_are_walked(graph: Graph) -> None:
    relate(graph, "A uses B", "A owns C", "C owns B")
    assert in_words(paths(graph, "A", "B", predicates=["OWNS"])) == ["A>owns>C C>owns>B"]


def test_there_may_be_no_path_within_max_hops(graph: Graph) -> None:
    relate(graph, "A uses B", "B uses C", "X uses Y")
    assert paths(graph, "A", "C", max_hops=1).paths == []
    assert paths(graph, "A", "Y", max_hops=8).paths == []


def test_paths_start_from_every_entity_of_a_name(graph: Graph) -> None:
    relate(graph, "Mercury orbits Sun", types={"Mercury": "Planet"})
    relate(graph, "Mercury fills Thermometer", types={"Mercury": "Element"})
    assert in_words(paths(graph, "Mercury", "Thermometer")) == ["Mercury>fills>Thermometer"]
    assert in_words(paths(graph, "Sun", "Mercury")) == ["Sun<orbits<Mercury"]


def test_paths_obey_world_time_and_knowledge_time(graph: Graph) -> None:
    relate(graph, "A uses B", valid_from=day("2020-01-01"), valid_to=day("2021-01-01"))
    before = now()
    relate(graph, "A uses C", "C uses B")

    def asked(when: When) -> list[str]:
        return in_words(paths(graph, "A", "B", k=1, when=when))

    assert asked(When(as_of=day("2020-06-01"))) == ["A>uses>B"]
    assert asked(When(as_of=day("2022-01-01"))) == ["A>uses>C C>uses>B"]
    assert asked(When(as_of=day("2022-01-01"), known_at=before)) == []
    assert asked(When(known_at=before)) == ["A>uses>B"]


def test_a_path_from_an_entity_to_itself_is_refused_with_a_hint(graph: Graph) -> None:
    relate(graph, "Ferry_Service uses B")
    with pytest.raises(BadInput, match=r"'Ferry Service' and 'the ferry service' are the same entity, Ferry Service\."):
        paths(graph, "Ferry Service", "the ferry service")


def test_an_unknown_end_is_refused_with_the_nearest_names(graph: Graph) -> None:
    relate(graph, "Ferry_Service uses Tide_Database")
    with pytest.raises(UnknownName) as raised:
        paths(graph, "Ferry Service", "Tide Datums")
    assert raised.value.nearest[0] == "Tide Database"
    with pytest.raises(UnknownName, match="No predicate named 'ussses'"):
        paths(graph, "Ferry Service", "Tide Database", predicates=["ussses"])


@pytest.mark.parametrize(
    ("more", "message"), [({"max_hops": 9}, "max_hops is 9"), ({"k": 0}, "k is 0"), ({"k": 21}, "21")]
)
def test_limits_out_of_range_are_refused(graph: Graph, more: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        paths(graph, "A", "B", **more)


def test_by_default_the_three_best_paths_of_up_to_four_hops_are_found(graph: Graph) -> None:
    relate(graph, *(f"N{number} uses N{number + 1}" for number in range(8)))
    relate(graph, *(f"{end} uses M{number}" for number in range(4) for end in ("A", "B")))
    assert [len(path.hops) for path in paths(graph, "N0", "N4").paths] == [4]
    assert paths(graph, "N0", "N5").paths == []
    assert [len(path.hops) for path in paths(graph, "N0", "N8", max_hops=8).paths] == [8]
    assert in_words(paths(graph, "A", "B")) == [f"A>uses>M{number} M{number}<uses<B" for number in range(3)]
    assert len(paths(graph, "A", "B", k=20).paths) == 4
    with pytest.raises(BadInput, match="max_hops is 0"):
        paths(graph, "A", "B", max_hops=0)


def test_the_chunks_of_the_evidence_are_included_if_asked_for(graph: Graph) -> None:
    read(graph, "note:a", "The Ferry Service is owned by the Harbour Team.")
    assert paths(graph, "Ferry Service", "Harbour Team").chunk_texts == {}
    ((citation, text),) = paths(graph, "Ferry Service", "Harbour Team", include_chunks=True).chunk_texts.items()
    assert citation.startswith("note:a#chunk:0-47@")
    assert text == "The Ferry Service is owned by the Harbour Team."


def test_a_name_without_triples_is_said_to_have_none(graph: Graph) -> None:
    relate(graph, "Shop uses Vault", "Club uses Till")
    graph.add_entities([EntityInput("Kiosk")], origin=Origin("test"))
    alone = [graph.find_paths(PathQuery("Shop", target)).alone for target in ("Kiosk", "Club")]
    assert alone == [["Kiosk"], []]


def test_a_telling_chain_comes_before_a_shorter_one_through_a_hub(graph: Graph) -> None:
    relate(graph, *(f"App{number} is_a Application" for number in range(40)))
    relate(graph, *(f"App{number} runs_on Host" for number in range(40)))
    relate(graph, "App1 calls Queue", "Queue feeds Worker", "Worker calls App2")

    found = in_words(paths(graph, "App1", "App2", k=3))

    assert found[0] == "App1>calls>Queue Queue>feeds>Worker Worker>calls>App2"
    assert sorted(found[1:]) == ["App1>is_a>Application Application<is_a<App2", "App1>runs_on>Host Host<runs_on<App2"]


def test_an_end_that_is_a_hub_and_a_predicate_that_is_asked_for_are_followed(graph: Graph) -> None:
    relate(graph, *(f"App{number} runs_on Host" for number in range(40)), "App1 is_a Tool", "App2 is_a Tool")

    assert in_words(paths(graph, "App1", "Host", k=1)) == ["App1>runs_on>Host"]
    assert in_words(paths(graph, "App1", "App2", k=1, predicates=["is_a"])) == ["App1>is_a>Tool Tool<is_a<App2"]
