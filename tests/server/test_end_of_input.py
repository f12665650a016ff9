"""A client that ends its input with calls under way: each is answered before the server ends."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import SocketStream
from foreign_holder import held_by_another
from forked import command
from frames import INITIALIZED, MODERN, SECONDS, call, framed, initialize, request
from served import environment, serve_words, wait_for

from mcp_graphrag.graph import Graph
from mcp_graphrag.model import LIBRARY
from mcp_graphrag.server import line_connection
from mcp_graphrag.server.app import create_server
from mcp_graphrag.server.context import App
from mcp_graphrag.server.line_connection import Connection, LineStream
from mcp_graphrag.server.sdk import lifespan, lowlevel
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.settings import make_settings

OPENING = {"legacy": [initialize(0), INITIALIZED], "modern": []}
ALONE = {"alone": "true", "through the owner": ""}


def facts(number: int, meta: Any = None) -> dict[str, Any]:
    """A call that writes."""
    triples = [{"subject": f"Ann {number}", "predicate": "knows", "object": "Bob"}]
    return call(number, "add_triples", meta, triples=triples)


def piped(db: Path, frames: Sequence[dict[str, Any]], no_daemon: str) -> dict[int, Any]:
    """The answers, by id, to frames that were all written before the server had read one."""
    text = "\n".join(map(json.dumps, frames))  # the last line has no end
    words = serve_words(db, "--linger", "0", start=command())
    given = environment(MCP_GRAPHRAG_NO_DAEMON=no_daemon)
    ended = subprocess.run(
        words, input=text, capture_output=True, text=True, env=given, check=True, cwd=db.parent, timeout=SECONDS
    )
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    return {each["id"]: each for each in answers if "id" in each}


@pytest.mark.parametrize("no_daemon", ALONE.values(), ids=ALONE)
@pytest.mark.parametrize("era", OPENING)
def test_what_is_piped_in_is_answered(era: str, no_daemon: str, tmp_path: Path) -> None:
    meta = MODERN if era == "modern" else None
    frames = [*OPENING[era], *(facts(number, meta) for number in range(1, 6)), call(6, "search", meta, query="Ann")]
    answers = piped(tmp_path / "graph.duckdb", frames, no_daemon)
    assert sorted(answers) == [frame["id"] for frame in frames if "id" in frame]
    assert [answers[each]["result"]["structuredContent"]["added"] for each in range(1, 6)] == [1] * 5
    assert not answers[6]["result"].get("isError")


@pytest.mark.parametrize("no_daemon", ALONE.values(), ids=ALONE)
def test_a_write_that_waits_when_the_input_ends_is_stored_and_answered(no_daemon: str, tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with framed(db, "--lock-wait", "60", "--linger", "0", start=command(), MCP_GRAPHRAG_NO_DAEMON=no_daemon) as server:
        with held_by_another(db) as holder:
            server.opened().write(facts(1))
            server.ask({"jsonrpc": "2.0", "id": 2, "method": "ping"})
            server.process.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
            with pytest.raises(subprocess.TimeoutExpired):
                server.process.wait(1)
            holder.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
        assert server.answer()["result"]["structuredContent"]["added"] == 1
        assert server.process.wait(SECONDS) == 0


@pytest.mark.parametrize("no_daemon", ALONE.values(), ids=ALONE)
def test_a_client_that_listens_is_let_go_when_its_input_ends(no_daemon: str, tmp_path: Path) -> None:
    listen = request(1, "subscriptions/listen", notifications={"toolsListChanged": True}, _meta=MODERN)
    answers = piped(tmp_path / "graph.duckdb", [listen, facts(2, MODERN)], no_daemon)
    assert answers[1]["error"]["message"] == "Connection closed"  # and no other limit was waited for
    assert answers[2]["result"]["structuredContent"]["added"] == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there a pipe breaks otherwise")
@pytest.mark.slow
def test_a_client_that_reads_no_more_does_not_keep_the_server(tmp_path: Path) -> None:
    words = serve_words(tmp_path / "graph.duckdb")
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        process.stdin.write(json.dumps(facts(1, MODERN)).encode() + b"\n")
        process.stdin.flush()
        assert process.wait(SECONDS) == 0  # though its stdin is open


def test_a_call_that_outlasts_its_client_is_answered_as_unfinished_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_connection, "LAST_ANSWERS_SECONDS", 0.5)
    app = make_app(Graph(make_settings(db=tmp_path / "graph.duckdb", embedder="wordllama")))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours, (theirs, _) = socket.create_connection(listener.getsockname()), listener.accept()
    serving = threading.Thread(target=anyio.run, args=(serve_lines, app, theirs))
    with app.graph.store.writing(LIBRARY):
        serving.start()
        ours.sendall(b"".join(json.dumps(each).encode() + b"\n" for each in (facts(1, MODERN), call(2, meta=MODERN))))
        ours.shutdown(socket.SHUT_WR)
        with ours, ours.makefile("rb") as received:
            answers = {each["id"]: each["result"] for each in map(json.loads, received)}
    serving.join()
    wait_for(lambda: app.graph.describe().counts.triples == 1)
    app.close()
    assert sorted(answers) == [1, 2]
    assert not answers[2].get("isError")
    assert answers[1]["isError"]
    assert answers[1]["content"][0]["text"].endswith("It may still be stored: look before you call again.")


async def serve_lines(app: App, theirs: socket.socket) -> None:
    """Serve the one client on a socket."""
    server = lowlevel(create_server(app))
    async with await SocketStream.from_socket(theirs) as stream, lifespan(server) as state:
        await Connection(LineStream(stream), anyio.Event()).serve(server, state)
