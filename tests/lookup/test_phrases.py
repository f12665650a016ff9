"""Objects in words are shown with their triples, and are nowhere among the names of things."""

from pathlib import Path

import numpy as np
import pytest
from search_helpers import TEST, neighbourhood_of, page, relate, triples

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.edit.remove import Removal
from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.neighbourhood import Neighbourhood
from mcp_graphrag.model import Candidate, Counts, When
from mcp_graphrag.reason.find_paths import PathQuery
from mcp_graphrag.reason.trace_impact import ImpactQuery
from mcp_graphrag.resolve.review import ReviewQuery
from mcp_graphrag.store.engine.transaction import now

WORDS = "the startup and shutdown of the servers"
KEACTRL = f"The `keactrl` tool controls {WORDS}. The `keactrl` tool uses Redis."
WARDEND = f"The `wardend` tool controls {WORDS}."
SAID = f"keactrl controls {WORDS}"


def tell(graph: Graph, text: str, *, uri: str = "memo:one") -> Counts:
    return graph.ingest_text(TextInput(text, uri=uri), origin=TEST).counts


@pytest.fixture
def tools(graph: Graph) -> Graph:
    """Two tools that are said to do the same, in two documents."""
    tell(graph, KEACTRL)
    tell(graph, WARDEND, uri="memo:two")
    assert triples(graph) == [SAID, "keactrl uses Redis", f"wardend controls {WORDS}"]
    return graph


def by_hop(found: Neighbourhood) -> list[tuple[int, str]]:
    return [(each.hop, str(each.triple.object)) for each in found.neighbours]


def test_a_phrase_is_shown_as_the_object_of_its_triples(tools: Graph) -> None:
    (found,) = page(tools, subject="keactrl", predicate="controls").triples

    assert (found.object, found.object_type) == (WORDS, "Phrase")
    assert found.evidence[0].quote == f"The `keactrl` tool controls {WORDS}."
    assert triples(tools, object=WORDS) == triples(tools, object_type="Phrase") == [SAID, f"wardend controls {WORDS}"]


def test_the_type_of_phrases_may_be_asked_for_where_there_are_none(graph: Graph) -> None:
    relate(graph, "Web calls Redis")

    assert triples(graph, object_type="phrase") == []


def test_a_neighbourhood_ends_at_a_phrase(tools: Graph) -> None:
    assert by_hop(neighbourhood_of(tools, "keactrl", hops=4)) == [(1, "Redis"), (1, WORDS)]
    assert by_hop(neighbourhood_of(tools, "Redis", hops=1)) == [(1, "Redis")]
    found = neighbourhood_of(tools, "Redis", hops=2)
    assert by_hop(found) == [(1, "Redis"), (2, WORDS)]
    assert [(each.subject, forward) for each, forward in found.neighbours[1].path] == [
        ("keactrl", False),
        ("keactrl", True),
    ]


def test_a_neighbourhood_shows_phrases_by_predicate_direction_type_and_limit(tools: Graph) -> None:
    assert by_hop(neighbourhood_of(tools, "keactrl", predicates=["controls"])) == [(1, WORDS)]
    assert by_hop(neighbourhood_of(tools, "keactrl", object_type="Phrase")) == [(1, WORDS)]
    assert by_hop(neighbourhood_of(tools, "keactrl", direction="in")) == []
    limited = neighbourhood_of(tools, "keactrl", limit=1)
    assert (by_hop(limited), limited.total) == ([(1, "Redis")], 2)
    assert by_hop(neighbourhood_of(tools, "keactrl", min_confidence=0.99)) == []


def test_a_phrase_has_no_name(tools: Graph) -> None:
    assert [each.entity.name for each in tools.find_entities("startup")] == []
    assert [each.entity.name for each in tools.find_entities("startup", type="Phrase")] == [WORDS]
    with pytest.raises(UnknownName) as unknown:
        neighbourhood_of(tools, WORDS)
    assert "Nearest" not in str(unknown.value)
    with pytest.raises(UnknownName):
        tools.merge("keactrl", WORDS)


def test_a_caller_may_name_a_thing_like_a_phrase(tools: Graph) -> None:
    relate(tools, f"{WORDS.replace(' ', '_')} boots Root")

    assert triples(tools, subject=WORDS) == [f"{WORDS} boots Root"]
    assert [each.entity.type for each in tools.find_entities(WORDS)] == [""]
    assert tools.review(ReviewQuery()).merges == 0


def test_phrases_are_counted_apart(tools: Graph) -> None:
    found = tools.describe()

    assert found.counts.entities == len(["keactrl", "Redis", "wardend"])
    assert found.types["Phrase"] == 1
    assert WORDS not in {each.name for each in found.entities}
    assert WORDS not in {each.entity.name for each in tools.find_entities("")}
    assert WORDS in {each.entity.name for each in tools.find_entities("", type="Phrase")}


def test_a_phrase_is_not_embedded(tools: Graph) -> None:
    with tools.reading() as snapshot:
        embedded = snapshot.tx.ids("embedded_ids", None, table="entity_embedding", of="entity")
        names = snapshot.tx.rows_by_id("entity_labels", embedded)
    tools.reindex()

    assert WORDS not in {name for _, name, _ in names}
    assert tools.status().without_embedding == 0
    assert tools.status().entity_vectors.count == len(names)


def test_two_things_are_not_connected_by_a_phrase(tools: Graph) -> None:
    assert tools.find_paths(PathQuery("keactrl", "wardend")).paths == []
    with pytest.raises(UnknownName):
        tools.trace_impact(ImpactQuery(WORDS))
    with tools.reading() as snapshot:
        graph = snapshot.triple_graph
        assert graph.size == 1
        assert len(np.unique(snapshot.mention_graph().graph.entity_ids)) == 2


def test_communities_have_no_phrases(tools: Graph) -> None:
    relate(tools, "keactrl calls Redis", "wardend calls Redis")
    tools.build_communities()

    members = {name for each in tools.list_communities().communities for name in each.members}
    assert members == {"keactrl", "Redis", "wardend"}


def test_phrases_contradict_nothing(graph: Graph) -> None:
    graph.add_ontology("own", {"predicates": {"controls": {"functional": True}}})
    tell(graph, KEACTRL)
    tell(graph, "The `keactrl` tool controls the rotation of the log files.", uri="memo:two")
    relate(graph, "keactrl controls Redis")

    assert graph.review(ReviewQuery()).conflicts == 0
    assert graph.check_claim("keactrl controls Redis.").verdict == "supported"


def test_a_new_value_supersedes_no_phrase(graph: Graph) -> None:
    graph.add_ontology("own", {"predicates": {"controls": {"functional": True}}})
    tell(graph, KEACTRL)
    relate(graph, "keactrl controls Kafka")
    graph.add_triples([Candidate("keactrl", "controls", "Redis")], replaces=True, origin=TEST)

    found = {each.object: each.valid_to is None for each in page(graph, predicate="controls").triples}
    assert found == {WORDS: True, "Kafka": False, "Redis": True}


def test_nothing_is_inferred_from_a_phrase(graph: Graph) -> None:
    rules = {"controls": {"inverse": "controlled_by", "domain": "Tool"}, "controlled_by": {}}
    graph.add_ontology("own", {"predicates": rules})
    tell(graph, KEACTRL)

    assert triples(graph, predicate="controlled_by") == []
    assert graph.find_entities("keactrl")[0].inferred_types == []


def test_a_claim_about_other_words_is_not_judged_by_a_phrase(tools: Graph) -> None:
    assert tools.check_claim("keactrl controls the startup of the servers.").verdict == "unknown"
    assert tools.check_claim("keactrl does not control the clocks of the servers.").verdict == "unknown"
    assert tools.check_claim("keactrl controls Redis.").verdict == "unknown"


def test_a_predicate_of_phrases_alone_makes_no_sentence_readable(tools: Graph) -> None:
    tell(tools, "The `rotator` tool keeps the last weeks of the log files.", uri="memo:three")

    assert tools.check_claim("Redis keeps keactrl.").unread == ["Redis keeps keactrl."]


def test_a_phrase_lasts_as_long_as_a_document_says_it(tools: Graph) -> None:
    before = When(known_at=now())
    tools.remove(Removal(document="memo:one"), origin=TEST)
    assert by_hop(neighbourhood_of(tools, "keactrl", when=before)) == [(1, "Redis"), (1, WORDS)]
    assert (triples(tools), tools.verify().problems) == ([f"wardend controls {WORDS}"], [])
    tools.remove(Removal(document="memo:two"), origin=TEST)
    assert (triples(tools), tools.describe().types, tools.verify().problems) == ([], {}, [])

    tools.undo(2, origin=TEST)

    assert triples(tools, object_type="Phrase") == [SAID, f"wardend controls {WORDS}"]
    assert tools.verify().problems == []


def test_a_triple_with_a_phrase_can_be_removed(tools: Graph) -> None:
    tools.remove(Removal(triple=("keactrl", "controls", WORDS)), origin=TEST)

    assert triples(tools, object=WORDS) == [f"wardend controls {WORDS}"]
    with pytest.raises(BadInput):
        tools.remove(Removal(triple=("keactrl", "controls", WORDS)), origin=TEST)


@pytest.mark.of_file
def test_a_phrase_is_in_a_backup_and_in_a_rebuilt_graph(tools: Graph, tmp_path: Path) -> None:
    tools.back_up(tmp_path / "copy.duckdb")
    tools.restore(tmp_path / "copy.duckdb")
    tools.rebuild(origin=TEST)

    assert triples(tools, object_type="Phrase") == [SAID, f"wardend controls {WORDS}"]
    assert tools.verify().problems == []
