"""The walk over chunk edges: its scores, its directions, and the steps that it reports."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from search_helpers import TEST, ask, ingest_text
from search_helpers import hit_uris as uris

from mcp_graphrag.chunk_edges.edge_walk import (
    EdgeHits,
    EdgeWalk,
    WalkedHit,
    choose_seeds,
    edges_arm,
    notes_between_seeds,
    related_steps,
    reserve_slots,
    score_trail,
    walk_edges,
)
from mcp_graphrag.errors import BadInput
from mcp_graphrag.fusion import Ranked
from mcp_graphrag.graph import Graph
from mcp_graphrag.index.chunk_edge_index import ChunkEdges, chunk_edges_from
from mcp_graphrag.model import ChunkEdge, EdgeStep, Relation
from mcp_graphrag.search.query import SearchQuery, with_settings
from mcp_graphrag.settings import Settings, load_settings
from mcp_graphrag.store.rows.chunk_edge_rows import RELATIONS, add_chunk_edges
from mcp_graphrag.store.rows.citations import cite_chunk
from mcp_graphrag.store.rows.document_rows import chunk_ids_of_document, chunks_by_id, find_document

Edge = tuple[int, Relation, int, float]


def edges(*listed: Edge) -> ChunkEdges:
    """Chunk edges, numbered from 1 in this order."""
    return chunk_edges_from(
        {
            "id": np.arange(1, len(listed) + 1),
            "source_id": np.array([source for source, _, _, _ in listed], dtype=np.int64),
            "target_id": np.array([target for _, _, target, _ in listed], dtype=np.int64),
            "relation": np.array([RELATIONS.index(relation) for _, relation, _, _ in listed], dtype=np.int64),
            "weight": np.array([weight for _, _, _, weight in listed], dtype=np.float32),
        }
    )


def walk(graph: ChunkEdges, seeds: Ranked, plan: EdgeWalk) -> list[WalkedHit]:
    return score_trail(graph, seeds, walk_edges(graph, seeds, plan), plan)


def scores(graph: ChunkEdges, seeds: Ranked, **plan: Any) -> dict[int, float]:
    """Score by chunk, in the order of the answer."""
    return {hit.chunk_id: round(hit.score, 6) for hit in walk(graph, seeds, EdgeWalk(**plan))}


CHAIN = edges((1, "depends_on", 2, 1.0), (2, "references", 3, 0.8), (3, "elaborates", 4, 1.0), (4, "part_of", 5, 1.0))


def test_a_seed_of_cosine_9_scores_93_and_a_chunk_two_hops_out_over_weight_8_scores_12() -> None:
    assert scores(CHAIN, [(1, 0.9)]) == {1: 0.93, 2: 0.21, 3: 0.12}


def test_hops_beyond_the_decay_take_its_last_factor() -> None:
    assert scores(CHAIN, [(1, 0.9)], hops=4) == {1: 0.93, 2: 0.21, 4: 0.15, 5: 0.15, 3: 0.12}
    assert scores(CHAIN, [(1, 0.5)], hops=2, decay=(1.0, 0.2), vector_weight=1, graph_weight=0.5) == {
        1: 1.0,
        2: 0.1,
        3: 0.08,
    }
    assert scores(CHAIN, [(1, 0.9)], hops=0) == {1: 0.93}


def test_the_best_score_of_a_chunk_is_kept_even_from_a_longer_path() -> None:
    graph = edges((1, "references", 3, 0.1), (1, "references", 2, 1.0), (2, "depends_on", 3, 1.0))
    assert scores(graph, [(1, 0.0)]) == {1: 0.3, 2: 0.21, 3: 0.15}
    hit = walk(graph, [(1, 0.0)], EdgeWalk())[-1]
    assert (hit.hop, [(step.from_chunk, step.relation, step.hop) for step in hit.steps]) == (
        1,
        [(2, "depends_on", 2), (1, "references", 1)],
    )


def test_a_seed_that_edges_reach_stays_a_seed_and_cosines_are_clipped() -> None:
    hits = walk(edges((1, "references", 2, 1.0)), [(1, 1.0000001), (2, -0.2), (2, -0.3)], EdgeWalk())
    assert [(hit.chunk_id, round(hit.score, 6), hit.hop) for hit in hits] == [(1, 1.0, 0), (2, 0.3, 0)]


def test_an_edge_between_two_seeds_is_reported_by_both() -> None:
    heavier: list[Edge] = [(1, "references", target, 1.0) for target in range(10, 20)]
    graph = edges(*heavier, (1, "contradicts", 2, 0.5), (2, "depends_on", 1, 0.9), (3, "references", 1, 1.0))
    seeds = [(1, 0.9), (2, 0.8)]

    def steps(**plan: Any) -> dict[int, list[tuple[int, str]]]:
        found = walk(graph, seeds, EdgeWalk(**plan))
        assert [(hit.chunk_id, round(hit.score, 6), hit.hop) for hit in found[:2]] == [(1, 0.93, 0), (2, 0.86, 0)]
        return {hit.chunk_id: [(step.from_chunk, step.relation) for step in hit.steps] for hit in found[:2]}

    assert steps() == {1: [(2, "depends_on"), (2, "contradicts")], 2: [(1, "contradicts")]}
    assert steps(relations=("contradicts",)) == {1: [(2, "contradicts")], 2: [(1, "contradicts")]}
    assert steps(relations=("references",)) == {1: [], 2: []}, "chunk 3 is no seed, and was not walked from"
    assert steps(min_weight=0.6) == {1: [(2, "depends_on")], 2: []}


def test_edges_are_walked_from_source_to_target_but_symmetric_ones_both_ways() -> None:
    graph = edges((2, "depends_on", 1, 1.0), (3, "similar_to", 1, 0.5), (4, "contradicts", 1, 0.4))
    assert list(scores(graph, [(1, 1.0)])) == [1, 3, 4]
    assert list(scores(graph, [(1, 1.0)], bidirectional=True)) == [1, 2, 3, 4]
    backward = walk(graph, [(1, 1.0)], EdgeWalk(bidirectional=True))[1].steps[0]
    assert (backward.from_chunk, backward.forward) == (1, False)


def test_only_the_wanted_relations_and_weights_are_walked() -> None:
    graph = edges((1, "depends_on", 2, 0.3), (1, "references", 3, 0.8), (3, "depends_on", 4, 0.9))
    assert list(scores(graph, [(1, 1.0)], relations=("depends_on",))) == [1, 2]
    assert list(scores(graph, [(1, 1.0)], min_weight=0.8)) == [1, 3, 4]


def test_ties_are_ordered_by_id_and_empty_input_is_allowed() -> None:
    graph = edges((1, "references", 9, 0.5), (1, "references", 4, 0.5), (1, "references", 7, 0.5))
    assert list(scores(graph, [(1, 0.5)])) == [1, 4, 7, 9]
    assert walk(graph, [], EdgeWalk()) == []
    assert list(scores(edges(), [(5, 0.5)])) == [5]


def test_a_hub_does_not_crowd_out_other_chunks() -> None:
    hub: list[Edge] = [(1, "references", target, target / 1000) for target in range(2, 900)]
    graph = edges(*hub, (2000, "references", 2001, 0.001))
    found = scores(graph, [(1, 1.0), (2000, 0.9)], max_fan_out=3)
    assert list(found) == [1, 2000, 899, 898, 897, 2001]
    trail = walk_edges(graph, [(1, 1.0)], EdgeWalk(max_edges=5))
    assert (trail.reached.tolist(), trail.cut) == ([899, 898, 897, 896, 895], True)


def test_seeds_are_the_nearest_unless_keywords_have_a_share() -> None:
    vector, keyword = [(1, 0.9), (2, 0.8), (3, 0.7)], [(7, 8.0), (2, 6.0)]
    assert choose_seeds(vector, keyword, EdgeWalk(seeds=2)) == [(1, 0.9), (2, 0.8)]
    shared = choose_seeds(vector, keyword, EdgeWalk(seeds=3, keyword_share=0.5))
    assert shared == [(2, 0.8), (1, 0.9), (7, 0.7)]
    assert choose_seeds(vector, keyword, EdgeWalk(seeds=2, keyword_share=1)) == [(7, 0.7), (2, 0.8)]
    assert choose_seeds([], keyword, EdgeWalk()) == [(7, 1.0), (2, 0.75)]


def test_a_short_answer_reserves_slots_for_reached_chunks() -> None:
    ranked = [(seed, 0.9 - seed / 100) for seed in range(1, 11)] + [(20, 0.2), (21, 0.1)]
    found = EdgeHits(ranked, frozenset(range(1, 11)))
    assert [chunk_id for chunk_id, _ in reserve_slots(found, 6)[:6]] == [1, 2, 3, 4, 20, 21]
    assert [chunk_id for chunk_id, _ in reserve_slots(found, 4)[:4]] == [1, 2, 3, 20]
    assert [chunk_id for chunk_id, _ in reserve_slots(found, 3)[:3]] == [1, 2, 20]
    assert [[chunk_id for chunk_id, _ in reserve_slots(found, limit)[:limit]] for limit in (2, 1)] == [[1, 20], [1]]
    assert sorted(reserve_slots(found, 4)) == sorted(reserve_slots(found, 50)) == sorted(ranked)
    assert reserve_slots(found, 50) == ranked
    assert reserve_slots(EdgeHits(ranked[:3], seeds=frozenset({1, 2, 3})), 9) == ranked[:3]


# ---- over a real file


def chunk_of(graph: Graph, uri: str) -> int:
    with graph.reading() as snapshot:
        document = find_document(snapshot.tx, uri)
        assert document is not None
        return chunk_ids_of_document(snapshot.tx, document.id)[0]


@pytest.fixture
def chunk_ids(graph: Graph) -> Sequence[int]:
    """Chunks login, tokens and rotation; the first depends on the second, the third elaborates it."""
    for name in ("login", "tokens", "rotation"):
        ingest_text(graph, f"memory://{name}", f"About {name}.")
    a, b, c = (chunk_of(graph, f"memory://{name}") for name in ("login", "tokens", "rotation"))
    with graph.writing(TEST) as write:
        add_chunk_edges(
            write.tx,
            [
                ChunkEdge(a, b, "depends_on", 0.9, "requires auth configuration", "agent"),
                ChunkEdge(c, b, "elaborates", 0.5, "details rotation", "agent"),
            ],
        )
    return a, b, c


def arm(graph: Graph, seeds: Ranked, plan: EdgeWalk | None = None, **more: Any) -> EdgeHits:
    with graph.reading() as snapshot:
        return edges_arm(snapshot, seeds, plan or EdgeWalk(), **more)


def related(graph: Graph, found: EdgeHits) -> dict[int, list[EdgeStep]]:
    with graph.reading() as snapshot:
        return related_steps(snapshot.tx, found, found.walked)


def test_a_hit_found_by_an_edge_has_the_chunk_relation_and_reason(graph: Graph, chunk_ids: Sequence[int]) -> None:
    a, b, c = chunk_ids
    found = arm(graph, [(a, 0.9)], EdgeWalk(bidirectional=True))
    assert [(chunk_id, round(score, 4)) for chunk_id, score in found.ranked] == [(a, 0.93), (b, 0.189), (c, 0.075)]
    with graph.reading() as snapshot:
        cited = {chunk_id: cite_chunk(chunk) for chunk_id, chunk in chunks_by_id(snapshot.tx, chunk_ids).items()}
    steps = related(graph, found)
    (step,) = steps[b]
    assert (step.from_chunk, step.relation, step.description, step.weight, step.hop, step.forward) == (
        *(cited[a], "depends_on", "requires auth configuration", 0.9, 1),
        True,
    )
    assert (steps[c][0].from_chunk, steps[c][0].forward) == (cited[b], False)
    assert (a in steps, found.notes) == (False, [])
    both = arm(graph, [(a, 0.9), (b, 0.8)], EdgeWalk(), limit=2)
    assert [(chunk_id, round(score, 4)) for chunk_id, score in both.ranked] == [(a, 0.93), (b, 0.86)]
    assert related(graph, both) == {}
    with graph.reading() as snapshot:
        assert notes_between_seeds(snapshot.tx, both, {a, b}, EdgeWalk()) == [
            f"[{cited[a]}] depends_on [{cited[b]}]: “requires auth configuration”"
        ]
        assert notes_between_seeds(snapshot.tx, both, {a}, EdgeWalk()) == []


def test_a_walk_that_reaches_nothing_says_so(graph: Graph, chunk_ids: Sequence[int]) -> None:
    a, b, c = chunk_ids
    none = "No edge of these relations leads on from the chunks found."

    assert arm(graph, [(a, 0.9)], EdgeWalk(relations=("contradicts",))).notes == [none]
    assert arm(graph, [(a, 0.9)], EdgeWalk(relations=("depends_on",))).notes == []
    assert arm(graph, [(b, 0.9)]).notes == ["No chunk edge leads on from the chunks found."]
    assert arm(graph, [(a, 0.9), (b, 0.9)]).notes == [], "an edge between two seeds is reported"
    within = arm(graph, [(a, 0.9)], among=np.array(sorted({a, c}), dtype=np.int64)).notes
    assert within == ["No chunk edge leads on from the chunks found to one that passes the filters."]


@pytest.mark.parametrize("mode", ["edges", "multi"])
def test_reached_chunks_have_slots_beside_more_seeds_than_hits(graph: Graph, mode: str) -> None:
    for number in range(12):
        ingest_text(graph, f"memory://tide{number}", f"The tide tables of harbour {number} list the tides.")
    ingest_text(graph, "memory://moss", "Moss on a roof keeps it damp.")
    assert "memory://moss" not in uris(ask(graph, "tide tables of harbour 3", mode=mode, limit=3))
    first, moss = chunk_of(graph, "memory://tide3"), chunk_of(graph, "memory://moss")
    with graph.writing(TEST) as write:
        add_chunk_edges(write.tx, [ChunkEdge(first, moss, "contradicts", 1.0, "they disagree", "agent")])

    plan, deep = EdgeWalk(relations=("contradicts",)), 13 if mode == "multi" else 3
    answer = ask(graph, "tide tables of harbour 3", mode=mode, limit=deep, walk=plan, explain=True)
    unknown = ask(graph, "tide tables of harbour 3", mode=mode, walk=EdgeWalk(relations=("caused_by",)))

    (hit,) = [hit for hit in answer.hits if hit.chunk.id == moss]
    assert [(step.relation, step.description) for step in hit.related] == [("contradicts", "they disagree")]
    assert any(arm.arm == "edges" for arm in hit.arms)
    assert uris(answer)[0] == "memory://tide3"
    assert any("No edge of these relations" in note for note in unknown.notes)


def test_excluded_chunks_are_walked_through_and_not_returned(graph: Graph, chunk_ids: Sequence[int]) -> None:
    a, _, c = chunk_ids
    among = np.array(sorted({a, c}), dtype=np.int64)
    found = arm(graph, [(a, 0.9)], EdgeWalk(bidirectional=True), among=among)
    assert [chunk_id for chunk_id, _ in found.ranked] == [a, c]
    assert len(arm(graph, [(a, 0.9)], limit=1).ranked) == 1


def test_a_walk_that_fails_or_has_no_edges_returns_its_seeds_with_a_note(
    graph: Graph, chunk_ids: Sequence[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, _, c = chunk_ids
    with graph.writing(TEST) as write:
        write.tx.run("UPDATE chunk_edge SET retired_change = $change", {"change": write.tx.change})
    none = arm(graph, [(a, 0.9), (c, 0.5)])
    assert ([chunk_id for chunk_id, _ in none.ranked], none.walked) == ([a, c], {})
    assert "no chunk edges" in none.notes[0]

    def fail(*_: object) -> None:
        raise BadInput("The index is broken.")

    monkeypatch.setattr(graph.indexes, "chunk_edges", fail)
    failed = arm(graph, [(a, 0.9)])
    assert ([round(score, 4) for _, score in failed.ranked], failed.walked) == ([0.93], {})
    assert "The index is broken." in failed.notes[0]


def test_the_settings_configure_the_walk(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("walk_hops = 3\nwalk_keyword_share = 0.4\nwalk_bidirectional = true\n", encoding="utf-8")
    settings = load_settings({"walk_decay": "1, .9,0.25"}, {"MCP_GRAPHRAG_WALK_SEEDS": "4"}, config)
    plan = with_settings(SearchQuery("one"), settings).walk
    assert plan == EdgeWalk(seeds=4, hops=3, decay=(1, 0.9, 0.25), bidirectional=True, keyword_share=0.4)
    assert with_settings(SearchQuery("one"), Settings()).walk == EdgeWalk()
    with pytest.raises(BadInput, match=r"walk_decay \(flag\) is '1,1\.5'"):
        load_settings({"walk_decay": "1,1.5"}, {}, config)
