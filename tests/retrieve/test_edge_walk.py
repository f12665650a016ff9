"""The walk over chunk edges: its scores, its ways, and what it tells of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from retrieve_stories import TEST, ask, read
from retrieve_stories import found as uris

from mcp_graphrag.errors import BadInput
from mcp_graphrag.index.chunk_edges import ChunkEdges, chunk_edges_from
from mcp_graphrag.model import ChunkEdge, EdgeStep, Relation
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.search import edge_walk as plan_of
from mcp_graphrag.retrieve import edge_walk
from mcp_graphrag.retrieve.edge_walk import (
    EdgeHits,
    EdgeWalk,
    choose_seeds,
    edges_arm,
    follow,
    related_of,
    said_between,
    walk_edges,
    with_room,
)
from mcp_graphrag.retrieve.fuse import Ranked
from mcp_graphrag.settings import Settings, load_settings
from mcp_graphrag.store.chunk_edges import RELATIONS, add_chunk_edges
from mcp_graphrag.store.citation import cite_chunk
from mcp_graphrag.store.documents import chunk_ids_of_document, chunks_by_id, find_document

Edge = tuple[int, Relation, int, float]


def edges(*told: Edge) -> ChunkEdges:
    """Chunk edges, numbered from 1 as they are told."""
    return chunk_edges_from(
        {
            "id": np.arange(1, len(told) + 1),
            "source_id": np.array([source for source, _, _, _ in told], dtype=np.int64),
            "target_id": np.array([target for _, _, target, _ in told], dtype=np.int64),
            "relation": np.array([RELATIONS.index(relation) for _, relation, _, _ in told], dtype=np.int64),
            "weight": np.array([weight for _, _, _, weight in told], dtype=np.float32),
        }
    )


def scores(graph: ChunkEdges, seeds: Ranked, **plan: Any) -> dict[int, float]:
    """Score by chunk, in the order of the answer."""
    return {hit.chunk_id: round(hit.score, 6) for hit in walk_edges(graph, seeds, EdgeWalk(**plan))}


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


def test_the_best_score_of_a_chunk_is_kept_though_a_longer_way_gives_it() -> None:
    graph = edges((1, "references", 3, 0.1), (1, "references", 2, 1.0), (2, "depends_on", 3, 1.0))
    assert scores(graph, [(1, 0.0)]) == {1: 0.3, 2: 0.21, 3: 0.15}
    hit = walk_edges(graph, [(1, 0.0)], EdgeWalk())[-1]
    assert (hit.hop, [(step.from_chunk, step.relation, step.hop) for step in hit.steps]) == (
        1,
        [(2, "depends_on", 2), (1, "references", 1)],
    )


def test_a_seed_that_edges_lead_to_stays_a_seed_and_cosines_stay_between_0_and_1() -> None:
    hits = walk_edges(edges((1, "references", 2, 1.0)), [(1, 1.0000001), (2, -0.2), (2, -0.3)], EdgeWalk())
    assert [(hit.chunk_id, round(hit.score, 6), hit.hop) for hit in hits] == [(1, 1.0, 0), (2, 0.3, 0)]


def test_two_seeds_that_contradict_each_other_both_say_so() -> None:
    heavier: list[Edge] = [(1, "references", target, 1.0) for target in range(10, 20)]
    graph = edges(*heavier, (1, "contradicts", 2, 0.5), (2, "depends_on", 1, 0.9), (3, "references", 1, 1.0))
    seeds = [(1, 0.9), (2, 0.8)]

    def told(**plan: Any) -> dict[int, list[tuple[int, str]]]:
        found = walk_edges(graph, seeds, EdgeWalk(**plan))
        assert [(hit.chunk_id, round(hit.score, 6), hit.hop) for hit in found[:2]] == [(1, 0.93, 0), (2, 0.86, 0)]
        return {hit.chunk_id: [(step.from_chunk, step.relation) for step in hit.steps] for hit in found[:2]}

    assert told() == {1: [(2, "depends_on"), (2, "contradicts")], 2: [(1, "contradicts")]}
    assert told(relations=("contradicts",)) == {1: [(2, "contradicts")], 2: [(1, "contradicts")]}
    assert told(relations=("references",)) == {1: [], 2: []}, "chunk 3 is no seed, and was not walked from"
    assert told(min_weight=0.6) == {1: [(2, "depends_on")], 2: []}


def test_edges_are_walked_from_source_to_target_but_symmetric_ones_both_ways() -> None:
    graph = edges((2, "depends_on", 1, 1.0), (3, "similar_to", 1, 0.5), (4, "contradicts", 1, 0.4))
    assert list(scores(graph, [(1, 1.0)])) == [1, 3, 4]
    assert list(scores(graph, [(1, 1.0)], bidirectional=True)) == [1, 2, 3, 4]
    backward = walk_edges(graph, [(1, 1.0)], EdgeWalk(bidirectional=True))[1].steps[0]
    assert (backward.from_chunk, backward.forward) == (1, False)


def test_only_the_wanted_relations_and_weights_are_walked() -> None:
    graph = edges((1, "depends_on", 2, 0.3), (1, "references", 3, 0.8), (3, "depends_on", 4, 0.9))
    assert list(scores(graph, [(1, 1.0)], relations=("depends_on",))) == [1, 2]
    assert list(scores(graph, [(1, 1.0)], min_weight=0.8)) == [1, 3, 4]


def test_chunks_of_one_score_come_by_id_and_nothing_is_no_trouble() -> None:
    graph = edges((1, "references", 9, 0.5), (1, "references", 4, 0.5), (1, "references", 7, 0.5))
    assert list(scores(graph, [(1, 0.5)])) == [1, 4, 7, 9]
    assert walk_edges(graph, [], EdgeWalk()) == []
    assert list(scores(edges(), [(5, 0.5)])) == [5]


def test_a_hub_does_not_flood_the_walk() -> None:
    hub: list[Edge] = [(1, "references", target, target / 1000) for target in range(2, 900)]
    graph = edges(*hub, (2000, "references", 2001, 0.001))
    found = scores(graph, [(1, 1.0), (2000, 0.9)], fan=3)
    assert list(found) == [1, 2000, 899, 898, 897, 2001]
    trail = follow(graph, [(1, 1.0)], EdgeWalk(most=5))
    assert (trail.reached.tolist(), trail.cut) == ([899, 898, 897, 896, 895], True)


def test_seeds_are_the_nearest_unless_keywords_have_a_share() -> None:
    vector, keyword = [(1, 0.9), (2, 0.8), (3, 0.7)], [(7, 8.0), (2, 6.0)]
    assert choose_seeds(vector, keyword, EdgeWalk(seeds=2)) == [(1, 0.9), (2, 0.8)]
    shared = choose_seeds(vector, keyword, EdgeWalk(seeds=3, keyword_share=0.5))
    assert shared == [(2, 0.8), (1, 0.9), (7, 0.7)]
    assert choose_seeds(vector, keyword, EdgeWalk(seeds=2, keyword_share=1)) == [(7, 0.7), (2, 0.8)]
    assert choose_seeds([], keyword, EdgeWalk()) == [(7, 1.0), (2, 0.75)]


def test_a_short_answer_has_room_for_what_edges_led_to() -> None:
    ranked = [(seed, 0.9 - seed / 100) for seed in range(1, 11)] + [(20, 0.2), (21, 0.1)]
    found = EdgeHits(ranked, frozenset(range(1, 11)))
    assert [each for each, _ in with_room(found, 6)[:6]] == [1, 2, 3, 4, 20, 21]
    assert [each for each, _ in with_room(found, 4)[:4]] == [1, 2, 3, 20]
    assert [each for each, _ in with_room(found, 3)[:3]] == [1, 2, 20]
    assert [[each for each, _ in with_room(found, limit)[:limit]] for limit in (2, 1)] == [[1, 20], [1]]
    assert sorted(with_room(found, 4)) == sorted(with_room(found, 50)) == sorted(ranked)
    assert with_room(found, 50) == ranked
    assert with_room(EdgeHits(ranked[:3], seeds=frozenset({1, 2, 3})), 9) == ranked[:3]


# ---- over a real file


def chunk_of(pipeline: Pipeline, uri: str) -> int:
    with pipeline.reading() as tx:
        document = find_document(tx, uri)
        assert document is not None
        return chunk_ids_of_document(tx, document.id)[0]


@pytest.fixture
def told(pipeline: Pipeline) -> Sequence[int]:
    """Chunks login, tokens and rotation; the first depends on the second, the third elaborates it."""
    for name in ("login", "tokens", "rotation"):
        read(pipeline, f"memory://{name}", f"About {name}.")
    a, b, c = (chunk_of(pipeline, f"memory://{name}") for name in ("login", "tokens", "rotation"))
    with pipeline.writing(TEST) as tx:
        add_chunk_edges(
            tx,
            [
                ChunkEdge(a, b, "depends_on", 0.9, "requires auth configuration", "agent"),
                ChunkEdge(c, b, "elaborates", 0.5, "details rotation", "agent"),
            ],
        )
    return a, b, c


def arm(pipeline: Pipeline, seeds: Ranked, plan: EdgeWalk | None = None, **more: Any) -> EdgeHits:
    with pipeline.reading() as tx:
        return edges_arm(pipeline.store, tx, seeds, plan or EdgeWalk(), **more)


def related(pipeline: Pipeline, found: EdgeHits) -> dict[int, list[EdgeStep]]:
    with pipeline.reading() as tx:
        return related_of(tx, found, found.walked)


def test_a_hit_found_by_an_edge_says_from_where_by_which_relation_and_why(
    pipeline: Pipeline, told: Sequence[int]
) -> None:
    a, b, c = told
    found = arm(pipeline, [(a, 0.9)], EdgeWalk(bidirectional=True))
    assert [(each, round(score, 4)) for each, score in found.ranked] == [(a, 0.93), (b, 0.189), (c, 0.075)]
    with pipeline.reading() as tx:
        cited = {each: cite_chunk(chunk) for each, chunk in chunks_by_id(tx, told).items()}
    led = related(pipeline, found)
    (step,) = led[b]
    assert (step.from_chunk, step.relation, step.description, step.weight, step.hop, step.forward) == (
        *(cited[a], "depends_on", "requires auth configuration", 0.9, 1),
        True,
    )
    assert (led[c][0].from_chunk, led[c][0].forward) == (cited[b], False)
    assert (a in led, found.notes) == (False, [])
    both = arm(pipeline, [(a, 0.9), (b, 0.8)], EdgeWalk(), limit=2)
    assert [(each, round(score, 4)) for each, score in both.ranked] == [(a, 0.93), (b, 0.86)]
    assert related(pipeline, both) == {}
    with pipeline.reading() as tx:
        assert said_between(tx, both, {a, b}, EdgeWalk()) == [
            f"[{cited[a]}] depends_on [{cited[b]}]: “requires auth configuration”"
        ]
        assert said_between(tx, both, {a}, EdgeWalk()) == []


def test_a_walk_that_leads_nowhere_says_so(pipeline: Pipeline, told: Sequence[int]) -> None:
    a, b, c = told
    none_asked = "No edge of these relations leads on from the passages found."

    assert arm(pipeline, [(a, 0.9)], EdgeWalk(relations=("contradicts",))).notes == [none_asked]
    assert arm(pipeline, [(a, 0.9)], EdgeWalk(relations=("depends_on",))).notes == []
    assert arm(pipeline, [(b, 0.9)]).notes == ["No chunk edge leads on from the passages found."]
    assert arm(pipeline, [(a, 0.9), (b, 0.9)]).notes == [], "what lies between them is told"
    within = arm(pipeline, [(a, 0.9)], among=np.array(sorted({a, c}), dtype=np.int64)).notes
    assert within == ["No chunk edge leads on from the passages found to one that the filters let through."]


@pytest.mark.parametrize("mode", ["edges", "multi"])
def test_what_edges_lead_to_has_its_place_beside_more_seeds_than_hits(pipeline: Pipeline, mode: str) -> None:
    for number in range(12):
        read(pipeline, f"memory://tide{number}", f"The tide tables of harbour {number} list the tides.")
    read(pipeline, "memory://moss", "Moss on a roof keeps it damp.")
    assert "memory://moss" not in uris(ask(pipeline, "tide tables of harbour 3", mode=mode, limit=3))
    first, moss = chunk_of(pipeline, "memory://tide3"), chunk_of(pipeline, "memory://moss")
    with pipeline.writing(TEST) as tx:
        add_chunk_edges(tx, [ChunkEdge(first, moss, "contradicts", 1.0, "they disagree", "agent")])

    plan, deep = EdgeWalk(relations=("contradicts",)), 13 if mode == "multi" else 3
    answer = ask(pipeline, "tide tables of harbour 3", mode=mode, limit=deep, walk=plan, explain=True)
    unknown = ask(pipeline, "tide tables of harbour 3", mode=mode, walk=EdgeWalk(relations=("caused_by",)))

    (hit,) = [hit for hit in answer.hits if hit.chunk.id == moss]
    assert [(step.relation, step.description) for step in hit.related] == [("contradicts", "they disagree")]
    assert any(arm.arm == "edges" for arm in hit.arms)
    assert uris(answer)[0] == "memory://tide3"
    assert any("No edge of these relations" in note for note in unknown.notes)


def test_chunks_that_the_filters_exclude_are_walked_through_and_not_answered(
    pipeline: Pipeline, told: Sequence[int]
) -> None:
    a, _, c = told
    among = np.array(sorted({a, c}), dtype=np.int64)
    found = arm(pipeline, [(a, 0.9)], EdgeWalk(bidirectional=True), among=among)
    assert [each for each, _ in found.ranked] == [a, c]
    assert len(arm(pipeline, [(a, 0.9)], limit=1).ranked) == 1


def test_a_walk_that_fails_or_has_no_edges_returns_its_seeds_with_a_note(
    pipeline: Pipeline, told: Sequence[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    a, _, c = told
    with pipeline.writing(TEST) as tx:
        tx.run("UPDATE chunk_edge SET retired_change = $change", {"change": tx.change})
    none = arm(pipeline, [(a, 0.9), (c, 0.5)])
    assert ([each for each, _ in none.ranked], none.walked) == ([a, c], {})
    assert "no chunk edges" in none.notes[0]

    def torn(*_: object) -> None:
        raise BadInput("It is torn.")

    monkeypatch.setattr(edge_walk, "chunk_edges", torn)
    failed = arm(pipeline, [(a, 0.9)])
    assert ([round(score, 4) for _, score in failed.ranked], failed.walked) == ([0.93], {})
    assert "It is torn." in failed.notes[0]


def test_the_walk_is_set_by_settings(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("walk_hops = 3\nwalk_keyword_share = 0.4\nwalk_bidirectional = true\n", encoding="utf-8")
    settings = load_settings({"walk_decay": "1, .9,0.25"}, {"MCP_GRAPHRAG_WALK_SEEDS": "4"}, config)
    plan = plan_of(settings)
    assert plan == EdgeWalk(seeds=4, hops=3, decay=(1, 0.9, 0.25), bidirectional=True, keyword_share=0.4)
    assert plan_of(Settings()) == EdgeWalk()
    with pytest.raises(BadInput, match=r"walk_decay \(flag\) is '1,1\.5'"):
        load_settings({"walk_decay": "1,1.5"}, {}, config)
