"""The weights with which the modes over the graph fuse their arms, worked out by hand."""

import itertools
from collections.abc import Callable, Mapping

import numpy as np
import pytest
from cached_files import Setup
from search_helpers import TEST, FixedCosines, ask, changed, ingest_text, relate, searching, shares_of_best

from mcp_graphrag.chunk_edges.add_edges import EdgeInput
from mcp_graphrag.chunk_edges.edge_walk import EdgeWalk
from mcp_graphrag.fusion import Ranked
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate, Hit, Relation
from mcp_graphrag.search.pagerank_passes import (
    PageRankPass,
    first_pass,
    fuse_weighted,
    one_pass_order,
    restart_distribution,
    second_pass,
    two_pass_order,
)
from mcp_graphrag.search.query import Fusion

COSINES = {
    "page 0": 0.9,
    "page 1": 0.5,
    "page 2": 0.7,
    "page 3": 0.2,
    "near": 0.6,
    "far": 0.8,
    "Rill": 0.4,
    "dawn": 0.3,
}
QUESTION = "what of the Tide Mill"
GATE = 0.125  # of a name in four chunks with the gate of 0.5 that is set below: (1/4 / 0.5) ** 3


@pytest.fixture
def mill(after: Callable[[Setup], Graph]) -> Graph:
    return changed(after(fill), embedder=FixedCosines(COSINES))


def fill(graph: Graph) -> None:
    """Four documents about a mill, one about a weir, and one that states what the mill depends on."""
    fixed = changed(graph, embedder=FixedCosines(COSINES))
    for number in range(4):
        ingest_text(fixed, f"m:{number}", f"page {number}", title="Tide Mill")
    ingest_text(fixed, "m:4", "near", title="Weir Book")
    ingest_text(fixed, "m:5", "far", title="Other")
    relate(fixed, "Tide_Mill depends_on Rill_Weir", source="m:5", quote="far")
    cited = [hit.citation for hit in sorted(ask(fixed, "page far", mode="vector").hits, key=lambda hit: hit.chunk.id)]
    fixed.add_edges([EdgeInput(cited[0], cited[4], "contradicts", 0.8, "")], origin=TEST)


def reached(scores: Mapping[int, float]) -> PageRankPass:
    """A first pass with these scores of chunks."""
    nodes = np.zeros(2 * max(scores, default=0) + 1, dtype=np.float32)
    nodes[[2 * chunk_id for chunk_id in scores]] = list(scores.values())
    return PageRankPass([], [], nodes)


def ranks(hit: Hit) -> Mapping[str, int]:
    return {arm.arm: arm.rank for arm in hit.arms}


def test_arms_count_by_their_weight_over_twenty_more_than_the_rank_and_arms_of_weight_0_not_at_all() -> None:
    arms: dict[str, Ranked] = {"a": [(1, 0.0), (2, 0.0)], "b": [(3, 0.0)], "c": [(2, 0.0)]}

    fused = fuse_weighted(arms, {"a": 2.0, "b": 0.0, "c": 0.5})

    assert fused == [(2, pytest.approx(2 / 22 + 0.5 / 21)), (1, pytest.approx(2 / 21))]


@pytest.mark.parametrize("weight", [0.5, 2.0])
def test_the_orders_of_both_passes_weigh_the_graph_by_the_gate(mill: Graph, weight: float) -> None:
    walk = PageRankPass([(4, 0.9), (99, 0.1)], (), np.zeros(0, dtype=np.float32))
    with searching(mill, QUESTION, mode="multi_hop", fusion=Fusion(weights={"pagerank": weight}, gate=0.5)) as context:
        both = {chunk_id: 1 / (20 + rank) for rank, (chunk_id, _) in enumerate(context.by_both, start=1)}
        one, two = dict(one_pass_order(context, walk)), dict(two_pass_order(context, walk))

    graph = {4: 1 / 21, 99: 1 / 22}
    rest = 1 - 0.9 * min(weight, 1) * GATE
    assert one == pytest.approx(
        {at: both.get(at, 0) + 4 * GATE * weight * graph.get(at, 0) for at in both.keys() | graph.keys()}
    )
    assert two == pytest.approx(
        {at: rest * both.get(at, 0) + 8 * GATE * weight * graph.get(at, 0) for at in both.keys() | graph.keys()}
    )


def test_a_walk_restarts_at_the_names_of_the_question_and_a_little_at_the_best_chunks(mill: Graph) -> None:
    with searching(mill, QUESTION, mode="multi_hop") as context:
        (seed,) = context.seeds
        nodes, weights = restart_distribution(context, context.seeds, chunks=2)
        best = list(context.relative_scores.items())[:2]
        walked = first_pass(context)

    assert [at for at, _ in best] == [1, 3]
    expected = {2 * seed.entity_id + 1: 0.25, 2: 0.02, 6: 0.02 * best[1][1] ** 0.5}
    assert dict(zip(nodes.tolist(), weights.tolist(), strict=True)) == pytest.approx(expected)
    assert sum(walked.scores.tolist()) == pytest.approx(1)
    assert [at for at, _ in walked.ranked] == [1, 3, 2, 4]  # the fifth is no nearer than the mean
    assert [score for _, score in walked.ranked] == [walked.scores[2 * at] for at, _ in walked.ranked]


@pytest.mark.parametrize(("relations", "edges"), [((), 0.1 * GATE), (("contradicts",), 0.25)])
def test_mode_multi_weighs_the_graph_by_the_gate_and_edges_fully_if_relations_are_named(
    mill: Graph, relations: tuple[Relation, ...], edges: float
) -> None:
    given = {"both": 0.5, "pagerank": 3.0, "graph": 5.0, "edges": 7.0}
    plan = EdgeWalk(seeds=1, relations=relations)
    hits = ask(mill, QUESTION, mode="multi", walk=plan, fusion=Fusion(weights=given, gate=0.5)).hits
    both = {hit.chunk.id: at for at, hit in enumerate(ask(mill, QUESTION, mode="hybrid").hits, start=1)}

    weights = {"both": 0.5, "pagerank": 12 * GATE, "graph": 1.25 * GATE, "edges": 7 * edges}
    expected = {
        hit.chunk.id: sum(
            weights[arm] / (20 + rank)
            for arm, rank in {**ranks(hit), "both": both[hit.chunk.id]}.items()
            if arm in weights
        )
        for hit in hits
    }
    assert {arm for hit in hits for arm in ranks(hit)} == {"keyword", "vector", "pagerank", "graph", "edges"}
    assert {hit.chunk.id: hit.score for hit in hits} == pytest.approx(shares_of_best(expected))
    assert len(hits) == 6


@pytest.mark.parametrize("mode", ["graph", "multi"])
def test_rrf_fuses_every_arm_by_rank_and_weight_alone(mill: Graph, mode: str) -> None:
    weights = {"keyword": 2.0, "graph": 3.0}

    hits = ask(mill, QUESTION, mode=mode, fusion=Fusion("rrf", 9, weights)).hits

    sums = {hit.chunk.id: sum(weights.get(arm, 1) / (9 + rank) for arm, rank in ranks(hit).items()) for hit in hits}
    assert {hit.chunk.id: hit.score for hit in hits} == pytest.approx(shares_of_best(sums))
    assert len(hits) == 6


def test_mode_graph_gives_each_chunk_the_better_of_its_ranks_in_the_graph_and_in_words_and_vectors(
    mill: Graph,
) -> None:
    both = [hit.chunk.id for hit in ask(mill, QUESTION, mode="hybrid").hits]

    hits = ask(mill, QUESTION, mode="graph", fusion=Fusion(weights={"graph": 0.9})).hits

    order = [both[0], 6, *(at for at in both[1:] if at != 6)]
    expected = {at: 0.9 if at == 6 else 1 / (both.index(at) + 1) for at in order}
    assert [(hit.chunk.id, hit.score) for hit in hits] == [(at, pytest.approx(expected[at])) for at in order]
    without = ask(mill, QUESTION, mode="graph", fusion=Fusion(weights={"graph": 0})).hits
    assert [hit.chunk.id for hit in without] == both


@pytest.mark.parametrize(("gate", "shown"), [(0.3, 2), (0.25, 1)])
def test_auto_shows_two_hits_of_the_first_pass_first_and_one_where_the_gate_is_fully_open(
    mill: Graph, gate: float, shown: int
) -> None:
    fusion = Fusion(gate=gate)
    with searching(mill, QUESTION, fusion=fusion) as context:
        first = first_pass(context)
        direct = one_pass_order(context, first)
        second = two_pass_order(context, second_pass(context, first, direct))

    answer = ask(mill, QUESTION, fusion=fusion)

    order = list(dict.fromkeys(at for at, _ in [*direct[:shown], *second]))
    assert answer.mode == "multi_hop"
    assert [(hit.chunk.id, hit.score) for hit in answer.hits] == [
        (at, pytest.approx(21 / (20 + rank))) for rank, at in enumerate(order, start=1)
    ]


def test_the_second_pass_starts_also_where_sentences_near_to_the_question_in_chunks_near_to_the_seeds_lead(
    mill: Graph,
) -> None:
    long = "They row out at dawn " + "and again " * 30
    ingest_text(mill, "m:6", f"# The heading of it all\n\nToo short.\n\n{long}.", title="Old Barge")
    relate(mill, "Old_Barge is_a Boat")
    with searching(mill, QUESTION, mode="multi_hop") as context:
        found = second_pass(context, reached({6: 0.4, 7: 0.2}), [(6, 0.9), (7, 0.1)]).seeds

    cited = {hit.chunk.id: hit.citation for hit in ask(mill, QUESTION, mode="vector").hits}
    quote = f"“{long[:160].rstrip()}…” ({cited[7]})"
    assert [(seed.name, seed.words, round(seed.weight, 6), seed.chunks) for seed in found] == [
        ("Tide Mill", "the Tide Mill", 0.25, 4),
        ("Old Barge", quote, pytest.approx(0.3 / 2), 1),
    ]


def test_the_second_pass_reads_five_chunks_and_takes_five_statements(graph: Graph) -> None:
    names = ["Ash", "Birch", "Cedar", "Dogwood", "Elm", "Fir"]
    fixed = changed(
        graph, embedder=FixedCosines({"Ash. Never": 0.1, **{name: 0.9 - at / 10 for at, name in enumerate(names)}})
    )
    for name in names:
        relate(fixed, f"{name} is_a Tree")
        more = "Never so very near at all." if name == "Ash" else ""
        ingest_text(fixed, f"m:{name}", f"It stands in the old park. {more}", title=name)

    with searching(fixed, "which one is it", mode="multi_hop") as context:
        five, other = (
            second_pass(context, reached({}), [(at, 0.5) for at in order]).seeds
            for order in (range(1, 7), range(6, 0, -1))
        )

    assert [(seed.name, round(seed.weight, 6)) for seed in five] == [
        ("Ash", 0.9),
        ("Birch", 0.8),
        ("Cedar", 0.7),
        ("Dogwood", 0.6),
        ("Elm", 0.5),
    ]
    assert [seed.name for seed in other] == names[1:]


@pytest.mark.parametrize(
    ("question", "directors"),
    [
        ("When were the directors of Low Tide born?", [("Una Weir", 2 * 0.25**0.5)]),
        ("Who is director of Low Tide?", [("Una Weir", 2 * 0.25**0.5)]),
        ("Who directed the film Low Tide?", [("Una Weir", 2 * 0.25**0.5)]),
        ("When was Low Tide shown?", []),
        ("When were the directors born?", []),
    ],
)
def test_the_second_pass_starts_also_at_what_answers_a_part_of_the_question(
    graph: Graph, question: str, directors: list[tuple[str, float]]
) -> None:
    fixed = changed(graph, embedder=FixedCosines({"performer": 0.9, "directed by": 0.2}))
    ingest_text(fixed, "m:0", "It was shown in spring.", title="Low Tide")
    ingest_text(fixed, "m:1", "It was shown in autumn.", title="High Tide")
    performers = [f"Low_Tide performer {name}" for name in ("Ash", "Birch", "Cedar", "Dogwood", "Elm", "Fir")]
    relate(fixed, *performers, "Low_Tide directed_by Una_Weir", source="m:0", quote="shown in spring")

    with searching(fixed, question, mode="multi_hop") as context:
        seeds = second_pass(context, reached({1: 0.1, 2: 0.4}), [(1, 0.9), (2, 0.8)]).seeds

    found = {(seed.name, round(seed.weight, 6)) for seed in seeds if seed.name not in {"Low Tide", "spring"}}
    assert found == set(directors)  # twice where the question itself names the film and the predicate


def test_the_second_pass_starts_also_at_ends_of_triples_that_stand_in_a_sentence_as_whole_words(graph: Graph) -> None:
    fixed = changed(graph, embedder=FixedCosines({"moored": 0.8}))
    text = "The grey barge was moored beside the old lock. The lockkeeper of the old lockhouse saw a grey barge."
    ingest_text(fixed, "m:0", text, title="Notes")
    candidates = [Candidate("grey barge", "near", name, source="m:0", quote="moored") for name in ("old lock", "Rill")]
    fixed.add_triples(candidates)

    with searching(fixed, "where was it", mode="multi_hop") as context:
        seeds = second_pass(context, reached({1: 0.4}), [(1, 0.9)]).seeds

    assert [(seed.name, round(seed.weight, 6), seed.words.partition(" (")[0]) for seed in seeds] == [
        ("grey barge", 0.8, "“The grey barge was moored beside the old lock.”"),
        ("old lock", 0.8, "“The grey barge was moored beside the old lock.”"),
    ]


def test_the_second_pass_takes_labelled_lines_and_rows_one_by_one(graph: Graph) -> None:
    fixed = changed(graph, embedder=FixedCosines({"Supplier": 0.9, "Buyer": 0.2, "barley": 0.5, "Item": 0.4}))
    text = "Supplier: Elm Works Ltd\nBuyer: Oak Market Hall\n\n| Item | Price |\n|---|---|\n| barley flour | 3.10 |\n"
    ingest_text(fixed, "m:note", text, title="Note")
    relate(fixed, "Note is_a Form")

    with searching(fixed, "which one is it", mode="multi_hop") as context:
        (seed,) = second_pass(context, reached({1: 0.2}), [(1, 0.9)]).seeds

    assert (seed.name, seed.words.partition(" (")[0], round(seed.weight, 6)) == (
        "Note",
        "“Supplier: Elm Works Ltd”",
        0.9,
    )


def test_a_hit_is_explained_by_a_path_of_at_most_four_entities_and_chunks(graph: Graph) -> None:
    fixed = changed(graph, embedder=FixedCosines({}))
    chain = ("Ash", "Birch", "Cedar", "Dogwood", "Elm")
    for name in (*chain, "Fir"):
        ingest_text(fixed, f"m:{name}", f"page of {name.upper()}S", title=name)
    relate(fixed, *[f"{one} uses {other}" for one, other in itertools.pairwise(chain)])

    hits = ask(fixed, "what has Ash to do with it", mode="multi", explain=True).hits

    start = "Ash, named in the question as “Ash” (in 1 chunk)."
    assert {hit.chunk.document.title: hit.why[-1:] for hit in hits} == {
        "Ash": (f"Mentions {start}",),
        "Birch": (f"Mentions Birch ← {start}",),
        "Cedar": (f"Mentions Cedar ← Birch ← {start}",),
        "Dogwood": (f"Mentions Dogwood ← Cedar ← Birch ← {start}",),
        "Elm": (),
        "Fir": (),
    }
