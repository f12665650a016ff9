"""What a claim counts as so, impact, paths and queries count as so too."""

from collections.abc import Iterator

import pytest
from random_worlds import MOMENT, ONTOLOGY, World, fill, stored
from reason_helpers import day, relate
from search_helpers import page

from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.errors import UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.neighbourhood import NeighbourhoodQuery
from mcp_graphrag.model import When
from mcp_graphrag.reason.check_claim import Claim
from mcp_graphrag.reason.find_paths import FoundPath, PathQuery
from mcp_graphrag.reason.trace_impact import Affected, ImpactQuery
from mcp_graphrag.settings import Settings

THEN = When(as_of=MOMENT)
SEEDS = range(8)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, wordllama: Embedder) -> Iterator[Graph]:
    """A graph to fill with random worlds."""
    graph = Graph(Settings(db=tmp_path_factory.mktemp("world") / "graph.duckdb"), embedders=Embedders(wordllama))
    graph.add_ontology("world", ONTOLOGY)
    yield graph
    graph.close()


def supported(graph: Graph, subject: str, predicate: str, object_: str, when: When = THEN) -> bool:
    return graph.check_claim(Claim(subject, predicate, object_), when).verdict == "supported"


def levels(graph: Graph, entity: str, when: When = THEN, **more: object) -> dict[str, int]:
    found = graph.trace_impact(ImpactQuery(entity, max_depth=20, **more), when)  # pyright: ignore[reportArgumentType]
    assert len(found.affected) == found.total
    return {each.entity.name: each.level for each in found.affected}


def in_words(found: Affected | FoundPath) -> list[str]:
    """The hops, each with its mark: "A runs_on B (runs_on is narrower than depends_on)"."""
    path = found.path if isinstance(found, Affected) else found.hops
    return [
        f"{one.subject} {one.predicate} {one.object}" + (f" ({reason})" if reason else "")
        for (one, _), reason in zip(path, found.reasons, strict=True)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_impact_and_paths_are_those_of_an_exhaustive_search(world: Graph, seed: int) -> None:
    fill(world, seed)
    now = World.of(world)
    for name in now.names:
        assert levels(world, name) == now.levels(name)
    either_way = [
        edge
        for row in now.triples
        for edge in ((row.subject, row.object, row.confidence), (row.object, row.subject, row.confidence))
    ]
    dependencies = list(now.dependencies())
    for source, target in [(a, b) for a in now.names[:3] for b in now.names[-3:] if a != b]:
        for edges, more in ((either_way, {}), (dependencies, {"predicates": ["depends_on"], "directed": True})):
            query = PathQuery(source, target, max_hops=4, k=3, **more)  # pyright: ignore[reportArgumentType]
            found = world.find_paths(query, THEN)
            paths = [(path.length, pytest.approx(path.confidence)) for path in found.paths]
            assert [*now.paths(source, target, edges, 4)[:3]] == paths


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS[:4])
def test_queries_and_impact_say_what_claims_say(world: Graph, seed: int) -> None:
    fill(world, seed)
    now = World.of(world)
    same = now.same()
    known = {row.predicate for row in stored(world)}
    for predicate in ("depends_on", "sits_on", "carries", "likes"):
        if predicate not in known:
            continue
        for name in now.names:
            listed = page(world, subject=name, predicate=predicate, limit=500, when=THEN).triples
            said = {
                other for other in now.names if (name, other) not in same and supported(world, name, predicate, other)
            }
            assert {each.object for each in listed if (name, each.object) not in same} == said
    for name in now.names if "depends_on" in known else ():
        affected = {
            other for other in now.names if (name, other) not in same and supported(world, other, "depends_on", name)
        }
        assert set(levels(world, name)) == affected


def test_inferred_hops_say_what_they_follow_from_and_can_be_switched_off(graph: Graph) -> None:
    graph.add_ontology("own", {"predicates": {"requires_of": {"inverse": "needed_for", "broader": "depends_on"}}})
    relate(graph, "Shop runs_on Cluster", "Rack needed_for Cluster", "Rack same_as Cabinet", "Cabinet depends_on Power")
    found = {each.entity.name: each for each in graph.trace_impact("Power").affected}
    assert {name: each.level for name, each in found.items()} == {"Cabinet": 1, "Rack": 1, "Cluster": 2, "Shop": 3}
    assert in_words(found["Shop"]) == [
        "Cabinet depends_on Power",
        "Rack same_as Cabinet (the same by same_as)",
        "Rack needed_for Cluster (inverse of needed_for; requires_of is narrower than depends_on)",
        "Shop runs_on Cluster (runs_on is narrower than depends_on)",
    ]
    assert supported(graph, "Shop", "depends_on", "Power", When())
    assert levels(graph, "Power", When(), infer=False) == {"Cabinet": 1}
    (path,) = graph.find_paths(PathQuery("Shop", "Power", predicates=["depends_on"], directed=True)).paths
    assert (path.length, in_words(path)) == (3, in_words(found["Shop"])[::-1])
    alone = PathQuery("Shop", "Power", infer=False)
    assert [path.length for path in graph.find_paths(alone).paths] == [4]


def test_entities_that_are_the_same_are_connected_without_a_hop(graph: Graph) -> None:
    relate(graph, "A same_as B", "C same_as B", confidence=0.5)
    relate(graph, "B uses D")
    (path,) = graph.find_paths(PathQuery("A", "C")).paths
    assert (path.length, path.confidence) == (0, 0.25)
    assert in_words(path) == ["A same_as B (the same by same_as)", "C same_as B (the same by same_as)"]
    (direct,) = graph.find_paths(PathQuery("A", "D")).paths
    assert (direct.length, in_words(direct)) == (1, ["A same_as B (the same by same_as)", "B uses D"])


def test_only_same_as_that_holds_at_the_moment_counts(graph: Graph) -> None:
    relate(graph, "Till depends_on Vault")
    relate(graph, "Vault same_as Safe", valid_to=day("2020-01-01"))
    assert levels(graph, "Safe", When(as_of=day("2019-01-01"))) == {"Till": 1}
    assert levels(graph, "Safe", When(as_of=day("2021-01-01"))) == {}


def test_an_undated_triple_beside_the_same_dated_one_is_read_the_same_by_every_tool(graph: Graph) -> None:
    relate(graph, "Till depends_on Vault", "Vault depends_on Power")
    relate(graph, "Till depends_on Vault", valid_to=day("2020-01-01"))
    for date, holds in (("2019-01-01", True), ("2021-01-01", False)):
        then = When(as_of=day(date))
        walked = graph.neighbourhood(NeighbourhoodQuery("Till", hops=1), then).neighbours
        paths = graph.find_paths(PathQuery("Till", "Vault"), then).paths
        asked = page(graph, subject="Till", predicate="depends_on", object="Vault", when=then).triples
        answers = {
            supported(graph, "Till", "depends_on", "Vault", then),
            "Till" in levels(graph, "Vault", then),
            len(paths) == 1,
            len(walked) == 1,
            len(asked) == 1,
            len(page(graph, subject="Till", object="Power", when=then).triples) == 1,
        }
        assert answers == {holds}
    assert len(page(graph, subject="Till", object="Vault").triples) == 2


DEPENDING = [
    "hosted_on",
    "runs_on",
    "built_on",
    "deployed_on",
    "deployed_to",
    "backed_by",
    "requires",
    "needs",
    "relies_on",
    "powered_by",
]


@pytest.mark.parametrize("word", DEPENDING)
def test_words_for_what_a_thing_runs_on_are_dependencies(graph: Graph, word: str) -> None:
    relate(graph, f"Shop {word} Cluster")
    assert supported(graph, "Shop", "depends_on", "Cluster", When())
    assert levels(graph, "Cluster", When()) == {"Shop": 1}


def test_a_functional_predicate_counts_narrower_ones_and_says_nothing_of_broader_ones(graph: Graph) -> None:
    graph.add_ontology(
        "kin",
        {
            "predicates": {
                "parent_of_record": {"functional": True},
                "guardian": {"broader": "parent_of_record"},
                "mother_x": {"functional": True, "broader": "parent_x"},
            }
        },
    )
    relate(graph, "Ann guardian Bea", "Ann mother_x Bea", "Cid parent_of_record Dan")
    assert graph.check_claim(Claim("Ann", "parent_of_record", "Dan")).verdict == "contradicted"
    assert graph.check_claim(Claim("Cid", "guardian", "Bea")).verdict == "contradicted"
    assert graph.check_claim(Claim("Ann", "mother_x", "Dan")).verdict == "contradicted"
    assert graph.check_claim(Claim("Ann", "parent_x", "Dan")).verdict == "unknown"
    assert graph.check_claim(Claim("Ann", "parent_x", "Bea")).verdict == "supported"


def test_a_query_reads_a_predicate_by_the_ontology_in_force(graph: Graph) -> None:
    graph.add_ontology("own", {"predicates": {"feeds_on": {"lexicon": ["guzzle"]}}})
    relate(graph, "Mill feeds_on River")
    assert [each.object for each in page(graph, subject="Mill", predicate="guzzles").triples] == ["River"]


def test_names_are_taken_exactly(graph: Graph) -> None:
    relate(graph, "Shop depends_on Warehouse")
    with pytest.raises(UnknownName, match="No entity named 'Warehous'"):
        graph.trace_impact("Warehous")
    with pytest.raises(UnknownName, match="No entity named 'Warehous'"):
        graph.find_paths(PathQuery("Shop", "Warehous"))
