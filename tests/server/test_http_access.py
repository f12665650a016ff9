"""Who reaches a server over HTTP: hosts, origins, tokens, sizes; and what it says when it does not start."""

import json
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from forked import command
from http_served import HEADERS, HttpServed, http_served, run_refused
from served import ERAS, connected

from mcp_graphrag.server.tools import TOOLS

FACT = {"subject": "Ann", "predicate": "knows", "object": "Bob"}
WRITES, READS = "w" * 20, "r" * 20


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServed]:
    """A server on loopback without a token that takes requests of up to 100 kB and logs each."""
    db = tmp_path_factory.mktemp("open") / "graph.duckdb"
    with http_served(db, "--max-request-mb", "0.1", "--log-level", "INFO", start=command()) as server:
        yield server


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServed]:
    """A server with both tokens, reached by a name of its own too."""
    db = tmp_path_factory.mktemp("guarded") / "graph.duckdb"
    tokens = {"MCP_GRAPHRAG_HTTP_TOKEN": WRITES, "MCP_GRAPHRAG_HTTP_READ_TOKEN": READS}
    with http_served(db, "--allowed-host", "graph.example.com", **tokens, start=command()) as server:
        yield server


@pytest.mark.parametrize("mode", ERAS)
def test_a_client_of_either_era_writes_and_reads(open_server: HttpServed, mode: str) -> None:
    with connected(open_server.url, mode) as ask:
        assert ask.tools() == [tool.name for tool in TOOLS if tool.toolset == "default"]
        ask("add_triples", triples=[FACT | {"object": mode}])
        assert ask("query_triples", object=mode)["triples"][0]["subject"] == "Ann"


@pytest.mark.parametrize("host", ["evil.example.com", "localhost.example.com", "127.0.0.1.example.com:80"])
def test_a_host_that_is_not_allowed_is_misdirected(open_server: HttpServed, host: str) -> None:
    assert open_server.request(headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.example.com", "null", "http://localhost.example.com"])
def test_an_origin_that_is_not_allowed_is_forbidden(open_server: HttpServed, origin: str) -> None:
    assert open_server.request(headers={"Origin": origin}).status_code == 403


def test_a_request_above_the_limit_is_refused_and_one_below_is_not(open_server: HttpServed) -> None:
    assert open_server.call("ingest", text="x" * 100_000, uri="note:1").status_code == 413
    assert open_server.call("ingest", text="word " * 10_000, uri="note:1").status_code == 200


BAD_BODIES: dict[str, tuple[str, int | None, int, str]] = {
    "deep": (
        f'{{"jsonrpc":"2.0","id":3,"method":"ping","params":{{"a":{"[" * 300 + "]" * 300}}}}}',
        3,
        -32600,
        "nested",
    ),
    "a batch": ('[{"jsonrpc":"2.0","id":3,"method":"ping"}]', None, -32600, "a batch. Send one"),
    "cut": ('{"jsonrpc":"2.0","id":3,"method":"pi', 3, -32700, "no JSON"),
    "nothing": ("", None, -32600, "no JSON-RPC message"),
}


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("name", BAD_BODIES)
def test_a_body_that_is_no_message_is_refused_by_its_id_in_words(
    open_server: HttpServed, name: str, version: str
) -> None:
    body, id_, code, says = BAD_BODIES[name]
    headers = HEADERS | {"Content-Type": "application/json", "MCP-Protocol-Version": version}
    response = open_server.request(headers=headers, content=body)
    answer = response.json()
    assert (response.status_code, answer["id"], answer["error"]["code"]) == (400, id_, code)
    assert says in answer["error"]["message"]
    assert "validation error" not in response.text


def test_half_a_surrogate_pair_in_a_body_harms_nothing(open_server: HttpServed) -> None:
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "\ud800", "version": "1"}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    headers = HEADERS | {"Content-Type": "application/json", "MCP-Protocol-Version": "2025-11-25"}
    assert open_server.request(headers=headers, content=body).status_code == 200


def test_only_the_address_of_mcp_is_served(open_server: HttpServed) -> None:
    assert open_server.request("GET", "/").status_code == 404
    assert open_server.request("GET", "/mcp/../etc").status_code == 404


def test_health_says_that_the_server_answers_and_nothing_of_the_graph(guarded: HttpServed) -> None:
    answer = guarded.request("GET", "/healthz", headers={"Host": "10.1.2.3:80"})
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    assert guarded.request("POST", "/healthz").status_code == 405


def test_the_access_log_has_no_content_and_no_query(open_server: HttpServed) -> None:
    open_server.call("search", query="hidden words")
    open_server.request("GET", "/secret/hidden?hidden=1")
    open_server.call("get_neighbourhood", entity="hidden name")  # fails, in words that have the name
    open_server.call("ingest", paths=["/hidden/diary.md"])
    logged = [line for line in open_server.lines if "http_gate" in line]
    assert any("POST /mcp read-write 200" in line for line in logged)
    assert any("GET other read-write 404" in line for line in logged)
    assert "hidden" not in "".join(open_server.lines)


@pytest.mark.parametrize("authorization", ["", "Bearer", f"Bearer {WRITES}x", f"Basic {WRITES}", "Bearer \xe9"])
def test_without_its_token_a_guarded_server_answers_nobody(guarded: HttpServed, authorization: str) -> None:
    for path in ("/mcp", "/"):
        answer = guarded.request(path=path, headers={"Authorization": authorization.encode("latin-1")})
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer ")
        assert WRITES not in answer.text


@pytest.mark.parametrize("mode", ERAS)
def test_the_reading_token_gets_the_reading_tools_and_cannot_write(guarded: HttpServed, mode: str) -> None:
    with connected(guarded.transport(WRITES), mode) as ask:
        assert "add_triples" in ask.tools()
        ask("add_triples", triples=[FACT])
    with connected(guarded.transport(READS), mode) as ask:
        assert ask.tools() == [tool.name for tool in TOOLS if tool.reads and tool.toolset == "default"]
        assert ask("query_triples")["triples"][0]["object"] == "Bob"
        assert ask.refused("add_triples", triples=[FACT]) == "Unknown tool: add_triples"
        hint = ask("query_triples", subject="Bob", predicate="knows")["hint"]
        assert "--read-only" not in hint


def test_a_session_of_the_writing_token_is_none_of_the_reading_one(guarded: HttpServed) -> None:
    client = {"name": "t", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    headers = {"Accept": "application/json, text/event-stream"}
    frame = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    session = guarded.request(token=WRITES, headers=headers, json=frame).headers["mcp-session-id"]
    listed: dict[str, Any] = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
    known = headers | {"Mcp-Session-Id": session}
    assert guarded.request(token=READS, headers=known, json=listed).status_code == 404
    assert guarded.request(token=WRITES, headers=known, json=listed).status_code == 200


def test_an_allowed_name_is_a_host_and_an_origin(guarded: HttpServed) -> None:
    headers = {"Host": "Graph.Example.com", "Origin": "https://graph.example.com:8443"}
    assert guarded.request("GET", token=WRITES, headers=headers).status_code == 400  # past both: no session is named


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--host", "0.0.0.0"), "error: Other machines reach 0.0.0.0, and no token protects the graph.\n"),  # noqa: S104
        (
            ("--host", "0.0.0.0", "--http-token", WRITES),  # noqa: S104
            "error: Other machines reach 0.0.0.0, and no host name is allowed.\n",
        ),
        (("--host", "127.0.0.2"), "error: 127.0.0.2 is served with a token: of the loopback"),
        (("--http-token", "short"), "error: The setting http_token is not 16 or more ASCII characters"),
        (
            ("--http-token", WRITES, "--http-read-token", WRITES),
            "error: The settings http_token and http_read_token are the same.",
        ),
        (("--port", "65536"), "error: The setting port (flag) is 65536.\n"),
        (("--host", "no.such.host.invalid"), "error: No address of this machine is named 'no.such.host.invalid'."),
        (("--host", "192.0.2.1", "--http-token", WRITES, "--allowed-host", "x"), "error: Port 0 of 192.0.2.1 cannot"),
        (("--allowed-host", "a/b"), "error: The setting allowed_hosts (flag) is 'a/b'."),
    ],
)
def test_a_server_that_cannot_start_says_why_with_exit_code_2(
    flags: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    code, said = run_refused(tmp_path / "graph.duckdb", *flags)
    assert code == 2
    assert said.startswith(says)
    assert "Traceback" not in said
    assert "short" not in said


@pytest.mark.parametrize("flags", [("--host", "localhost"), ("--host", "127.0.0.2", "--allowed-host", "127.0.0.2")])
def test_a_loopback_address_answers_at_the_address_that_it_announces(flags: Sequence[str], tmp_path: Path) -> None:
    with http_served(tmp_path / "graph.duckdb", *flags, start=command()) as server:
        assert server.structured("brief")["holds"]["documents"] == 0


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = run_refused(tmp_path / "graph.duckdb", "--port", str(port))
    assert (code, said.splitlines()[0]) == (2, f"error: Port {port} of 127.0.0.1 is in use.")


def test_any_address_is_served_with_a_token_and_an_allowed_name(tmp_path: Path) -> None:
    flags = ("--host", "0.0.0.0", "--allowed-host", "graph.example.com", "--http-token", WRITES)  # noqa: S104
    with http_served(tmp_path / "graph.duckdb", *flags, start=command()) as server:
        assert server.request("GET", token=WRITES, headers={"Host": "graph.example.com"}).status_code == 400
        assert server.request("GET", token=WRITES, headers={"Host": "other.example.com"}).status_code == 421
        assert server.request("GET", headers={"Host": "graph.example.com"}).status_code == 401
