"""Requests that do not come in are given up, and connections are bounded; answers may take their time."""

import contextlib
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import httpx2
import pytest
from anyio.from_thread import start_blocking_portal
from frames import SECONDS, initialize
from served import connected

from mcp_graphrag.graph import Graph
from mcp_graphrag.model import LIBRARY
from mcp_graphrag.server.app import running
from mcp_graphrag.server.http import http_connection
from mcp_graphrag.server.http.http_access import Listener, listen
from mcp_graphrag.server.http.serve_http import run_http
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.settings import make_settings

LIMIT, MOST = 1.5, 30
FACT = {"subject": "Ann", "predicate": "knows", "object": "Bob"}
HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
HALVES = [b"", b"\r\n", b"POST /mcp", HEAD, HEAD + b"Content-Length: 99\r\n\r\n{"]


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    """The graph that is served."""
    return Graph(make_settings(db=tmp_path / "graph.duckdb", port=0, embedder="wordllama", structured=True))


@pytest.fixture
def served(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    """A server in this process with short limits."""
    monkeypatch.setattr(http_connection, "HEADER_SECONDS", LIMIT)
    monkeypatch.setattr(http_connection, "BODY_SECONDS", LIMIT)
    monkeypatch.setattr(http_connection, "MAX_CONNECTIONS", MOST)
    listener, stop = listen(graph.settings), anyio.Event()

    async def serve() -> None:
        async with running(make_app(graph)) as app:
            await run_http(app, listener, stop)

    with start_blocking_portal() as portal:
        ended = portal.start_task_soon(serve)
        yield listener
        portal.call(stop.set)
        ended.result(SECONDS)


def connect(listener: Listener, sent: bytes = b"") -> socket.socket:
    """A connection on which something was sent."""
    connection = socket.create_connection(listener.socket.getsockname(), SECONDS)
    connection.sendall(sent)
    return connection


def is_closed(connection: socket.socket, seconds: float = SECONDS) -> bool:
    """Whether the server closes it within so many seconds; what it says before is dropped."""
    connection.settimeout(seconds)
    try:
        while connection.recv(10_000):
            pass
    except TimeoutError:
        return False
    except ConnectionError:
        pass
    return True


def test_requests_that_do_not_come_in_are_given_up_while_others_are_served(served: Listener) -> None:
    with contextlib.ExitStack() as stack, connected(served.url) as ask:
        halves = [stack.enter_context(connect(served, half)) for half in HALVES * 4]
        assert ask("add_triples", triples=[FACT])["added"] == 1
        assert all(is_closed(each) for each in halves)
        assert ask("query_triples", subject="Ann")["triples"]


@pytest.mark.slow
def test_headers_that_trickle_in_are_given_up_and_a_body_that_does_is_not(served: Listener) -> None:
    with connect(served, HEAD) as headers, connect(served, HEAD + b"Content-Length: 99\r\n\r\n") as body:
        for _ in range(20):
            with contextlib.suppress(ConnectionError):
                headers.sendall(b"A: b\r\n")
            body.sendall(b" ")
            time.sleep(LIMIT / 10)
        assert is_closed(headers, LIMIT / 2)
        assert not is_closed(body, 0.01)


@pytest.mark.slow
def test_an_answer_and_a_stream_may_last_longer_than_a_request(graph: Graph, served: Listener) -> None:
    headers = {"Accept": "application/json, text/event-stream"}
    with httpx2.Client(trust_env=False, timeout=SECONDS) as client, ThreadPoolExecutor() as calls:
        begun = client.post(served.url, headers=headers, json=initialize(1))
        session = headers | {"Mcp-Session-Id": begun.headers["mcp-session-id"]}
        with client.stream("GET", served.url, headers=session) as stream, connected(served.url) as ask:
            with graph.store.writing(LIBRARY):
                write = calls.submit(ask, "add_triples", triples=[FACT])
                time.sleep(2 * LIMIT)
            assert write.result(SECONDS)["added"] == 1
            assert not is_closed(stream.extensions["network_stream"].get_extra_info("socket"), 0.01)


def test_one_connection_too_many_is_refused_until_another_ends(served: Listener) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(MOST):
            stack.enter_context(connect(served))
        with connect(served) as late:
            assert late.recv(100).startswith(b"HTTP/1.1 503 ")
    with connected(served.url) as ask:
        assert ask("brief")["holds"]["documents"] == 0
