import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from retrieve_stories import ask, found, read
from told_once import Story

from mcp_graphrag.embed import Endpoint, make_embedder
from mcp_graphrag.errors import BadInput, PartMissing
from mcp_graphrag.model import Matrix
from mcp_graphrag.pipeline import Pipeline
from mcp_graphrag.pipeline.embed import embed_pending
from mcp_graphrag.retrieve.question import MODES, Fusion
from mcp_graphrag.store.citation import find_cited
from mcp_graphrag.store.documents import ChunkFilter


@pytest.fixture
def library(after: Callable[[Story], Pipeline]) -> Pipeline:
    return after(fill)


def fill(pipeline: Pipeline) -> None:
    """Three documents, of which the first speaks of caches twice."""
    read(pipeline, "memory://redis", "Redis is a cache. The cache evicts old keys.", title="Redis")
    read(pipeline, "memory://kafka", "Kafka keeps a log of messages in partitions.", title="Kafka")
    read(pipeline, "memory://bread", "Knead the dough and bake the bread for an hour.", title="Baking")


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_finds_the_document_that_answers(library: Pipeline, mode: str) -> None:
    answer = ask(library, "message log partition", mode=mode)

    assert found(answer)[0] == "memory://kafka"
    assert answer.mode == ("hybrid" if mode == "auto" else mode)
    # Where nothing of the graph is at hand, words and vectors answer, and a note says so.
    assert bool(answer.notes) == (mode not in {"keyword", "vector", "hybrid", "multi_hop"})


def test_keyword_search_finds_only_what_holds_a_term(library: Pipeline) -> None:
    answer = ask(library, "bake caches", mode="keyword")

    assert set(found(answer)) == {"memory://bread", "memory://redis"}
    assert {hit.chunk.document.uri: hit.terms for hit in answer.hits} == {
        "memory://bread": ("bake",),
        "memory://redis": ("cach",),
    }


def test_a_title_is_searched_too(library: Pipeline) -> None:
    read(library, "memory://memo", "We moved to Kafka.", title="Postmortem")

    assert found(ask(library, "postmortem", mode="keyword")) == ["memory://memo"]


def test_vector_search_finds_what_is_meant_in_other_words(library: Pipeline) -> None:
    assert found(ask(library, "pastry oven recipe", mode="vector"))[0] == "memory://bread"


def test_a_hit_is_cited_by_its_span_and_the_hash_of_its_text(library: Pipeline) -> None:
    (hit,) = ask(library, "cache", limit=1).hits

    assert hit.citation == "memory://redis#chunk:0-44@" + hashlib.sha256(hit.chunk.text.encode()).hexdigest()[:8]
    with library.store.reading() as tx:
        assert find_cited(tx, hit.citation).text == hit.chunk.text


def test_a_hybrid_hit_tells_the_rank_in_each_arm_and_the_sum_of_their_reciprocals(library: Pipeline) -> None:
    arms = {mode: found(ask(library, "cache keys", mode=mode)) for mode in ("keyword", "vector")}

    for hit in ask(library, "cache keys", mode="hybrid", fusion=Fusion("rrf", 10)).hits:
        uri = hit.chunk.document.uri
        ranks = {each.arm: each.rank for each in hit.arms}
        assert ranks == {arm: uris.index(uri) + 1 for arm, uris in arms.items() if uri in uris}
        assert hit.score == pytest.approx(sum(1 / (10 + rank) for rank in ranks.values()))


def test_the_limit_keeps_the_best(library: Pipeline) -> None:
    every = found(ask(library, "cache log bread"))

    assert [found(ask(library, "cache log bread", limit=limit)) for limit in (1, 2)] == [every[:1], every[:2]]


def test_an_updated_document_is_found_by_its_new_words_only(library: Pipeline) -> None:
    ask(library, "cache")
    read(library, "memory://redis", "Valkey is a fork.", title="Valkey")

    assert found(ask(library, "cache", mode="keyword")) == []
    assert found(ask(library, "valkey fork"))[0] == "memory://redis"
    assert len(ask(library, "anything", mode="vector").hits) == 3


@pytest.mark.parametrize("query", ["", "  ", "\n\t"])
def test_an_empty_query_is_refused(library: Pipeline, query: str) -> None:
    with pytest.raises(BadInput, match="query is empty"):
        ask(library, query)


def test_a_query_of_20_000_characters_is_answered_and_a_longer_one_refused(library: Pipeline) -> None:
    query = "cache partition " * 1_250

    assert len(query) == 20_000
    assert set(found(ask(library, query))) == {"memory://redis", "memory://kafka", "memory://bread"}
    with pytest.raises(BadInput, match=r"20001 characters; the most is 20000"):
        ask(library, query + "x")


def test_a_query_of_stop_words_says_so_and_is_searched_by_meaning(library: Pipeline) -> None:
    keyword, vector, hybrid = (ask(library, "what is it of the", mode=mode) for mode in ("keyword", "vector", "hybrid"))

    assert (found(keyword), len(found(vector)), len(found(hybrid))) == ([], 3, 3)
    assert "only stop words" in keyword.notes[0]
    assert "only stop words" in hybrid.notes[0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("query", ["'; DROP TABLE chunk; --", "$x {y} %s", "\udcff", "🙂", '"a" AND (b', "\\"])
def test_signs_of_other_languages_are_only_words(library: Pipeline, mode: str, query: str) -> None:
    ask(library, query, mode=mode)

    assert found(ask(library, "cache"))[0] == "memory://redis"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Der Dienst „Kasse“ hängt von Größenprüfungen ab.", "GRÖSSENPRÜFUNGEN"),
        ("東京都の天気は晴れです。", "東京の天気"),
        ("Сервис оплаты зависит от базы данных.", "сервис оплаты"),
        ("भुगतान सेवा डेटाबेस पर निर्भर है", "भुगतान सेवा"),
    ],
)
def test_other_languages_are_found_by_their_own_words(library: Pipeline, text: str, query: str) -> None:
    read(library, "memory://other", text)

    assert found(ask(library, query, mode="keyword")) == ["memory://other"]
    assert found(ask(library, query))[0] == "memory://other"


def test_without_its_endpoint_hybrid_answers_by_keyword_and_vector_says_why(library: Pipeline) -> None:
    unheard = make_embedder("openai", Endpoint("http://127.0.0.1:9/v1", "nomic"))
    without = replace(library, embedder=unheard)

    answer = ask(without, "cache", mode="hybrid")

    assert found(answer) == ["memory://redis"]
    assert "Without vectors: The embeddings endpoint http://127.0.0.1:9/v1 is not reachable" in answer.notes[0]
    with pytest.raises(PartMissing):
        ask(without, "cache", mode="vector")


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode not in {"keyword", "vector"}])
def test_where_nothing_is_embedded_for_want_of_the_embedder_every_mode_says_so(pipeline: Pipeline, mode: str) -> None:
    without = replace(pipeline, embedder=make_embedder("openai", Endpoint("http://127.0.0.1:9/v1", "nomic")))
    fill(without)
    said = "The embeddings endpoint http://127.0.0.1:9/v1 is not reachable"

    answer = ask(without, "cache", mode=mode)

    assert found(answer) == ["memory://redis"]
    assert any(note.startswith(f"Without vectors: {said}") for note in answer.notes)
    assert not any("wait for" in note for note in answer.notes)
    with pytest.raises(PartMissing, match=said):
        ask(without, "cache", mode="vector")


def test_mode_vector_says_why_it_finds_nothing_where_nothing_is_embedded(library: Pipeline) -> None:
    blank = replace(library, embedder=_Blank())
    read(blank, "memory://flute", "A flute is tuned.")

    only = ask(library, "flute", mode="vector", allowed=ChunkFilter(["memory://flute"]))
    strange = ask(blank, "zyxt", mode="vector")

    assert (list(only.hits), list(strange.hits)) == ([], [])
    assert strange.notes[-1].startswith("The embedder knows no word of the question.")
    assert "No passage that the filters let through has an embedding yet" in only.notes[-1]
    assert "mcp-graphrag reindex" in only.notes[-1]


class _Blank:
    """An embedder that is not asked at once, and knows no word."""

    name = "wordllama"
    dimension = 256
    instant = False

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Nothing of each text."""
        return np.zeros((len(texts), self.dimension), dtype=np.float32)


class _Short:
    """An embedder that goes by the file's name and has another dimension."""

    name = "wordllama"
    dimension = 3
    instant = True

    def embed(self, texts: Sequence[str]) -> Matrix:
        """As many vectors as texts."""
        return np.ones((len(texts), 3), dtype=np.float32)


def test_vectors_of_another_dimension_are_told_not_compared(library: Pipeline) -> None:
    short = replace(library, embedder=_Short())
    said = "The embedder wordllama answers 3 dimensions, but the file's vectors have 256. Serve the model"

    answer = ask(short, "cache")

    assert found(answer) == ["memory://redis"]
    assert any(note.startswith(f"Without vectors: {said}") for note in answer.notes)
    with pytest.raises(PartMissing, match=said):
        ask(short, "cache", mode="vector")
    read(replace(library, embedder=_Blank()), "memory://flute", "A flute is tuned.")
    with pytest.raises(PartMissing, match=said):
        embed_pending(short)
