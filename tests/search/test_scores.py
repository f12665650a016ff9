"""Scores of words and vectors, the gate of the graph and its seeds, worked out by hand."""

from collections.abc import Callable, Mapping
from math import log

import numpy as np
import pytest
from cached_files import Setup
from hypothesis import given
from hypothesis import strategies as st
from index_helpers import add_document
from search_helpers import FixedCosines, ask, changed, hit_uris, ingest_text, relate, searching, stored

from mcp_graphrag.fusion import reciprocal_rank_fusion, relative_to_best
from mcp_graphrag.graph import Graph
from mcp_graphrag.search import search_context
from mcp_graphrag.search.query import MODES, Fusion
from mcp_graphrag.store.rows.document_rows import ChunkFilter

QUESTION = "amber birch fjord gorse"
COSINES = {"cedar": 0.3, "elm": 0.1, "holly": 0.9}
CEDAR, ELM, HOLLY = map(stored, COSINES.values())


@pytest.fixture
def library(after: Callable[[Setup], Graph]) -> Graph:
    return changed(after(fill), embedder=FixedCosines(COSINES))


def fill(graph: Graph) -> None:
    """Chunks of three words each, title included: one has two words of the question, one has one, one has none."""
    fixed = changed(graph, embedder=FixedCosines(COSINES))
    for title, text in (("cedar", "amber birch"), ("elm", "dune ivy"), ("holly", "amber juniper")):
        ingest_text(fixed, f"m:{title}", text, title=title)


def rarity(chunks: int, of: int = 3) -> float:
    """The weight of a term of so many chunks in BM25; in a chunk of mean length that has it once, its score."""
    return log(1 + (of - chunks + 0.5) / (chunks + 0.5))


BEST = rarity(2) + rarity(1)


def apart(scores: list[float]) -> list[float]:
    """The scores of all chunks in standard deviations from their mean."""
    found = np.array(scores)
    return ((found - found.mean()) / found.std()).tolist()


def test_a_hybrid_score_tells_how_far_words_and_vectors_set_a_chunk_apart_by_the_share_of_vectors(
    library: Graph,
) -> None:
    fusion = Fusion(weights={"keyword": 2, "vector": 0.5})
    with searching(library, QUESTION, fusion=fusion) as context:
        scores = context.scores_of(np.array([1, 2, 3])).tolist()
        share = context.vector_share

    words, vectors = apart([BEST, 0.0, rarity(2)]), apart([CEDAR, ELM, HOLLY])
    expected = [2 * (1 - share) * word + 0.5 * share * vector for word, vector in zip(words, vectors, strict=True)]
    assert scores == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("question", "factor"),
    [("birch fjord gorse", 0.1), ("birch fjord GX12", 1.0), ("birch Old Kelp fjord", 1.0), ("amber birch", 1.0)],
)
def test_one_word_of_a_question_of_several_is_coincidence_unless_it_says_a_name_or_an_identifier(
    library: Graph, question: str, factor: float
) -> None:
    relate(library, "Old_Kelp near Weir")
    with searching(library, question, fusion=Fusion(weights={"vector": 0})) as context:
        score = float(context.scores_of(np.array([1, 2]))[0])
        share = context.vector_share

    words = apart([BEST if "amber" in question else rarity(1), 0.0, rarity(2) if "amber" in question else 0.0])
    assert score == pytest.approx(factor * (1 - share) * words[0], abs=1e-4)


def test_hits_are_set_apart_from_the_chunks_that_a_filter_allows(library: Graph) -> None:
    with searching(library, "kelp", among=np.array([1, 3])) as context:
        scores = context.scores_of(np.array([1, 3])).tolist()
        share = context.vector_share

    assert scores == pytest.approx([-share, share], abs=1e-5)


def test_the_best_of_many_chunks_is_set_apart_though_no_chunk_that_is_looked_at_has_a_word(
    library: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_context, "MAX_SAMPLE", 1)
    with searching(library, "ivy juniper", fusion=Fusion(weights={"vector": 0})) as context:
        scores = context.scores_of(np.array([2, 3])).tolist()
        share = context.vector_share

    assert scores == pytest.approx([1 - share, 1 - share], abs=1e-5)


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "keyword"])
def test_the_first_hit_has_score_1_even_where_nothing_tells_it_from_the_others(library: Graph, mode: str) -> None:
    answers = [ask(library, "kelp", mode=mode, allowed=ChunkFilter(documents=(uri,))) for uri in ("m:cedar", "m:holly")]
    same = ask(changed(library, embedder=FixedCosines({})), "kelp", mode=mode)

    assert [[hit.score for hit in answer.hits] for answer in answers] == [[1.0], [1.0]]
    assert same.hits[0].score == 1.0


@pytest.mark.parametrize(
    ("scores", "shares"),
    [([4.0, 1.0, 0.0, -1.0], [1.0, 0.25, 0.0, 0.0]), ([0.0, 0.0, -1.0], [1.0, 1.0, 0.0]), ([-0.1, -0.2], [1.0, 0.0])],
)
def test_scores_are_shares_of_the_best_one_which_has_1(scores: list[float], shares: list[float]) -> None:
    ranked = list(enumerate(scores))

    assert relative_to_best(ranked) == list(enumerate(shares))


def test_an_arm_of_weight_0_adds_no_chunks(library: Graph) -> None:
    fusions = {arm: Fusion(weights={arm: 0}) for arm in ("keyword", "vector")}

    found = {arm: hit_uris(ask(library, "birch", mode="hybrid", fusion=fusion)) for arm, fusion in fusions.items()}

    assert found == {"keyword": ["m:holly", "m:cedar", "m:elm"], "vector": ["m:cedar"]}


@pytest.mark.parametrize(
    ("mode", "limit", "depth"), [("keyword", 30, 60), ("vector", 7, 20), ("hybrid", 30, 100), ("auto", 70, 140)]
)
def test_an_arm_alone_ranks_twice_the_limit_from_twenty_and_a_fusion_at_least_a_hundred(
    graph: Graph, mode: str, limit: int, depth: int
) -> None:
    with searching(graph, "birch", mode=mode, limit=limit) as context:
        assert context.depth == depth


@pytest.fixture
def mill(after: Callable[[Setup], Graph]) -> Graph:
    return changed(after(fill_mill), embedder=FixedCosines({}))


def fill_mill(graph: Graph) -> None:
    """An entity that four documents are about, and one of a single document."""
    fixed = changed(graph, embedder=FixedCosines({}))
    relate(fixed, "Tide_Mill depends_on Rill_Weir")
    for number, title in enumerate(["Tide Mill"] * 4 + ["Rill Weir"]):
        ingest_text(fixed, f"m:{number}", f"page {number}", title=title)


@pytest.mark.parametrize(
    ("query", "fusion", "gate"),
    [
        ("the Tide Mill", Fusion(), 1.0),
        ("the Tide Mill", Fusion(gate=0.5), 0.125),
        ("the Tide Mill", Fusion(gate=1.0), 1 / 64),
        ("the Tide Mill", Fusion(gate=0.2), 1.0),
        ("the Tide Mill", Fusion(gate=0), 1.0),
        ("the Tide Mill", Fusion("rrf"), 1.0),
        ("the Tide Mill and the Rill Weir", Fusion(gate=2.0), 0.125),
        ("nothing of it", Fusion(gate=0), 0.0),
    ],
)
def test_the_gate_is_the_cube_of_how_specific_the_rarest_name_of_the_question_is(
    mill: Graph, query: str, fusion: Fusion, gate: float
) -> None:
    with searching(mill, query, fusion=fusion) as context:
        assert context.gate == pytest.approx(gate)


def test_a_name_is_as_specific_in_more_chunks_of_a_larger_file(mill: Graph) -> None:
    add_document(mill.store, ["page"] * 3_995)

    with searching(mill, "the Tide Mill", fusion=Fusion(gate=1.0)) as context:
        assert context.gate == pytest.approx((2 * 0.25) ** 3)


def test_a_seed_counts_the_chunks_that_mention_it_or_have_all_words_of_its_name(mill: Graph) -> None:
    relate(mill, "Sluice is_a Door", "Odd_Page is_a Door", "Dry_Lock is_a Door")
    for number in range(3):
        text = "The sluice drips. A dry lock is safe." if number else "The sluice drips. It is dry."
        ingest_text(mill, f"m:sluice{number}", text, title="Sluice" if number == 0 else "")

    with searching(mill, "Rill Weir, Odd Page, the sluice, Tide Mill, dry lock, a Door") as context:
        found: Mapping[str, tuple[str, float, int]] = {
            seed.name: (seed.words, seed.weight, seed.chunks) for seed in context.seeds
        }

    assert found == {
        "Rill Weir": ("Rill Weir", 1.0, 1),
        "Odd Page": ("Odd Page", 1.0, 0),
        "Sluice": ("the sluice", 1 / 3, 3),
        "Tide Mill": ("Tide Mill", 0.25, 4),
        "Dry Lock": ("dry lock", 0.5, 2),
        "Door": ("Door", 1.0, 0),
    }
    assert list(found) == ["Rill Weir", "Odd Page", "Sluice", "Tide Mill", "Dry Lock", "Door"]


@pytest.mark.parametrize(
    ("query", "chunks"),
    [
        ("who wrote Lichen", 1),
        ("who wrote the Lichen", 1),
        ("what is lichen", 3),
        ("Lichen on stones", 3),
        ("of Moss", 3),
    ],
)
def test_a_capitalised_title_in_a_question_is_the_document_and_not_the_word(
    mill: Graph, query: str, chunks: int
) -> None:
    relate(mill, "Lichen is_a Play", "Moss is_a Plant")
    for number, title in enumerate(["Lichen (play)", "Stones", "Walls"]):
        ingest_text(mill, f"m:lichen{number}", "Grey lichen and moss.", title=title)

    with searching(mill, query) as context:
        assert [seed.chunks for seed in context.seeds] == [chunks]


RANKINGS = st.dictionaries(
    st.sampled_from(["keyword", "vector", "graph"]), st.lists(st.integers(1, 9), unique=True, max_size=6)
)


@given(arms=RANKINGS, k=st.integers(1, 100), scores=st.lists(st.floats(-1, 1), min_size=6, max_size=6))
def test_the_fusion_is_the_sum_of_reciprocal_ranks_whatever_the_scores(
    arms: dict[str, list[int]], k: int, scores: list[float]
) -> None:
    fused = reciprocal_rank_fusion({arm: list(zip(ids, scores, strict=False)) for arm, ids in arms.items()}, k=k)

    expected: dict[int, float] = {}
    for ids in arms.values():
        for rank, id_ in enumerate(ids, start=1):
            expected[id_] = expected.get(id_, 0) + 1 / (k + rank)
    assert dict(fused) == pytest.approx(expected)
    assert [(-score, item) for item, score in fused] == sorted((-score, item) for item, score in fused)


def test_the_rank_in_an_arm_counts_by_the_arms_weight() -> None:
    fused = reciprocal_rank_fusion({"a": [(1, 0.0)], "b": [(2, 0.0)]}, k=9, weights={"b": 2})

    assert fused == [(2, 0.2), (1, 0.1)]
