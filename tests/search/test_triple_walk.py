"""The scores of triples, and of the chunks that support them, worked out by hand."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from cached_files import Setup
from search_helpers import FixedCosines, ask, changed, ingest_text, relate, searching

from mcp_graphrag.fusion import Ranked
from mcp_graphrag.graph import Graph
from mcp_graphrag.search.query import Expansion
from mcp_graphrag.search.search_context import SearchContext
from mcp_graphrag.search.triple_walk import graph_arm, graph_seeds, local_arm
from mcp_graphrag.store.rows.document_rows import chunks_by_id

COSINES = {"Gate": 0.8, "Sluice": 0.5, "Guild": 0.2, "Oar": -0.5, "first": 0.4, "second": 0.3}
QUESTION = "who owns the Tide Mill"


@pytest.fixture
def mill(after: Callable[[Setup], Graph]) -> Graph:
    return changed(after(fill), embedder=FixedCosines(COSINES))


def fill(graph: Graph) -> None:
    """Two documents about a mill, and three with evidence for what it has to do with."""
    fixed = changed(graph, embedder=FixedCosines(COSINES))
    texts = {"m:1": "near Guild", "m:2": "near Gate", "m:3": "near Oar"}
    for uri, text in texts.items():
        ingest_text(fixed, uri, text)
    ingest_text(fixed, "m:4", "first page", title="Tide Mill")
    ingest_text(fixed, "m:5", "second page", title="Tide Mill")
    relate(fixed, "Tide_Mill depends_on Sluice", confidence=0.5, source="m:1", quote="near")
    relate(fixed, "Tide_Mill owned_by Guild", confidence=0.4, source="m:1", quote="Guild")
    relate(fixed, "Sluice depends_on Gate", confidence=0.9, source="m:2", quote="near")
    relate(fixed, "Tide_Mill depends_on Oar", source="m:3", quote="near")


# The weight of the seed times confidence, 0.7 for a second hop, 4 for a predicate of the question: its square root
# times the cosine, which is at least 0.01.
SLUICE = (0.5 * 0.5) ** 0.5 * 0.5
GATE = (0.5 * 0.5 * 0.7 * 0.9) ** 0.5 * 0.8
GUILD = (0.5 * 0.4) ** 0.5 * 0.2
OAR = 0.5**0.5 * 0.01


def by_uri(context: SearchContext, ranked: Ranked) -> Mapping[str, float]:
    chunks = chunks_by_id(context.snapshot.tx, [chunk_id for chunk_id, _ in ranked])
    return {chunks[chunk_id].document.uri: score for chunk_id, score in ranked}


def test_a_triple_scores_by_seed_confidence_distance_predicate_and_cosine(mill: Graph) -> None:
    with searching(mill, QUESTION, mode="graph") as context:
        found = graph_arm(context)
        scores = by_uri(context, found.ranked)

    assert [(item.entity, item.predicate, item.from_entity, item.hop) for item in found.expanded] == [
        ("Gate", "depends_on", "Sluice", 2),
        ("Sluice", "depends_on", "Tide Mill", 1),
        ("Guild", "owned_by", "Tide Mill", 1),
        ("Oar", "depends_on", "Tide Mill", 1),
    ]
    assert scores == pytest.approx({"m:1": SLUICE + 2 * GUILD, "m:2": GATE, "m:3": OAR}, rel=1e-5)
    assert list(scores) == ["m:1", "m:2", "m:3"]


@pytest.mark.parametrize(
    ("expansion", "found"),
    [
        (Expansion(limit=2), ["Gate", "Sluice"]),
        (Expansion(hops=1), ["Sluice", "Guild", "Oar"]),
        (Expansion(hops=1, limit=1), ["Sluice"]),
    ],
)
def test_the_settings_bound_the_hops_and_the_triples_of_a_walk(
    mill: Graph, expansion: Expansion, found: Sequence[str]
) -> None:
    with searching(mill, QUESTION, mode="graph", expansion=expansion) as context:
        assert [item.entity for item in graph_arm(context).expanded] == found


def test_mode_local_adds_to_the_triples_the_chunks_of_the_entity_by_their_own_score(mill: Graph) -> None:
    with searching(mill, QUESTION, mode="local", explain=True) as context:
        found = local_arm(context)
        scores, near = by_uri(context, found.ranked), by_uri(context, list(context.relative_scores.items()))
        why = {uri: found.why[chunk_id] for uri, chunk_id in zip(scores, dict(found.ranked), strict=True)}

    pages = {uri: 0.5 * (0.5 + near[uri]) for uri in ("m:4", "m:5")}
    assert scores == pytest.approx({**pages, "m:1": SLUICE + GUILD, "m:2": GATE, "m:3": OAR}, rel=1e-5)
    assert [item.entity for item in found.expanded] == ["Gate", "Sluice", "Guild", "Oar"]
    start = "reached from Tide Mill (named in the question) over"
    assert why == {
        "m:4": "Mentions Tide Mill, which the question names.",
        "m:5": "Mentions Tide Mill, which the question names.",
        "m:1": f"Evidence for: Tide Mill depends on Sluice, {start} 1 triple.",
        "m:2": f"Evidence for: Sluice depends on Gate, {start} 2 triples.",
        "m:3": f"Evidence for: Tide Mill depends on Oar, {start} 1 triple.",
    }


def test_an_entity_of_a_near_chunk_weighs_three_tenths_by_the_number_of_its_chunks_the_rarest_first(
    mill: Graph,
) -> None:
    for number, title in enumerate(["Rill Weir"] * 3 + ["Old Barge"]):
        ingest_text(mill, f"n:{number}", "upstream", title=title)
    relate(mill, "Rill_Weir depends_on Old_Barge")
    expansion = Expansion(hits=4)

    def seeds(query: str) -> Sequence[tuple[Any, ...]]:
        with searching(mill, query, mode="graph", expansion=expansion) as context:
            return [(seed.name, seed.by, seed.chunks, round(seed.weight, 9)) for seed in graph_seeds(context)]

    assert seeds("what lies upstream") == [("Old Barge", "chunk", 1, 0.3), ("Rill Weir", "chunk", 3, 0.1)]
    assert seeds("what lies upstream of the Tide Mill") == [
        ("Tide Mill", "question", 2, 0.5),
        ("Old Barge", "chunk", 1, 0.15),
        ("Rill Weir", "chunk", 3, 0.1),
    ]


@pytest.mark.parametrize(
    ("query", "ends"),
    [
        ("what has to do with the Oar", [("Tide Mill", "Oar")]),
        ("does the Tide Mill need the Oar", [("Oar", "Tide Mill")]),
    ],
)
def test_a_walked_triple_leads_away_from_the_entity_that_the_question_names(
    mill: Graph, query: str, ends: Sequence[tuple[str, str]]
) -> None:
    expanded = ask(mill, query, mode="graph", expansion=Expansion(hops=1)).expanded

    assert [(item.entity, item.from_entity) for item in expanded if item.triple.object == "Oar"] == ends


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("of the Tide Mill who owns", "Guild"),
        ("of the Tide Mill by whom is it owned by", "Guild"),
        (f"{'so ' * 57}Tide Mill owns", "Guild"),
        (f"{'so ' * 58}Tide Mill owns", "Sluice"),
    ],
)
def test_a_predicate_is_found_at_the_end_of_a_question_of_sixty_words(graph: Graph, query: str, first: str) -> None:
    flat = changed(graph, embedder=FixedCosines({}))
    relate(flat, "Tide_Mill depends_on Sluice")
    relate(flat, "Tide_Mill owned_by Guild", confidence=0.3)

    assert ask(flat, query, mode="graph").expanded[0].entity == first


def test_mode_local_without_a_name_starts_from_the_three_entities_nearest_in_meaning(graph: Graph) -> None:
    cosines = {"Lock": 0.9, "Weir": 0.5, "Ford": 0.7, "Quay": 0.6, "Moor": 0.49}
    fixed = changed(graph, embedder=FixedCosines(cosines))
    ingest_text(fixed, "m:1", "page", title="Lock")
    relate(fixed, "Lock uses Weir", "Ford uses Quay", "Quay uses Moor")

    found = ask(fixed, "where do ships wait", mode="local", explain=True)

    assert [(seed.name, round(seed.weight, 2), seed.chunks, seed.by) for seed in found.seeds] == [
        ("Lock", 0.9, 1, "meaning"),
        ("Ford", 0.7, 0, "meaning"),
        ("Quay", 0.6, 0, "meaning"),
    ]
