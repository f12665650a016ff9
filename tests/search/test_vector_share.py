"""The share of vectors in a hybrid score: more for short chunks, for the model and where words find little."""

import pytest
from search_helpers import FixedCosines, changed, ingest_text, searching

from mcp_graphrag.graph import Graph
from mcp_graphrag.search.vector_share import features, vector_share


def share(**given: float) -> float:
    return vector_share(features(**given))


def test_vectors_count_more_for_short_chunks_by_the_model_and_where_words_find_little() -> None:
    usual = share(chunk_length=60, read=0, coverage=0.8)

    assert 0.5 < usual < 0.6
    assert share(chunk_length=30, read=0, coverage=0.8) > usual
    assert share(chunk_length=60, read=1, coverage=0.8) > usual
    assert share(chunk_length=60, read=0, coverage=0.2) > usual


@pytest.mark.parametrize("length", [0, 10**9])
def test_neither_words_nor_vectors_are_ever_left_out(length: float) -> None:
    shares = [share(chunk_length=length, read=read, coverage=10 * read) for read in (0, 1)]

    assert all(0.1 < each < 0.9 for each in shares)


def test_what_the_model_has_read_counts_by_its_share(graph: Graph) -> None:
    model = FixedCosines({"amber": 0.5}, "reader", 8)
    both = changed(graph, embedder=FixedCosines({}), model=model)
    ingest_text(both, "m:a", "Amber trees grow.")
    both.embed()
    ingest_text(both, "m:b", "Birch trees grow.")

    with searching(both, "amber") as context:
        half = context.vector_share
    both.embed()
    with searching(both, "amber") as context:
        full = context.vector_share
    with searching(changed(both, embedder=FixedCosines({})), "amber") as context:
        assert context.vector_share < half < full
