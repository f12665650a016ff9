import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from cached_files import Setup
from embeddings_server import run_embeddings_server
from search_helpers import TEST, Absent, FixedCosines, ask, changed, hit_uris, ingest_text, shares_of_best

from mcp_graphrag.embed import Endpoint
from mcp_graphrag.embed.endpoint_embedder import EndpointEmbedder
from mcp_graphrag.errors import BadInput, PartMissing
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Matrix
from mcp_graphrag.search.query import MODES, Fusion
from mcp_graphrag.store.rows.citations import resolve_citation
from mcp_graphrag.store.rows.document_rows import ChunkFilter

WITHOUT = "Without the vectors of the model:"
COSINES = {"Kafka": 0.9, "Knead": 0.5, "Redis": 0.1}


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


@pytest.mark.parametrize("sought", ["logic", "implementation", "logic implemented"])
def test_what_is_sought_comes_before_a_text_that_says_code_is_sought(library: Graph, sought: str) -> None:
    ingest_text(library, "memory://retry", "def retry(request): send the request again after a pause", title="retry")
    ingest_text(library, "memory://error", "The retry logic implementation, implemented by the caller, has failed.")

    assert hit_uris(ask(library, f"Where is the retry {sought}?"))[0] == "memory://retry"


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

    hits = ask(library, "cache keys", mode="hybrid", fusion=Fusion("rrf", 10)).hits
    for hit in hits:
        uri = hit.chunk.document.uri
        ranks = {arm.arm: arm.rank for arm in hit.arms}
        assert ranks == {arm: uris.index(uri) + 1 for arm, uris in arms.items() if uri in uris}
    sums = {hit.citation: sum(1 / (10 + arm.rank) for arm in hit.arms) for hit in hits}
    assert {hit.citation: hit.score for hit in hits} == pytest.approx(shares_of_best(sums))


def test_the_limit_keeps_the_best(library: Graph) -> None:
    every = hit_uris(ask(library, "cache log bread"))

    assert [hit_uris(ask(library, "cache log bread", limit=limit)) for limit in (1, 2)] == [every[:1], every[:2]]


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


def test_without_its_endpoint_static_vectors_answer_and_a_note_says_so(library: Graph) -> None:
    with run_embeddings_server() as served:
        assert changed(library, model=EndpointEmbedder(Endpoint(served.url, "nomic"))).embed() == 3
    without = changed(library, model=EndpointEmbedder(Endpoint("http://127.0.0.1:9/v1", "nomic")))

    for mode in ("hybrid", "vector"):
        answer = ask(without, "bakery", mode=mode)

        assert hit_uris(answer) == hit_uris(ask(library, "bakery", mode=mode))
        assert hit_uris(answer)[0] == "memory://bread"
        assert answer.notes[0].startswith(f"{WITHOUT} The embeddings endpoint http://127.0.0.1:9/v1 is not reachable")


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "keyword"])
def test_every_mode_notes_once_that_the_model_is_not_at_hand(library: Graph, mode: str) -> None:
    changed(library, model=FixedCosines(COSINES, "nomic", 8)).embed()

    answer = ask(changed(library, model=Absent()), "cache", mode=mode)

    assert hit_uris(answer)[0] == "memory://redis"
    assert [note for note in answer.notes if "model" in note] == [f"{WITHOUT} The model is not at hand."]


@pytest.mark.parametrize("mode", MODES)
def test_a_model_that_has_read_no_chunk_is_not_asked(library: Graph, mode: str) -> None:
    answer = ask(changed(library, model=Absent()), "cache", mode=mode, explain=True)

    assert not [note for note in answer.notes if "model" in note]
    assert hit_uris(answer) == hit_uris(ask(library, "cache", mode=mode))


def test_vectors_of_another_model_are_reported_and_not_compared(library: Graph) -> None:
    changed(library, model=FixedCosines(COSINES, "nomic", 8)).embed()
    other = changed(library, model=FixedCosines(COSINES, "openai:bge", 8))
    said = "The file has vectors of nomic, the settings name openai:bge: search uses static vectors alone."
    step = "Set --embedder nomic, or embed all again: `mcp-graphrag reindex --embedder openai --embed-model bge`."

    answer = ask(other, "bakery", mode="vector")

    assert hit_uris(answer)[0] == "memory://bread"
    assert answer.notes[0] == f"{WITHOUT} {said} {step}"
    assert [str(problem) for problem in other.health().problems] == [f"{said} {step}"]


def test_vectors_of_another_dimension_are_reported_and_not_compared(library: Graph) -> None:
    changed(library, model=FixedCosines(COSINES, "nomic", 8)).embed()
    short = changed(library, model=FixedCosines(COSINES, "nomic", 3))
    said = "The model nomic returns 3 dimensions, but its vectors in the file have 8. Serve the model"

    answer = ask(short, "bakery", mode="vector")

    assert hit_uris(answer)[0] == "memory://bread"
    assert answer.notes[0].startswith(f"{WITHOUT} {said}")
    ingest_text(short, "memory://flute", "A flute is tuned.")
    with pytest.raises(PartMissing, match=said):
        short.embed()


def test_mode_vector_explains_why_it_finds_nothing(library: Graph) -> None:
    ingest_text(library, "memory://flute", "A flute is tuned.")
    with library.store.writing(TEST) as tx:
        tx.run("DELETE FROM chunk_embedding WHERE chunk_id = 4")

    only = ask(library, "flute", mode="vector", allowed=ChunkFilter(["memory://flute"]))
    strange = ask(changed(library, embedder=_Blank()), "zyxt", mode="vector")

    assert (list(only.hits), list(strange.hits)) == ([], [])
    assert strange.notes[-1].startswith("The embedder knows none of the words of the question.")
    assert "No chunk that matches the filters has a vector" in only.notes[-1]
    assert "mcp-graphrag reindex" in only.notes[-1]


class _Blank:
    """An embedder that knows no word."""

    name = "wordllama"

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Nothing of each text."""
        return np.zeros((len(texts), 256), dtype=np.float32)
