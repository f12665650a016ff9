import json
import socket
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from embeddings_server import Served, embeddings_served, good, vector_of

from mcp_graphrag.embed import Embedder, Endpoint, make_embedder
from mcp_graphrag.embed import endpoint as endpoint_module
from mcp_graphrag.embed.embedder import embed_patiently
from mcp_graphrag.errors import PartMissing

KEY = "sk-very-secret"


@pytest.fixture
def served() -> Iterator[Served]:
    with embeddings_served() as served:
        yield served


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, noted and not waited for."""
    noted: list[float] = []
    monkeypatch.setattr(endpoint_module.time, "sleep", noted.append)
    return noted


def _embedder(served: Served, *, key: str = KEY) -> Embedder:
    return make_embedder("openai", Endpoint(served.url, "nomic", key))


def _expected(texts: Sequence[str]) -> Any:
    rows = np.array([vector_of(text) for text in texts], dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_texts_go_in_batches_and_vectors_come_back_in_their_order(served: Served) -> None:
    texts = ["x" * (at + 1) for at in range(150)]

    vectors = _embedder(served).embed(texts)

    assert vectors == pytest.approx(_expected(texts), abs=1e-6)
    assert vectors.dtype == np.float32
    assert [len(asked["input"]) for asked in served.asked] == [64, 64, 22]
    assert {asked["model"] for asked in served.asked} == {"nomic"}
    assert set(served.paths) == {"/v1/embeddings"}


def test_name_and_dimension_are_those_of_the_model(served: Served) -> None:
    embedder = _embedder(served)

    assert (embedder.name, embedder.dimension, embedder.dimension) == ("openai:nomic", 3, 3)
    assert len(served.asked) == 1
    assert embedder.embed([]).shape == (0, 3)
    assert not embedder.instant


def test_the_key_is_sent_as_bearer_and_without_one_nothing_is(served: Served) -> None:
    _embedder(served).embed(["a"])
    _embedder(served, key="").embed(["a"])

    assert served.headers == [f"Bearer {KEY}", None]


def test_the_key_is_in_no_repr_and_no_error(served: Served, waits: list[float]) -> None:
    served.answers(*[(500, KEY.encode())] * 4)
    endpoint = Endpoint(served.url, "nomic", KEY)

    with pytest.raises(PartMissing) as caught:
        make_embedder("openai", endpoint).embed(["a"])

    assert KEY not in f"{endpoint!r} {endpoint} {caught.value} {caught.value!r} {caught.value.__cause__!r}"
    assert len(waits) == 1


def test_a_busy_endpoint_is_asked_again_and_again_where_nobody_waits(served: Served, waits: list[float]) -> None:
    served.answers((429, b"slow down"), (503, b""))

    assert embed_patiently(_embedder(served), ["abc"]) == pytest.approx(_expected(["abc"]))
    assert waits == [0.5, 1]

    served.answers(*[(500, b"")] * 9)
    with pytest.raises(PartMissing, match="answered HTTP 500"):
        embed_patiently(_embedder(served), ["a"])
    assert waits == [0.5, 1, 0.5, 1, 2]


def test_a_question_is_asked_twice_at_most_and_then_not_for_a_while(
    served: Served, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    served.answers((503, b""))
    embedder = _embedder(served)
    assert embedder.embed(["abc"]) == pytest.approx(_expected(["abc"]))

    served.answers(*[(500, b"")] * 4)
    told: list[str] = []
    for _ in range(3):
        with pytest.raises(PartMissing) as caught:
            embedder.embed(["a"])
        told.append(str(caught.value))
    assert (len(served.asked), waits) == (4, [0.2, 0.2])
    assert len(set(told)) == 1
    assert told[0].startswith(f"The embeddings endpoint {served.url} answered HTTP 500. Check embed_url")

    monkeypatch.setattr(endpoint_module, "REMEMBERED", 0.0)
    with pytest.raises(PartMissing):
        embedder.embed(["a"])
    assert len(served.asked) == 6, "asked again when the while is over"


def test_an_answer_to_anybody_forgets_the_failure(served: Served, waits: list[float]) -> None:
    embedder = _embedder(served)
    served.answers(*[(500, b"")] * 2)
    with pytest.raises(PartMissing):
        embedder.embed(["a"])

    embed_patiently(embedder, ["work in background"])

    assert embedder.embed(["abc"]) == pytest.approx(_expected(["abc"]))
    assert len(waits) == 1


def test_who_waits_for_an_endpoint_that_hangs_waits_once(monkeypatch: pytest.MonkeyPatch, waits: list[float]) -> None:
    monkeypatch.setattr(endpoint_module, "WAITING", replace(endpoint_module.WAITING, seconds=0.1))
    with socket.create_server(("127.0.0.1", 0)) as silent:
        embedder = make_embedder("openai", Endpoint(f"http://127.0.0.1:{silent.getsockname()[1]}/v1", "nomic"))
        for _ in range(2):
            with pytest.raises(PartMissing, match=r"is not reachable \(ReadTimeout\)"):
                embedder.embed(["a"])
        silent.settimeout(0.01)
        silent.accept()[0].close()
        with pytest.raises(TimeoutError):
            silent.accept()
    assert waits == []


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refusal_is_not_asked_again(served: Served, status: int) -> None:
    served.answers((status, b'{"error": "no"}'))

    with pytest.raises(PartMissing, match=f"HTTP {status}"):
        _embedder(served).embed(["a"])

    assert len(served.asked) == 1


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
def test_an_answer_that_is_no_list_of_embeddings_is_told(served: Served, content: bytes) -> None:
    served.answers((200, content))

    with pytest.raises(PartMissing, match="answer"):
        _embedder(served).embed(["a"])


def test_another_dimension_later_is_refused(served: Served) -> None:
    embedder = _embedder(served)
    embedder.embed(["a"])
    served.answers((200, b'{"data": [{"index": 0, "embedding": [1, 2, 3, 4]}]}'))

    with pytest.raises(PartMissing, match="answered 4 dimensions, before 3"):
        embedder.embed(["a"])


def test_another_dimension_in_a_later_batch_is_refused(served: Served) -> None:
    served.plans = [good, lambda texts: (200, json.dumps({"data": [{"embedding": [1, 2]}] * len(texts)}).encode())]

    with pytest.raises(PartMissing, match="answered 2 dimensions, before 3"):
        _embedder(served).embed(["a"] * 65)


def test_zeros_stay_zeros(served: Served) -> None:
    served.answers((200, b'{"data": [{"index": 0, "embedding": [0, 0, 0]}]}'))

    assert _embedder(served).embed([""]).tolist() == [[0, 0, 0]]
    assert served.asked[0]["input"] == [" "], "some endpoints refuse an empty text"


def test_an_endpoint_that_is_not_there_is_told(waits: list[float]) -> None:
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        embedder = make_embedder("openai", Endpoint(f"http://127.0.0.1:{unheard.getsockname()[1]}/v1", "nomic", KEY))

        with pytest.raises(PartMissing, match="is not reachable"):
            embedder.embed(["a"])

    assert len(waits) == 1


@pytest.mark.parametrize("url", ["localhost:11434/v1", "ftp://localhost/v1", "http://"])
def test_an_address_that_is_none_is_told(url: str, waits: list[float]) -> None:
    with pytest.raises(PartMissing, match="embed_url"):
        make_embedder("openai", Endpoint(url, "nomic")).embed(["a"])

    assert waits == []


@pytest.mark.parametrize("endpoint", [Endpoint(), Endpoint(url="http://localhost/v1"), Endpoint(model="nomic")])
def test_without_url_or_model_it_says_which_settings_to_set(endpoint: Endpoint) -> None:
    with pytest.raises(PartMissing, match="embed_url and embed_model"):
        make_embedder("openai", endpoint)


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}é", f"{KEY}\r\nX-Other: 1"])
def test_a_key_that_no_header_can_carry_is_told_without_being_told(
    served: Served, waits: list[float], key: str
) -> None:
    with pytest.raises(PartMissing) as caught:
        _embedder(served, key=key).embed(["a"])

    assert KEY not in f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r}"
    assert served.asked == []
    assert waits == []
