import signal
import sys
from pathlib import Path

import pytest
from frames import call
from http_served import HttpServed, http_served, run_refused
from relayed import owner_pid, relayed

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked up in /proc")
FACT = [{"subject": "Mill", "predicate": "depends_on", "object": "River"}]


def stop(server: HttpServed) -> None:
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(60) == 0


@pytest.mark.slow
def test_a_server_over_http_owns_the_file_and_serves_clients_over_stdio_too(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with http_served(db, MCP_GRAPHRAG_NO_DAEMON="") as server, relayed(db) as beside:
        answer = beside.opened().ask(call(1, "add_triples", triples=FACT))
        assert not answer["result"].get("isError")
        assert [each["object"] for each in server.structured("query_triples", subject="Mill")["triples"]] == ["River"]
        assert owner_pid(db) == server.process.pid
        code, said = run_refused(db, MCP_GRAPHRAG_NO_DAEMON="")
        assert code == 4
        assert f"is served over HTTP by process {server.process.pid}." in said
        assert said.endswith("Connect to that server, or end it first.")
        stop(server)
        found = beside.ask(call(2, "query_triples", subject="Mill"))["result"]["structuredContent"]["triples"]
        assert [each["object"] for each in found] == ["River"]
        assert owner_pid(db) != server.process.pid


@pytest.mark.slow
def test_a_server_over_http_takes_over_from_the_process_in_the_background(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with relayed(db) as before:
        before.opened().ask(call(1, "add_triples", triples=FACT))
        with http_served(db, MCP_GRAPHRAG_NO_DAEMON="") as server:
            assert owner_pid(db) == server.process.pid
            found = before.ask(call(2, "query_triples", subject="Mill"))["result"]["structuredContent"]["triples"]
            assert [each["object"] for each in found] == ["River"]
            assert before.end() == 0
            stop(server)
