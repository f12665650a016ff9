"""The graphs of a folder over HTTP: a token opens its own graph, and nobody learns of another one."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio.from_thread import start_blocking_portal
from forked import FRESH, command, own_environment
from frames import SECONDS, initialize
from http_served import HEADERS, HttpServed, announced, modern_call, run_refused
from served import wait_for

from mcp_graphrag.server.http import hosted_graphs
from mcp_graphrag.server.http.hosted_graphs import HostedGraphs
from mcp_graphrag.server.http.http_access import Tokens, listen
from mcp_graphrag.settings import make_settings

RED, RED_READS, BLUE = "r" * 20, "s" * 20, "b" * 20
posix = pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")


def write_tokens(folder: Path, name: str, *tokens: str) -> Path:
    path = folder / f"{name}.toml"
    keys = ("http_token", "http_read_token")
    path.write_text("".join(f'{key} = "{token}"\n' for key, token in zip(keys, tokens, strict=False)), encoding="utf-8")
    path.chmod(0o600)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("graphs")
    write_tokens(made, "red", RED, RED_READS)
    write_tokens(made, "blue", BLUE)
    return made


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[HttpServed]:
    config = folder.parent / "none.toml"
    config.touch()
    words = ["serve", "--http", "--port", "0", "--graphs", str(folder), "--config", str(config), "--log-level", "INFO"]
    with announced([*command(), *words], own_environment()) as started:
        yield started


def asked(server: HttpServed, graph: str, token: str, tool: str, **arguments: Any) -> httpx2.Response:
    headers, frame = modern_call(tool, arguments)
    return server.request(path=f"/mcp/{graph}", token=token, headers=headers, json=frame)


def result(response: httpx2.Response) -> dict[str, Any]:
    assert response.status_code == 200, response.text
    return response.json()["result"]


def fact(name: str) -> list[dict[str, str]]:
    return [{"subject": name, "predicate": "depends_on", "object": "River"}]


def test_each_graph_has_its_own_content_and_the_receipt_names_it(server: HttpServed, folder: Path) -> None:
    for name, token in (("red", RED), ("blue", BLUE)):
        stored = result(asked(server, name, token, "add_triples", triples=fact(name)))["structuredContent"]
        assert stored["graph"] == name
    for name, token in (("red", RED_READS), ("blue", BLUE)):
        found = result(asked(server, name, token, "query_triples"))["structuredContent"]["triples"]
        assert [each["subject"] for each in found] == [name]
    assert (folder / "red.duckdb").exists()
    assert "There is no argument project." in str(result(asked(server, "red", RED, "query_triples", project="/")))
    assert "reads no files" in str(result(asked(server, "red", RED, "ingest", paths=["/etc/hosts"])))


def test_a_wrong_token_and_a_name_of_no_graph_are_answered_alike(server: HttpServed) -> None:
    wrong = asked(server, "blue", RED, "query_triples")
    assert wrong.status_code == 401
    tricks = ("none", "../red", "red/", "RED", "red%2F..%2Fred", ".", "red.toml", "")
    for response in (
        asked(server, "red", BLUE, "query_triples"),
        asked(server, "red", "", "query_triples"),
        *(asked(server, name, RED, "query_triples") for name in tricks),
        server.call("query_triples", token=RED),
    ):
        assert (response.status_code, response.text) == (wrong.status_code, wrong.text)
        assert response.headers.keys() == wrong.headers.keys()


def test_the_reading_token_cannot_write(server: HttpServed) -> None:
    refused = result(asked(server, "red", RED_READS, "add_triples", triples=fact("A")))
    assert refused["isError"]
    assert "Unknown tool" in str(refused["content"])


def test_a_session_of_one_graph_is_none_of_another(server: HttpServed) -> None:
    accept = {"Accept": HEADERS["Accept"]}
    opened = server.request(path="/mcp/red", token=RED, headers=accept, json=initialize(0))
    session = accept | {"Mcp-Session-Id": opened.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert server.request(path="/mcp/red", token=RED, headers=session, json=ping).status_code == 200
    assert server.request(path="/mcp/blue", token=BLUE, headers=session, json=ping).status_code == 404


def test_a_graph_may_come_and_its_tokens_may_change_while_the_server_runs(server: HttpServed, folder: Path) -> None:
    tokens = write_tokens(folder, "green", "g" * 20)
    assert asked(server, "green", "g" * 20, "query_triples").status_code == 200
    write_tokens(folder, "green", "h" * 20)
    assert asked(server, "green", "g" * 20, "query_triples").status_code == 401
    assert asked(server, "green", "h" * 20, "query_triples").status_code == 200
    if os.name == "posix":
        tokens.chmod(0o644)
        assert asked(server, "green", "h" * 20, "query_triples").status_code == 401
        told = "The tokens of the graph green can be read by others."
        wait_for(lambda: any(told in line for line in server.lines))
    tokens.unlink()
    assert not any(token in line for line in server.lines for token in (RED, BLUE, "g" * 20, "h" * 20))
    assert not any(str(folder) in line for line in server.lines)


@posix
def test_a_folder_that_cannot_be_served_safely_is_refused_in_words(tmp_path: Path) -> None:
    graphs = tmp_path / "graphs"
    graphs.mkdir()

    def said(*flags: str, **variables: str) -> str:
        code, words = run_refused(tmp_path / "x.duckdb", "--graphs", str(graphs), *flags, **variables)
        assert code == 2
        return words

    assert "has no graph with tokens." in said()
    path = write_tokens(graphs, "red", RED)
    assert "With --graphs each graph has tokens of its own." in said(MCP_GRAPHRAG_HTTP_TOKEN=BLUE)
    path.chmod(0o640)
    assert "can be read by others" in said()
    write_tokens(graphs, "red", "short")
    assert "is not 16 or more ASCII characters" in said()
    write_tokens(graphs, "red", RED)
    write_tokens(graphs, "blue", RED)
    assert "The graphs blue and red have the same token." in said()


@pytest.mark.slow
def test_a_graph_that_nobody_asks_is_given_up_and_opened_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted_graphs, "IDLE_SECONDS", 0.2)
    monkeypatch.setattr(hosted_graphs, "CHECK_SECONDS", 0.1)
    write_tokens(tmp_path, "red", RED)
    settings = make_settings(db=tmp_path / "none.duckdb", port=0, embedder="wordllama", structured=True)
    listener, stop = listen(settings, Tokens("x" * 20)), anyio.Event()
    headers, frame = modern_call("add_triples", {"triples": fact("A")})
    with start_blocking_portal() as portal, httpx2.Client(trust_env=False, timeout=SECONDS) as client:
        hosted = portal.call(HostedGraphs, settings, tmp_path, listener, stop)
        ended = portal.start_task_soon(hosted.run)
        for known in (0, 1):
            given = {**headers, "Authorization": f"Bearer {RED}"}
            answer = client.post(f"{listener.url}/red", headers=given, json=frame)
            assert result(answer)["structuredContent"]["known"] == known
            wait_for(lambda: not hosted._open)  # pyright: ignore[reportPrivateUsage]
        portal.call(stop.set)
        ended.result(SECONDS)


@posix
@pytest.mark.slow
def test_a_signal_ends_the_server_with_0(tmp_path: Path) -> None:
    write_tokens(tmp_path, "red", RED)
    words = [*FRESH, "serve", "--http", "--port", "0", "--graphs", str(tmp_path)]
    with announced(words, own_environment()) as started:
        assert asked(started, "red", RED, "add_triples", triples=fact("A")).status_code == 200
        started.process.send_signal(signal.SIGTERM)
        assert started.process.wait(SECONDS) == 0
    assert not (tmp_path / "red.duckdb.wal").exists()
