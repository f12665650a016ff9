import numpy as np
import pytest
from retrieve_stories import TEST, around, relate

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.retrieve.neighbourhood import Neighbourhood
from mcp_graphrag.store.entities import NewEntity, add_entities
from mcp_graphrag.store.triples import TripleRows, add_predicates, add_triples

HUB = 20_000


@pytest.fixture
def chain(pipeline: Pipeline) -> Pipeline:
    """Web → Checkout → Redis → Linux, with an owner of Checkout and one of Redis."""
    relate(
        pipeline,
        "Web calls Checkout",
        "Checkout uses Redis",
        "Redis boots Linux",
        "Ann owns Checkout",
        "Bob owns Redis",
        types={"Ann": "Person", "Bob": "Person", "Checkout": "Service", "Web": "Service"},
    )
    return pipeline


def _told(neighbourhood: Neighbourhood) -> set[tuple[int, str]]:
    return {
        (each.hop, f"{each.triple.subject} {each.triple.predicate} {each.triple.object}")
        for each in neighbourhood.neighbours
    }


def test_triples_come_with_their_hop_from_the_start(chain: Pipeline) -> None:
    one = {(1, "Web calls Checkout"), (1, "Checkout uses Redis"), (1, "Ann owns Checkout")}
    two = {(2, "Redis boots Linux"), (2, "Bob owns Redis")}

    assert _told(around(chain, "Checkout", hops=1)) == one
    assert _told(around(chain, "checkout")) == one | two
    assert [each.hop for each in around(chain, "Checkout").neighbours] == [1, 1, 1, 2, 2]


def test_a_direction_is_kept_on_every_hop(chain: Pipeline) -> None:
    assert _told(around(chain, "Checkout", direction="out")) == {
        (1, "Checkout uses Redis"),
        (2, "Redis boots Linux"),
    }
    assert _told(around(chain, "Redis", direction="in")) == {
        (1, "Checkout uses Redis"),
        (1, "Bob owns Redis"),
        (2, "Web calls Checkout"),
        (2, "Ann owns Checkout"),
    }


def test_predicates_decide_what_is_walked_and_types_only_what_is_shown(chain: Pipeline) -> None:
    assert _told(around(chain, "Web", predicates=["calls", "OWNS"], hops=4)) == {
        (1, "Web calls Checkout"),
        (2, "Ann owns Checkout"),
    }
    shown = around(chain, "Web", subject_type="person", hops=3)
    assert (_told(shown), shown.total) == ({(2, "Ann owns Checkout"), (3, "Bob owns Redis")}, 2)
    assert _told(around(chain, "Web", subject_type="Person", object_type="Service", hops=3)) == {
        (2, "Ann owns Checkout")
    }


def test_a_path_leads_from_the_start_to_each_triple(chain: Pipeline) -> None:
    (bob,) = around(chain, "Linux", subject_type="Person", direction="both", limit=1).neighbours

    assert [(step.subject, step.predicate, step.object, forward) for step, forward in bob.path] == [
        ("Redis", "boots", "Linux", False),
        ("Bob", "owns", "Redis", False),
    ]
    assert bob.path[-1][0] == bob.triple


def test_of_one_hop_the_surest_come_first(pipeline: Pipeline) -> None:
    for name, confidence in (("A", 0.25), ("B", 0.75), ("C", 0.5)):
        relate(pipeline, f"Hub uses {name}", confidence=confidence)

    assert [each.triple.object for each in around(pipeline, "Hub").neighbours] == ["B", "C", "A"]


def test_homonyms_are_walked_together(pipeline: Pipeline) -> None:
    relate(pipeline, "Mercury orbits Sun", types={"Mercury": "Planet"})
    relate(pipeline, "Mercury is_a Metal", types={"Mercury": "Element"})

    answer = around(pipeline, "Mercury", hops=1)

    assert _told(answer) == {(1, "Mercury orbits Sun"), (1, "Mercury is_a Metal")}
    assert (list(answer.start), answer.matched) == (["Mercury", "Mercury"], "exact")


def test_a_ring_and_a_triple_about_itself_are_walked_once(pipeline: Pipeline) -> None:
    relate(pipeline, "A to B", "B to C", "C to A", "A to A")

    assert _told(around(pipeline, "A", hops=4)) == {(1, "A to B"), (1, "C to A"), (1, "A to A"), (2, "B to C")}


def test_a_neighbourhood_follows_what_is_added(chain: Pipeline) -> None:
    around(chain, "Linux")
    relate(chain, "Linux loves C")

    assert (1, "Linux loves C") in _told(around(chain, "Linux", hops=1))
    assert _told(around(chain, "C", hops=1)) == {(1, "Linux loves C")}


@pytest.mark.parametrize("hops", [0, -1, 5])
def test_hops_out_of_range_are_refused(chain: Pipeline, hops: int) -> None:
    with pytest.raises(BadInput, match="from 1 to 4"):
        around(chain, "Web", hops=hops)


def test_an_unknown_entity_predicate_or_type_answers_with_the_nearest(chain: Pipeline) -> None:
    for asked, nearest in [
        ({"entity": "Kubernetes"}, ()),
        ({"entity": "Web", "predicates": ["calls", "usees"]}, ("uses",)),
        ({"entity": "Web", "object_type": "Servise"}, ("Service",)),
    ]:
        with pytest.raises(UnknownName) as caught:
            around(chain, **asked)  # pyright: ignore[reportArgumentType]  (a table of arguments)
        assert caught.value.nearest[: len(nearest)] == nearest


def test_an_empty_graph_knows_no_start(pipeline: Pipeline) -> None:
    with pytest.raises(UnknownName, match="No entity named 'Web'"):
        around(pipeline, "Web")


def test_a_hub_of_20_000_neighbours_shows_its_limit_and_counts_all(pipeline: Pipeline) -> None:
    with pipeline.store.writing(TEST) as tx:
        names = ["Hub", *(f"E{number}" for number in range(HUB))]
        ids = add_entities(tx, [NewEntity(name, name.lower(), "", "") for name in names])
        uses = add_predicates(tx, ["uses"])["uses"]
        none = [None] * HUB
        rows = TripleRows(
            np.full(HUB, ids[0]), np.full(HUB, uses), ids[1:], [1.0] * HUB, none, none, none, none, *[none] * 5
        )
        add_triples(tx, rows, "agent")

    hub, spoke = around(pipeline, "Hub", limit=25), around(pipeline, "E7", limit=25)

    assert (len(hub.neighbours), hub.total, hub.cut) == (25, HUB, False)
    assert (len(spoke.neighbours), spoke.total, spoke.neighbours[0].hop) == (25, HUB, 1)
