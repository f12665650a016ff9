"""Mode vector counts the nearest passage of a chunk beside its whole text, where no model has read it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from search_helpers import FixedCosines, ask, changed, hit_uris, ingest_text, searching

from mcp_graphrag.graph import Graph
from mcp_graphrag.search.vector_passages import MAX_READ, MIN_LENGTH, rank_by_passages, split_passages

QUESTION = "what is asked"
BYTES = 0.01  # how far a cosine may be off, as vectors are kept as bytes
FILLER = "This says nothing that anybody has asked about, and it goes on for long enough to be a passage of its own."
# The first of these that a text has decides: a chunk with "mixed" is far as a whole, whatever its sentences say.
COSINES = {"mixed": 0.3, "plain": 0.5, "answer": 0.9}
MIXED = f"A mixed text. {FILLER} Here is the answer."


@pytest.fixture
def static(graph: Graph) -> Graph:
    return changed(graph, embedder=FixedCosines(COSINES))


def test_a_chunk_is_found_by_the_passage_that_answers(static: Graph) -> None:
    ingest_text(static, "one", "A plain text.")
    ingest_text(static, "two", MIXED)

    assert hit_uris(ask(static, QUESTION, mode="vector")) == ["two", "one"]
    with searching(static, QUESTION, mode="vector") as context:
        assert [chunk_id for chunk_id, _ in context.by_vector] == [1, 2]
        assert dict(rank_by_passages(context)) == {
            1: pytest.approx(0.5, abs=BYTES),
            2: pytest.approx((0.3 + 0.9) / 2, abs=BYTES),
        }


def test_a_chunk_that_a_model_has_read_counts_as_a_whole(static: Graph) -> None:
    both = changed(static, embedder=FixedCosines(COSINES), model=FixedCosines({"plain": 0.7, "mixed": 0.6}, "m", 8))
    ingest_text(both, "one", "A plain text.")
    ingest_text(both, "two", MIXED)
    both.embed()

    assert hit_uris(ask(both, QUESTION, mode="vector")) == ["one", "two"]


def test_passages_of_the_nearest_chunks_only_are_read(static: Graph) -> None:
    for number in range(MAX_READ + 1):
        ingest_text(static, f"{number}", f"{MIXED} It is number {number}.")

    with searching(static, QUESTION, mode="vector", limit=MAX_READ) as context:
        scores = [score for _, score in rank_by_passages(context)]

    assert scores == pytest.approx([*[0.6] * MAX_READ, 0.3], abs=BYTES)


def test_short_sentences_and_lines_are_put_together() -> None:
    assert list(split_passages(f"Yes. No.\n{FILLER} Perhaps.\n\n- one\n- two\n")) == [
        f"Yes. No. {FILLER}",
        "Perhaps. - one - two",
    ]
    assert list(split_passages(" ")) == [""]


@given(st.text(st.sampled_from("ab .\n"), max_size=900))
def test_passages_rejoin_to_the_words_of_the_text(text: str) -> None:
    passages = list(split_passages(text))

    assert passages
    assert " ".join(passages).split() == text.split()
    assert all(len(passage) >= MIN_LENGTH for passage in passages[:-1])
