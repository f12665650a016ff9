import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from cached_files import Setup
from embeddings_server import run_embeddings_server
from search_helpers import ask, changed, hit_uris, ingest_text

from mcp_graphrag.embed import Endpoint, make_embedder
from mcp_graphrag.errors import BadInput, PartMissing
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Matrix
from mcp_graphrag.search.query import MODES, Fusion
from mcp_graphrag.store.rows.citations import resolve_citation
from mcp_graphrag.store.rows.document_rows import ChunkFilter


@pytest.fixture
def library(after: Callable[[Setup], Graph]) -> Graph:
    return after(fill)


def fill(graph: Graph) -> None:
    """Three documents, of which the first speaks of caches twice."""
    ingest_text(graph, "memory://redis", "Redis is a cache. The cache evicts old keys.", title="Redis")
    ingest_text(graph, "memory://kafka", "Kafka keeps a log of messages in partitions.", title="Kafka")
    ingest_text(graph, "memory://bread", "Knead the dough and bake the bread for an hour.", title="Baking")


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_finds_the_document_that_answers(library: Graph, mode: str) -> None:
    answer = ask(library, "message log partition", mode=mode)

    assert hit_uris(answer)[0] == "memory://kafka"
    assert answer.mode == ("hybrid" if mode == "auto" else mode)
    # Where nothing of the graph is at hand, words and vectors answer, and a note says so.
    assert bool(answer.notes) == (mode not in {"keyword", "vector", "hybrid", "multi_hop"})


def test_keyword_search_finds_only_what_holds_a_term(library: Graph) -> None:
    answer = ask(library, "bake caches", mode="keyword")

    assert set(hit_uris(answer)) == {"memory://bread", "memory://redis"}
    assert {hit.chunk.document.uri: hit.terms for hit in answer.hits} == {
        "memory://bread": ("bake",),
        "memory://redis": ("cach",),
    }


def test_a_title_is_searched_too(library: Graph) -> None:
    ingest_text(library, "memory://memo", "We moved to Kafka.", title="Postmortem")

    assert hit_uris(ask(library, "postmortem", mode="keyword")) == ["memory://memo"]


def test_vector_search_finds_the_same_meaning_in_other_words(library: Graph) -> None:
    assert hit_uris(ask(library, "pastry oven recipe", mode="vector"))[0] == "memory://bread"


def test_a_hit_is_cited_by_its_span_and_the_hash_of_its_text(library: Graph) -> None:
    (hit,) = ask(library, "cache", limit=1).hits

    assert hit.citation == "memory://redis#chunk:0-44@" + hashlib.sha256(hit.chunk.text.encode()).hexdigest()[:8]
    with library.store.reading() as tx:
        assert resolve_citation(tx, hit.citation).text == hit.chunk.text


def test_a_hybrid_hit_has_its_rank_in_each_arm_and_the_sum_of_the_reciprocals(library: Graph) -> None:
    arms = {mode: hit_uris(ask(library, "cache keys", mode=mode)) for mode in ("keyword", "vector")}

    for hit in ask(library, "cache keys", mode="hybrid", fusion=Fusion("rrf", 10)).hits:
        uri = hit.chunk.document.uri
        ranks = {arm.arm: arm.rank for arm in hit.arms}
        assert ranks == {arm: uris.index(uri) + 1 for arm, uris in arms.items() if uri in uris}
        assert hit.score == pytest.approx(sum(1 / (10 + rank) for rank in ranks.values()))


def test_the_limit_keeps_the_best(library: Graph) -> None:
    every = hit_uris(ask(library, "cache log bread"))

    assert [hit_uris(ask(library, "cache log bread", limit=limit)) for limit in (1, 2)] == [every[:1], every[:2]]


def test_an_updated_document_is_found_by_its_new_words_only(library: Graph) -> None:
    ask(library, "cache")
    ingest_text(library, "memory://redis", "Valkey is a fork.", title="Valkey")

    assert hit_uris(ask(library, "cache", mode="keyword")) == []
    assert hit_uris(ask(library, "valkey fork"))[0] == "memory://redis"
    assert len(ask(library, "anything", mode="vector").hits) == 3


@pytest.mark.parametrize("query", ["", "  ", "\n\t"])
def test_an_empty_query_is_refused(library: Graph, query: str) -> None:
    with pytest.raises(BadInput, match="query is empty"):
        ask(library, query)


def test_a_query_of_20_000_characters_is_answered_and_a_longer_one_refused(library: Graph) -> None:
    query = "cache partition " * 1_250

    assert len(query) == 20_000
    assert set(hit_uris(ask(library, query))) == {"memory://redis", "memory://kafka", "memory://bread"}
    with pytest.raises(BadInput, match=r"20001 characters; the most is 20000"):
        ask(library, query + "x")


def test_a_query_of_stop_words_is_searched_by_meaning_with_a_note(library: Graph) -> None:
    keyword, vector, hybrid = (ask(library, "what is it of the", mode=mode) for mode in ("keyword", "vector", "hybrid"))

    assert (hit_uris(keyword), len(hit_uris(vector)), len(hit_uris(hybrid))) == ([], 3, 3)
    assert "only stop words" in keyword.notes[0]
    assert "only stop words" in hybrid.notes[0]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("query", ["'; DROP TABLE chunk; --", "$x {y} %s", "\udcff", "🙂", '"a" AND (b', "\\"])
def test_special_characters_are_plain_text(library: Graph, mode: str, query: str) -> None:
    ask(library, query, mode=mode)

    assert hit_uris(ask(library, "cache"))[0] == "memory://redis"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Der Dienst „Kasse“ hängt von Größenprüfungen ab.", "GRÖSSENPRÜFUNGEN"),
        ("東京都の天気は晴れです。", "東京の天気"),
        ("Сервис оплаты зависит от базы данных.", "сервис оплаты"),
        ("भुगतान सेवा डेटाबेस पर निर्भर है", "भुगतान सेवा"),
    ],
)
def test_other_languages_are_found_by_their_own_words(library: Graph, text: str, query: str) -> None:
    ingest_text(library, "memory://other", text)

    assert hit_uris(ask(library, query, mode="keyword")) == ["memory://other"]
    assert hit_uris(ask(library, query))[0] == "memory://other"


def test_without_its_endpoint_hybrid_falls_back_to_keyword_and_vector_raises(graph: Graph) -> None:
    with run_embeddings_server() as served:
        remote = changed(graph, embedder=make_embedder("openai", Endpoint(served.url, "nomic")))
        fill(remote)
        assert remote.embed() == 3
    without = changed(graph, embedder=make_embedder("openai", Endpoint("http://127.0.0.1:9/v1", "nomic")))

    answer = ask(without, "cache", mode="hybrid")

    assert hit_uris(answer) == ["memory://redis"]
    assert "Without vectors: The embeddings endpoint http://127.0.0.1:9/v1 is not reachable" in answer.notes[0]
    with pytest.raises(PartMissing):
        ask(without, "cache", mode="vector")


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode not in {"keyword", "vector"}])
def test_every_mode_notes_a_missing_embedder_if_nothing_is_embedded(graph: Graph, mode: str) -> None:
    without = changed(graph, embedder=make_embedder("openai", Endpoint("http://127.0.0.1:9/v1", "nomic")))
    fill(without)
    said = "The embeddings endpoint http://127.0.0.1:9/v1 is not reachable"

    answer = ask(without, "cache", mode=mode)

    assert hit_uris(answer) == ["memory://redis"]
    assert any(note.startswith(f"Without vectors: {said}") for note in answer.notes)
    assert not any("wait for" in note for note in answer.notes)
    with pytest.raises(PartMissing, match=said):
        ask(without, "cache", mode="vector")


def test_mode_vector_explains_why_it_finds_nothing(library: Graph) -> None:
    blank = changed(library, embedder=_Blank())
    ingest_text(blank, "memory://flute", "A flute is tuned.")

    only = ask(library, "flute", mode="vector", allowed=ChunkFilter(["memory://flute"]))
    strange = ask(blank, "zyxt", mode="vector")

    assert (list(only.hits), list(strange.hits)) == ([], [])
    assert strange.notes[-1].startswith("The embedder knows none of the words of the question.")
    assert "No chunk that matches the filters has an embedding yet" in only.notes[-1]
    assert "mcp-graphrag reindex" in only.notes[-1]


class _Blank:
    """An embedder that is not asked at once, and knows no word."""

    name = "wordllama"
    dimension = 256
    fast = False

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Nothing of each text."""
        return np.zeros((len(texts), self.dimension), dtype=np.float32)


class _Short:
    """An embedder that goes by the file's name and has another dimension."""

    name = "wordllama"
    dimension = 3
    fast = True

    def embed(self, texts: Sequence[str]) -> Matrix:
        """As many vectors as texts."""
        return np.ones((len(texts), 3), dtype=np.float32)


def test_vectors_of_another_dimension_are_reported_and_not_compared(library: Graph) -> None:
    short = changed(library, embedder=_Short())
    said = "The embedder wordllama returns 3 dimensions, but the file's vectors have 256. Serve the model"

    answer = ask(short, "cache")

    assert hit_uris(answer) == ["memory://redis"]
    assert any(note.startswith(f"Without vectors: {said}") for note in answer.notes)
    with pytest.raises(PartMissing, match=said):
        ask(short, "cache", mode="vector")
    ingest_text(changed(library, embedder=_Blank()), "memory://flute", "A flute is tuned.")
    with pytest.raises(PartMissing, match=said):
        short.embed()
