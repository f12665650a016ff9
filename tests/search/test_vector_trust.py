"""What vectors are worth in a collection: how well they find a chunk by one of its own sentences."""

from collections.abc import Sequence

import pytest
from search_helpers import FixedCosines, ask, changed, ingest_text, searching

from mcp_graphrag.embed import Embedder
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Matrix
from mcp_graphrag.search.vector_trust import PRIOR_PROBES, measure_trust

WORDS = "amber birch cedar dune elm fjord gorse holly ivy juniper kelp larch maple nettle oak poplar".split()  # noqa: SIM905


def fill(graph: Graph) -> Graph:
    """One document for each word, of two sentences."""
    for word in WORDS:
        ingest_text(
            graph, f"m:{word}", f"Old {word} trees grow near rivers. Young {word} leaves taste quite sour today."
        )
    return graph


def test_vectors_that_tell_no_chunk_from_another_are_worth_what_a_small_collection_can_show(graph: Graph) -> None:
    blind = fill(changed(graph, embedder=FixedCosines({})))

    with blind.reading() as snapshot:
        trust = measure_trust(snapshot)

    assert trust == pytest.approx((PRIOR_PROBES + 1) / (PRIOR_PROBES + len(WORDS)))


def test_nothing_is_measured_on_chunks_of_one_sentence(graph: Graph) -> None:
    blind = changed(graph, embedder=FixedCosines({}))
    ingest_text(blind, "m:a", "Amber trees grow near the river.")

    with blind.reading() as snapshot:
        assert measure_trust(snapshot) == 1.0


def test_a_hybrid_score_counts_vectors_by_the_square_of_their_worth_and_words_for_the_rest(graph: Graph) -> None:
    blind = fill(changed(graph, embedder=FixedCosines({"birch": 0.5})))

    with searching(blind, "birch") as context:
        trust = context.vector_trust
        scores = context.scores_of(context.keywords.chunk_ids)

    with blind.reading() as snapshot:
        assert trust == pytest.approx(measure_trust(snapshot) ** 2)
    assert trust < 0.5
    assert scores.max() == pytest.approx(1.0 + trust * 0.8, abs=1e-5)


def test_what_the_vectors_are_worth_is_measured_again_once_the_collection_has_grown(graph: Graph) -> None:
    blind = changed(graph, embedder=FixedCosines({}))
    ingest_text(blind, "m:a", "Amber trees grow near the river.")
    ask(blind, "amber")
    fill(blind)

    with searching(blind, "amber") as context:
        assert context.vector_trust < 0.5


def test_what_the_vectors_are_worth_is_measured_again_once_the_model_has_read_the_chunks(
    graph: Graph, wordllama: Embedder
) -> None:
    class Reader:
        name = "reader"

        def embed(self, texts: Sequence[str]) -> Matrix:
            return wordllama.embed(texts)

    both = fill(changed(graph, embedder=FixedCosines({}), model=Reader()))
    with searching(both, "amber") as context:
        assert context.vector_trust < 0.5
    both.embed()

    with searching(both, "amber") as context:
        assert context.vector_trust > 0.9
    with searching(changed(both, embedder=FixedCosines({})), "amber") as context:
        assert context.vector_trust < 0.5, "without the model, with which another was measured"
