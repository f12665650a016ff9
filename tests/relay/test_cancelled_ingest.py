"""An ingest that its client cancels stops before the next paid request; one whose client is gone goes on.

Over HTTP, protocol 2026-07-28 has no other sign of cancelling than that the client closes the connection.
"""

import threading
from pathlib import Path
from typing import Any

import pytest
from claude_server import ClaudeServer, Connection
from forked import FRESH
from frames import Frames, call, framed
from http_served import http_served
from model_answers import note, read_sentences
from relayed import owner_of
from served import wait_for

FILLER = "It was written down by the people who keep the lights on at night and it is read by nobody at all. " * 12
TEXT = "\n\n".join(f"# Part {number}\n\n{note(number)} {FILLER}" for number in range(6))


class HeldModel:
    """Answers when it is let; `asked` is set by the first request."""

    def __init__(self, api: ClaudeServer) -> None:
        self.asked, self.let = threading.Event(), threading.Event()
        api.default = self.respond

    def respond(self, connection: Connection, body: dict[str, Any]) -> None:
        """Answer what the sentences say."""
        self.asked.set()
        assert self.let.wait(60)
        read_sentences(connection, body)


@pytest.fixture
def variables(claude_api: ClaudeServer) -> dict[str, str]:
    one_by_one = {"MCP_GRAPHRAG_CLAUDE_CHUNKS": "1", "MCP_GRAPHRAG_CLAUDE_WORKERS": "1"}
    return {**claude_api.environment, **one_by_one, "MCP_GRAPHRAG_NO_DAEMON": ""}


def begin(server: Frames, model: HeldModel) -> None:
    """Have the server ingest a text of several requests, and wait for the first."""
    server.opened().write(call(1, "ingest", text=TEXT, extract=["auto", "claude"], consent=True))
    assert model.asked.wait(60)


def ended_job(server: Frames) -> dict[str, Any]:
    """The first job, once it has ended."""
    job = {"state": "running"}
    number = 10
    while job["state"] == "running":
        job = server.ask(call(number, "get_job", job=1, wait=5))["result"]["structuredContent"]
        number += 1
    return job


@pytest.mark.slow
def test_a_cancelled_ingest_makes_no_further_request_and_the_same_again_does_the_rest(
    tmp_path: Path, claude_api: ClaudeServer, variables: dict[str, str]
) -> None:
    model = HeldModel(claude_api)
    with framed(tmp_path / "graph.duckdb", "--linger", "5", before=(), start=FRESH, **variables) as server:
        begin(server, model)
        server.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        server.ask(call(2, "brief"))
        model.let.set()

        job = ended_job(server)
        assert (job["state"], job["documents"], len(claude_api.requests)) == ("interrupted", 1, 1)
        assert job["hint"] == "What was done stays; the same call again does the rest."

        again = call(3, "ingest", text=TEXT, extract=["auto", "claude"], consent=True)
        done = server.ask(again)["result"]["structuredContent"]
        assert (done["state"], done["unchanged"]) == ("done", 1)
        parts = [body["messages"][0]["content"] for body in claude_api.requests]
        assert len(parts) == len(set(parts)) == 6


@pytest.mark.slow
def test_an_ingest_goes_on_when_its_client_is_gone(
    tmp_path: Path, claude_api: ClaudeServer, variables: dict[str, str]
) -> None:
    model = HeldModel(claude_api)
    db = tmp_path / "graph.duckdb"
    with framed(db, "--linger", "5", before=(), start=FRESH, **variables) as server:
        begin(server, model)
        server.end()
    wait_for(lambda: (owner := owner_of(db)) is not None and "mcp" not in owner.status["clients"])
    model.let.set()
    with framed(db, "--linger", "1", before=(), start=FRESH, **variables) as server:
        assert (ended_job(server.opened())["state"], len(claude_api.requests)) == ("done", 6)


@pytest.mark.slow
def test_an_ingest_over_http_stops_when_its_client_closes_the_connection(
    tmp_path: Path, claude_api: ClaudeServer, variables: dict[str, str]
) -> None:
    model = HeldModel(claude_api)
    with http_served(tmp_path / "graph.duckdb", "--toolsets", "all", **variables) as server:
        connection = server.begin_call("ingest", text=TEXT, extract=["auto", "claude"], consent=True)
        assert model.asked.wait(60)
        connection.close()
        server.structured("brief")["holds"]
        model.let.set()

        job = server.structured("get_job", job=1, wait=30)
        assert (job["state"], job["documents"], len(claude_api.requests)) == ("interrupted", 1, 1)
