"""How near chunks are to a question: by the model where it has read them, by static vectors on its scale elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from search_helpers import FixedCosines, ask, changed, hit_uris, ingest_text

from mcp_graphrag.embed import Embedders
from mcp_graphrag.fusion import Ranked
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.search.chunk_similarity import MIN_BOTH, similarities_to, similarity_to

QUESTION = "what is asked"
BYTES = 0.01  # how far a cosine may be off, as vectors are kept as bytes
READ = MIN_BOTH + 8


def words(count: int, start: int = 0) -> list[str]:
    """Words of which none contains another."""
    return [f"word{number:03}" for number in range(start, start + count)]


def spread(names: Sequence[str], low: float, high: float) -> dict[str, float]:
    """Cosines from low for the first to high for the last."""
    return dict(zip(names, np.linspace(low, high, len(names)).tolist(), strict=True))


def fill(graph: Graph, names: Sequence[str]) -> None:
    """A document of one chunk for each name; the ids of the chunks follow from the order."""
    for name in names:
        ingest_text(graph, name, f"{name}.")


def mapped(static: Mapping[str, float], model: Mapping[str, float], name: str) -> float:
    """The static cosine of a name on the scale of the model, by those that have both."""
    both = np.array([[static[each], model[each]] for each in model if each in static])
    (low, high), (narrow, wide) = both.mean(axis=0), both.std(axis=0)
    return float(high + (static[name] - low) * wide / narrow)


def similar(graph: Graph, ids: Sequence[int]) -> list[float]:
    """The similarity of chunks to the question."""
    with graph.reading() as snapshot:
        return similarity_to(snapshot, QUESTION).of(np.array(ids, dtype=np.int64)).tolist()


def nearest(graph: Graph, *, limit: int = 99, among: Ids | None = None) -> Ranked:
    """The nearest chunks to the question."""
    with graph.reading() as snapshot:
        return similarity_to(snapshot, QUESTION).nearest(limit=limit, among=among)


def test_without_a_model_cosines_are_those_of_static_vectors(graph: Graph) -> None:
    static = changed(graph, embedder=FixedCosines({"word000": 0.2, "word001": 0.8}))
    fill(static, words(2))

    assert similar(static, [1, 2]) == pytest.approx([0.2, 0.8], abs=BYTES)
    assert [chunk_id for chunk_id, _ in nearest(static)] == [2, 1]
    assert np.isnan(similar(static, [7])).all()
    with static.reading() as snapshot:
        similarity = similarity_to(snapshot, QUESTION)
        assert (similarity.by_model, similarity.lacking, similarity.waiting) == (None, "", 0)
        assert similarities_to(snapshot, []) == []


def test_cosines_are_those_of_a_model_that_has_read_every_chunk(graph: Graph) -> None:
    embedders = FixedCosines({"word000": 0.2, "word001": 0.8}), FixedCosines({"word000": 0.9, "word001": 0.4}, "m", 8)
    both = changed(graph, embedder=embedders[0], model=embedders[1])
    fill(both, words(2))

    assert similar(both, [1, 2]) == pytest.approx([0.2, 0.8], abs=BYTES), "before it has read one"
    both.embed()

    assert similar(both, [1, 2]) == pytest.approx([0.9, 0.4], abs=BYTES)
    assert [chunk_id for chunk_id, _ in nearest(both)] == [1, 2]
    with both.reading() as snapshot:
        assert similarity_to(snapshot, QUESTION).waiting == 0


@pytest.fixture
def half_read(graph: Graph) -> tuple[Graph, dict[str, float], dict[str, float]]:
    """A graph of chunks of which the model has read all but three, the static cosines, and those of the model.

    Static cosines are narrow and low, those of the model wide and high, so that only the mapping can mix them.
    """
    read, unread = words(READ), words(3, start=READ)
    static = spread(read, 0.1, 0.3) | dict(zip(unread, (0.12, 0.2, 0.28), strict=True))
    by_model = spread(read, 0.4, 0.9)
    both = changed(graph, embedder=FixedCosines(static), model=FixedCosines(by_model, "m", 8))
    fill(both, read)
    both.embed()
    fill(both, unread)
    return both, static, by_model


def test_chunks_that_the_model_has_not_read_are_ranked_on_its_scale(
    half_read: tuple[Graph, dict[str, float], dict[str, float]],
) -> None:
    both, static, by_model = half_read
    expected = [*by_model.values(), *(mapped(static, by_model, name) for name in words(3, start=READ))]

    found = similar(both, range(1, READ + 4))

    assert found == pytest.approx(expected, abs=2 * BYTES)
    assert found[READ:] == pytest.approx([0.45, 0.65, 0.85], abs=0.03)
    best = nearest(both)
    assert [chunk_id for chunk_id, _ in best] == (np.argsort(-np.array(found), kind="stable") + 1).tolist()
    assert dict(best) == pytest.approx(dict(enumerate(found, start=1)), abs=1e-6)
    assert nearest(both, limit=5) == best[:5]
    allowed = np.array([1, 5, READ + 1, READ + 3], dtype=np.int64)
    assert nearest(both, among=allowed) == [each for each in best if each[0] in allowed.tolist()]


def test_a_chunk_that_only_static_vectors_know_is_the_nearest_if_it_is_far_above_the_rest(
    half_read: tuple[Graph, dict[str, float], dict[str, float]],
) -> None:
    both, static, _ = half_read
    higher = changed(both, embedder=FixedCosines(static | {"late": 0.6}), model=both.embedders.model)
    fill(higher, ["late"])

    assert hit_uris(ask(higher, QUESTION, mode="vector"))[0] == "late"


def test_how_many_chunks_wait_for_the_model_is_said_where_the_search_is_explained(
    half_read: tuple[Graph, dict[str, float], dict[str, float]],
) -> None:
    both = half_read[0]
    waiting = "3 chunks wait for their embedding by the model; static vectors stand in for it."

    assert waiting in ask(both, QUESTION, explain=True).notes
    assert waiting not in ask(both, QUESTION).notes
    with both.reading() as snapshot:
        assert similarity_to(snapshot, QUESTION).waiting == 3


@pytest.mark.parametrize(("read", "is_mapped"), [(MIN_BOTH - 1, False), (MIN_BOTH, True)])
def test_static_vectors_answer_alone_until_enough_chunks_have_both(graph: Graph, read: int, *, is_mapped: bool) -> None:
    names = words(read + 2)
    static = spread(names[:read], 0.1, 0.3) | {names[-2]: 0.2, names[-1]: 0.29}
    by_model = spread(names[:read], 0.9, 0.4)
    both = changed(graph, embedder=FixedCosines(static), model=FixedCosines(by_model, "m", 8))
    fill(both, names[:read])
    both.embed()
    fill(both, names[read:])

    found = similar(both, range(1, read + 3))

    assert found[:read] == pytest.approx([*(by_model if is_mapped else static).values()][:read], abs=BYTES)
    late = names[-1]
    assert found[-1] == pytest.approx(mapped(static, by_model, late) if is_mapped else static[late], abs=0.03)
    assert nearest(both, limit=1)[0][0] == (1 if is_mapped else read)


class Blind(FixedCosines):
    """An embedder that knows no word of the question."""

    def embed(self, texts: Sequence[str]) -> Matrix:
        rows = super().embed(texts)
        rows[[text == QUESTION for text in texts]] = 0
        return rows


def test_a_question_without_a_static_vector_is_answered_by_the_model_alone(graph: Graph) -> None:
    read = words(READ)
    both = changed(graph, embedder=Blind({}), model=FixedCosines(spread(read, 0.4, 0.9), "m", 8))
    fill(both, read)
    both.embed()
    fill(both, ["late"])

    assert [chunk_id for chunk_id, _ in nearest(both, limit=3)] == [READ, READ - 1, READ - 2]


def test_a_text_without_a_vector_of_the_model_is_compared_by_static_ones(graph: Graph) -> None:
    both = changed(graph, embedder=FixedCosines({"word000": 0.2, "word001": 0.8}), model=Blind({}, "m", 8))
    fill(both, words(2))
    both.embed()

    assert similar(both, [1, 2]) == pytest.approx([0.2, 0.8], abs=BYTES)
    with both.reading() as snapshot:
        known, unknown = similarities_to(snapshot, ["anything", QUESTION])
        assert (known.by_model is None, unknown.by_model is None) == (False, True)


@pytest.mark.parametrize("vector_index", ["matrix", "coded", "codes", "sql"])
def test_chunks_that_were_replaced_do_not_wait_for_the_model(graph: Graph, vector_index: str) -> None:
    fill(graph, words(2))
    ingest_text(graph, "word000", "word000 is told anew.")
    graph.close()
    embedders = Embedders(graph.embedders.static, FixedCosines({}, "m", 8))

    with Graph(replace(graph.settings, vector_index=vector_index), embedders=embedders) as again:
        again.embed()
        with again.reading() as snapshot:
            assert similarity_to(snapshot, QUESTION).waiting == 0


def test_the_model_reads_a_question_that_is_asked_again_only_once(graph: Graph) -> None:
    read: list[str] = []

    class Recording(FixedCosines):
        def embed(self, texts: Sequence[str]) -> Matrix:
            read.extend(texts)
            return FixedCosines.embed(self, texts)

    both = changed(graph, embedder=FixedCosines({}), model=Recording({}, "recording", 8))
    fill(both, words(1))
    both.embed()
    read.clear()

    for _ in range(2):
        with both.reading() as snapshot:
            similarities_to(snapshot, [QUESTION, "another", QUESTION])

    assert read == [QUESTION, "another"]
