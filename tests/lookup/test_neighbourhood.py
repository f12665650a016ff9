import numpy as np
import pytest
from search_helpers import TEST, neighbourhood_of, relate

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.neighbourhood import Neighbourhood
from mcp_graphrag.store.rows.entity_rows import NewEntity, add_entities
from mcp_graphrag.store.rows.triple_rows import TripleRows, add_predicates, add_triples

HUB = 20_000


@pytest.fixture
def chain(graph: Graph) -> Graph:
    """Web → Checkout → Redis → Linux, with an owner of Checkout and one of Redis."""
    relate(
        graph,
        "Web calls Checkout",
        "Checkout uses Redis",
        "Redis boots Linux",
        "Ann owns Checkout",
        "Bob owns Redis",
        types={"Ann": "Person", "Bob": "Person", "Checkout": "Service", "Web": "Service"},
    )
    return graph


def _triples_by_hop(neighbourhood: Neighbourhood) -> set[tuple[int, str]]:
    return {
        (neighbour.hop, f"{neighbour.triple.subject} {neighbour.triple.predicate} {neighbour.triple.object}")
        for neighbour in neighbourhood.neighbours
    }


def test_triples_come_with_their_hop_from_the_start(chain: Graph) -> None:
    one = {(1, "Web calls Checkout"), (1, "Checkout uses Redis"), (1, "Ann owns Checkout")}
    two = {(2, "Redis boots Linux"), (2, "Bob owns Redis")}

    assert _triples_by_hop(neighbourhood_of(chain, "Checkout", hops=1)) == one
    assert _triples_by_hop(neighbourhood_of(chain, "checkout")) == one | two
    assert [neighbour.hop for neighbour in neighbourhood_of(chain, "Checkout").neighbours] == [1, 1, 1, 2, 2]


def test_a_direction_is_kept_on_every_hop(chain: Graph) -> None:
    assert _triples_by_hop(neighbourhood_of(chain, "Checkout", direction="out")) == {
        (1, "Checkout uses Redis"),
        (2, "Redis boots Linux"),
    }
    assert _triples_by_hop(neighbourhood_of(chain, "Redis", direction="in")) == {
        (1, "Checkout uses Redis"),
        (1, "Bob owns Redis"),
        (2, "Web calls Checkout"),
        (2, "Ann owns Checkout"),
    }


def test_predicates_decide_what_is_walked_and_types_only_what_is_shown(chain: Graph) -> None:
    assert _triples_by_hop(neighbourhood_of(chain, "Web", predicates=["calls", "OWNS"], hops=4)) == {
        (1, "Web calls Checkout"),
        (2, "Ann owns Checkout"),
    }
    shown = neighbourhood_of(chain, "Web", subject_type="person", hops=3)
    assert (_triples_by_hop(shown), shown.total) == ({(2, "Ann owns Checkout"), (3, "Bob owns Redis")}, 2)
    assert _triples_by_hop(neighbourhood_of(chain, "Web", subject_type="Person", object_type="Service", hops=3)) == {
        (2, "Ann owns Checkout")
    }


def test_a_path_leads_from_the_start_to_each_triple(chain: Graph) -> None:
    (bob,) = neighbourhood_of(chain, "Linux", subject_type="Person", direction="both", limit=1).neighbours

    assert [(step.subject, step.predicate, step.object, forward) for step, forward in bob.path] == [
        ("Redis", "boots", "Linux", False),
        ("Bob", "owns", "Redis", False),
    ]
    assert bob.path[-1][0] == bob.triple


def test_within_a_hop_the_most_confident_triples_come_first(graph: Graph) -> None:
    for name, confidence in (("A", 0.25), ("B", 0.75), ("C", 0.5)):
        relate(graph, f"Hub uses {name}", confidence=confidence)

    assert [neighbour.triple.object for neighbour in neighbourhood_of(graph, "Hub").neighbours] == ["B", "C", "A"]


def test_entities_of_one_name_are_walked_together(graph: Graph) -> None:
    relate(graph, "Mercury orbits Sun", types={"Mercury": "Planet"})
    relate(graph, "Mercury is_a Metal", types={"Mercury": "Element"})

    answer = neighbourhood_of(graph, "Mercury", hops=1)

    assert _triples_by_hop(answer) == {(1, "Mercury orbits Sun"), (1, "Mercury is_a Metal")}
    assert (list(answer.start), answer.matched) == (["Mercury", "Mercury"], "exact")


def test_a_cycle_and_a_loop_are_walked_once(graph: Graph) -> None:
    relate(graph, "A to B", "B to C", "C to A", "A to A")

    assert _triples_by_hop(neighbourhood_of(graph, "A", hops=4)) == {
        (1, "A to B"),
        (1, "C to A"),
        (1, "A to A"),
        (2, "B to C"),
    }


def test_a_neighbourhood_follows_what_is_added(chain: Graph) -> None:
    neighbourhood_of(chain, "Linux")
    relate(chain, "Linux loves C")

    assert (1, "Linux loves C") in _triples_by_hop(neighbourhood_of(chain, "Linux", hops=1))
    assert _triples_by_hop(neighbourhood_of(chain, "C", hops=1)) == {(1, "Linux loves C")}


@pytest.mark.parametrize("hops", [0, -1, 5])
def test_hops_out_of_range_are_refused(chain: Graph, hops: int) -> None:
    with pytest.raises(BadInput, match="from 1 to 4"):
        neighbourhood_of(chain, "Web", hops=hops)


def test_an_unknown_entity_predicate_or_type_answers_with_the_nearest(chain: Graph) -> None:
    for asked, nearest in [
        ({"entity": "Kubernetes"}, ()),
        ({"entity": "Web", "predicates": ["calls", "usees"]}, ("uses",)),
        ({"entity": "Web", "object_type": "Servise"}, ("Service",)),
    ]:
        with pytest.raises(UnknownName) as caught:
            neighbourhood_of(chain, **asked)  # pyright: ignore[reportArgumentType]  (a table of arguments)
        assert caught.value.nearest[: len(nearest)] == nearest


def test_an_empty_graph_has_no_start(graph: Graph) -> None:
    with pytest.raises(UnknownName, match="No entity named 'Web'"):
        neighbourhood_of(graph, "Web")


def test_a_hub_of_20_000_neighbours_is_counted_and_shown_up_to_the_limit(graph: Graph) -> None:
    with graph.writing(TEST) as write:
        names = ["Hub", *(f"E{number}" for number in range(HUB))]
        ids = add_entities(write.tx, [NewEntity(name, name.lower(), "", "") for name in names])
        uses = add_predicates(write.tx, ["uses"])["uses"]
        rows = TripleRows(np.full(HUB, ids[0]), np.full(HUB, uses), ids[1:], [1.0] * HUB)
        add_triples(write.tx, rows, "agent")

    hub, spoke = neighbourhood_of(graph, "Hub", limit=25), neighbourhood_of(graph, "E7", limit=25)

    assert (len(hub.neighbours), hub.total, hub.cut) == (25, HUB, False)
    assert (len(spoke.neighbours), spoke.total, spoke.neighbours[0].hop) == (25, HUB, 1)
