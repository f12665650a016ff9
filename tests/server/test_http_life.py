"""How a server over HTTP ends: calls under way are answered, streams end, and the file is closed."""

import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio
import httpx2
import pytest
from http_served import SECONDS, http_served
from mcp import Client
from served import connected

from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.model import LIBRARY
from mcp_graphrag.server.app import create_server, running
from mcp_graphrag.server.http.http_access import listen
from mcp_graphrag.server.http.serve_http import run_http
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.settings import Settings, make_settings

FACT = {"subject": "Ann", "predicate": "knows", "object": "Bob"}
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signal that a test could send")


def stored_in(db: Path) -> set[str]:
    """The objects of the triples in a file that nobody has open."""
    assert not db.with_name(f"{db.name}.wal").exists()
    with Graph(make_settings(db=db, read_only=True, lock_wait=0, embedder="wordllama")) as graph:
        return {each.object for each in graph.query_triples(TripleQuery(predicate="knows", limit=10_000)).triples}


@pytest.mark.slow
@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_ends_the_server_with_0_while_a_client_listens(name: str, tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with http_served(db) as server, connected(server.url, "legacy") as ask:
        ask("add_triples", triples=[FACT])
        server.process.send_signal(getattr(signal, name))
        assert server.process.wait(9) == 0  # sooner than calls under way would be given up
        assert server.lines[1:] == []
    assert stored_in(db) == {"Bob"}


@posix
@pytest.mark.parametrize("flags", [(), ("--no-daemon",)])
@pytest.mark.slow
def test_a_signal_ends_the_server_with_0_as_soon_as_it_says_that_it_serves(
    flags: tuple[str, ...], tmp_path: Path
) -> None:
    with http_served(tmp_path / "graph.duckdb", *flags) as server:
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(SECONDS) == 0


@pytest.mark.slow
@posix
def test_every_write_that_was_answered_while_the_server_stopped_is_kept(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    answered: list[str] = []
    with http_served(db) as server:

        def write(client: int) -> None:
            for number in range(1000):
                fact = {"subject": "Ann", "predicate": "knows", "object": f"Bob {client} {number}"}
                try:
                    server.structured("add_triples", triples=[fact])
                except httpx2.TransportError:
                    return  # the server takes no more connections
                answered.append(fact["object"])
                if len(answered) == 20:
                    server.process.send_signal(signal.SIGTERM)

        with ThreadPoolExecutor() as clients:
            list(clients.map(write, range(4)))
        assert server.process.wait(SECONDS) == 0
        assert server.lines[1:] == []
    assert len(answered) >= 20
    assert stored_in(db) >= set(answered)


@pytest.mark.slow
@posix
def test_an_ingest_under_way_is_answered_as_interrupted(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    # Many batches, each of a tenth of a second: a busy machine too is far from the last one when it hears of the first,
    # and ends the one under way before the server would give up the call.
    for number in range(3000):
        text = f"Station {number}. " + "The signal box was rebuilt and the line reopened. " * 200
        (shelf / f"{number}.txt").write_text(text, encoding="utf-8")
    with http_served(db, "--root", str(shelf), "--job-after", "40") as server:
        with ThreadPoolExecutor() as calls:
            call = calls.submit(server.structured, "ingest", paths=[str(shelf)], extract=["none"])
            while not server.structured("brief")["holds"]["documents"]:
                assert not call.done(), call.result()
                time.sleep(0.05)
            server.process.send_signal(signal.SIGTERM)
            assert call.result(SECONDS)["state"] == "interrupted"
        assert server.process.wait(SECONDS) == 0
        assert server.lines[1:] == []


@pytest.mark.slow
def test_a_read_is_answered_while_many_writes_wait(tmp_path: Path) -> None:
    graph = Graph(make_settings(db=tmp_path / "graph.duckdb", embedder="wordllama", structured=True))
    with connected(create_server(make_app(graph))) as ask, ThreadPoolExecutor(61) as clients:
        ask("add_triples", triples=[FACT])
        with graph.store.writing(LIBRARY):
            facts = [FACT | {"object": f"Bob {number}"} for number in range(60)]
            writes = [clients.submit(ask, "add_triples", triples=[fact]) for fact in facts]
            read = clients.submit(ask, "query_triples", subject="Ann")
            assert len(read.result(SECONDS)["triples"]) == 1
            assert not any(write.done() for write in writes)
        assert sum(write.result(SECONDS)["added"] for write in writes) == 60


def test_a_cancelled_server_frees_its_port_and_leaves_the_app_running(tmp_path: Path) -> None:
    anyio.run(_serve_and_cancel, make_settings(db=tmp_path / "graph.duckdb", port=0, embedder="wordllama"))


async def _serve_and_cancel(settings: Settings) -> None:
    app = make_app(Graph(settings))
    listener = listen(settings)
    port = int(listener.url.rpartition(":")[2].removesuffix("/mcp"))
    async with running(app):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run_http, app, listener, anyio.Event())
            async with Client(listener.url) as client:
                await client.call_tool("add_triples", {"triples": [FACT]})
            tasks.cancel_scope.cancel()
        listen(make_settings(db=settings.db, port=port)).socket.close()
        assert app.graph.describe().counts.triples == 1
