import socket
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from embeddings_server import EmbeddingsServer, run_embeddings_server, vector_of

from mcp_graphrag.embed import Embedder, Endpoint, embed_with_retries, endpoint_embedder, make_embedders
from mcp_graphrag.embed.endpoint_embedder import EndpointEmbedder
from mcp_graphrag.errors import PartMissing

KEY = "sk-very-secret"


@pytest.fixture
def server() -> Iterator[EmbeddingsServer]:
    with run_embeddings_server() as server:
        yield server


@pytest.fixture
def delays(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The delays between attempts, recorded instead of slept."""
    recorded: list[float] = []
    monkeypatch.setattr(endpoint_embedder.time, "sleep", recorded.append)
    return recorded


def _embedder(server: EmbeddingsServer, *, key: str = KEY) -> Embedder:
    return EndpointEmbedder(Endpoint(server.url, "nomic", key))


def _expected(texts: Sequence[str]) -> Any:
    rows = np.array([vector_of(text) for text in texts], dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_texts_are_sent_in_batches_and_vectors_keep_their_order(server: EmbeddingsServer) -> None:
    texts = ["x" * (index + 1) for index in range(150)]

    vectors = _embedder(server).embed(texts)

    assert vectors == pytest.approx(_expected(texts), abs=1e-6)
    assert vectors.dtype == np.float32
    assert [len(request["input"]) for request in server.requests] == [64, 64, 22]
    assert {request["model"] for request in server.requests} == {"nomic"}
    assert set(server.paths) == {"/v1/embeddings"}


def test_the_setting_openai_adds_the_model_of_the_endpoint_to_the_static_embedder(server: EmbeddingsServer) -> None:
    embedders = make_embedders("openai", Endpoint(server.url, "nomic", KEY))

    assert isinstance(embedders.model, EndpointEmbedder)
    assert (embedders.static.name, embedders.model.name, embedders.lacking) == ("wordllama", "openai:nomic", "")
    assert server.requests == []


def test_the_dimension_of_no_text_is_that_of_the_texts_before(server: EmbeddingsServer) -> None:
    embedder = _embedder(server)

    assert embedder.embed([]).shape == (0, 0)
    embedder.embed(["a"])
    assert embedder.embed([]).shape == (0, 3)
    assert len(server.requests) == 1


def test_a_key_is_sent_as_bearer_token(server: EmbeddingsServer) -> None:
    _embedder(server).embed(["a"])
    _embedder(server, key="").embed(["a"])

    assert server.headers == [f"Bearer {KEY}", None]


def test_the_key_appears_in_no_repr_and_no_error(server: EmbeddingsServer, delays: list[float]) -> None:
    server.enqueue(*[(500, KEY.encode())] * 4)
    endpoint = Endpoint(server.url, "nomic", KEY)

    with pytest.raises(PartMissing) as caught:
        EndpointEmbedder(endpoint).embed(["a"])

    assert KEY not in f"{endpoint!r} {endpoint} {caught.value} {caught.value!r} {caught.value.__cause__!r}"
    assert len(delays) == 1


def test_background_work_retries_a_busy_endpoint(server: EmbeddingsServer, delays: list[float]) -> None:
    server.enqueue((429, b"slow down"), (503, b""))

    assert embed_with_retries(_embedder(server), ["abc"]) == pytest.approx(_expected(["abc"]))
    assert delays == [0.5, 1]

    server.enqueue(*[(500, b"")] * 9)
    with pytest.raises(PartMissing, match="answered HTTP 500"):
        embed_with_retries(_embedder(server), ["a"])
    assert delays == [0.5, 1, 0.5, 1, 2]


def test_interactive_calls_try_twice_and_then_fail_without_a_request_for_a_while(
    server: EmbeddingsServer, delays: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    server.enqueue((503, b""))
    embedder = _embedder(server)
    assert embedder.embed(["abc"]) == pytest.approx(_expected(["abc"]))

    server.enqueue(*[(500, b"")] * 4)
    messages: list[str] = []
    for _ in range(3):
        with pytest.raises(PartMissing) as caught:
            embedder.embed(["a"])
        messages.append(str(caught.value))
    assert (len(server.requests), delays) == (4, [0.2, 0.2])
    assert len(set(messages)) == 1
    assert messages[0].startswith(f"The embeddings endpoint {server.url} answered HTTP 500. Check embed_url")

    monkeypatch.setattr(endpoint_embedder, "FAILURE_SECONDS", 0.0)
    with pytest.raises(PartMissing):
        embedder.embed(["a"])
    assert len(server.requests) == 6, "requested again after that time"


def test_a_success_of_background_work_clears_the_failure(server: EmbeddingsServer, delays: list[float]) -> None:
    embedder = _embedder(server)
    server.enqueue(*[(500, b"")] * 2)
    with pytest.raises(PartMissing):
        embedder.embed(["a"])

    embed_with_retries(embedder, ["work in background"])

    assert embedder.embed(["abc"]) == pytest.approx(_expected(["abc"]))
    assert len(delays) == 1


def test_interactive_calls_wait_for_a_hanging_endpoint_only_once(
    monkeypatch: pytest.MonkeyPatch, delays: list[float]
) -> None:
    monkeypatch.setattr(endpoint_embedder, "INTERACTIVE", replace(endpoint_embedder.INTERACTIVE, timeout=0.1))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        embedder = EndpointEmbedder(Endpoint(f"http://127.0.0.1:{silent.getsockname()[1]}/v1", "nomic"))
        for _ in range(2):
            with pytest.raises(PartMissing, match=r"is not reachable \(ReadTimeout\)"):
                embedder.embed(["a"])
        silent.settimeout(0.01)
        silent.accept()[0].close()
        with pytest.raises(TimeoutError):
            silent.accept()
    assert delays == []


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_rejected_request_is_not_retried(server: EmbeddingsServer, status: int) -> None:
    server.enqueue((status, b'{"error": "no"}'))

    with pytest.raises(PartMissing, match=f"HTTP {status}"):
        _embedder(server).embed(["a"])

    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"data": 7}',
        b'{"data": [7]}',
        b'{"data": [{"index": 0}]}',
        b'{"data": [{"index": 0, "embedding": "abc"}]}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": [1, null]}]}',
        b'{"data": [{"index": 0, "embedding": [1, NaN]}]}',
        b'{"data": [{"index": 0, "embedding": [[1], [2]]}]}',
        b'{"data": []}',
        b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}]}',
        b'{"data": [{"index": null, "embedding": [1]}, {"index": 1, "embedding": [1]}]}',
    ],
)
def test_a_response_without_a_list_of_embeddings_is_reported(server: EmbeddingsServer, content: bytes) -> None:
    server.enqueue((200, content))

    with pytest.raises(PartMissing, match="return"):
        _embedder(server).embed(["a"])


def test_a_changed_dimension_is_rejected(server: EmbeddingsServer) -> None:
    embedder = _embedder(server)
    embedder.embed(["a"])
    server.enqueue((200, b'{"data": [{"index": 0, "embedding": [1, 2, 3, 4]}]}'))

    with pytest.raises(PartMissing, match="returned 4 dimensions, 3 before"):
        embedder.embed(["a"])


def test_zero_vectors_stay_zero(server: EmbeddingsServer) -> None:
    server.enqueue((200, b'{"data": [{"index": 0, "embedding": [0, 0, 0]}]}'))

    assert _embedder(server).embed([""]).tolist() == [[0, 0, 0]]
    assert server.requests[0]["input"] == [" "], "some endpoints reject an empty text"


def test_an_unreachable_endpoint_is_reported(delays: list[float]) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        embedder = EndpointEmbedder(Endpoint(f"http://127.0.0.1:{closed.getsockname()[1]}/v1", "nomic", KEY))

        with pytest.raises(PartMissing, match="is not reachable"):
            embedder.embed(["a"])

    assert len(delays) == 1


@pytest.mark.parametrize("url", ["localhost:11434/v1", "ftp://localhost/v1", "http://"])
def test_an_invalid_url_is_reported(url: str, delays: list[float]) -> None:
    with pytest.raises(PartMissing, match="embed_url"):
        EndpointEmbedder(Endpoint(url, "nomic")).embed(["a"])

    assert delays == []


@pytest.mark.parametrize("endpoint", [Endpoint(), Endpoint(url="http://localhost/v1"), Endpoint(model="nomic")])
def test_a_missing_url_or_model_is_reported_with_the_settings(endpoint: Endpoint) -> None:
    with pytest.raises(PartMissing, match="embed_url and embed_model"):
        make_embedders("openai", endpoint)


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}é", f"{KEY}\r\nX-Other: 1"])
def test_an_invalid_key_is_reported_without_showing_it(server: EmbeddingsServer, delays: list[float], key: str) -> None:
    with pytest.raises(PartMissing) as caught:
        _embedder(server, key=key).embed(["a"])

    assert KEY not in f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r}"
    assert server.requests == []
    assert delays == []
