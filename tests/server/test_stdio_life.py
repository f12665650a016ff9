import os
import signal
import sys
from pathlib import Path

import pytest
from frames import call, framed

from mcp_graphrag.graph import Graph
from mcp_graphrag.settings import load_settings

FACT = {"subject": "Ann", "predicate": "knows", "object": "Bob"}
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows hosts end a server by closing stdin or killing it")


def triples_in(db: Path) -> int:
    """How many triples a file holds that nobody has open."""
    with Graph(load_settings({"db": str(db), "read_only": True, "lock_wait": 0, "embedder": "wordllama"}, {})) as graph:
        return graph.describe().counts.triples


@pytest.mark.slow
def test_closing_stdin_ends_the_server_and_leaves_the_file(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with framed(db) as server:
        server.opened().ask(call(1, "add_triples", triples=[FACT]))
        assert server.end() == 0
        assert triples_in(db) == 1


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_ends_the_server_with_0_and_leaves_the_file(name: str, tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with framed(db) as server:
        server.opened().ask(call(1, "add_triples", triples=[FACT]))
        server.process.send_signal(getattr(signal, name))
        assert server.process.wait(100) == 0
        assert triples_in(db) == 1


PARENT = "import subprocess, sys; child = subprocess.Popen(sys.argv[1:]); child.wait()"


@pytest.mark.slow
@posix
def test_a_server_whose_parent_was_killed_ends_though_its_pipes_are_open(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with framed(db, before=(sys.executable, "-c", PARENT)) as server:
        server.opened().ask(call(1, "add_triples", triples=[FACT]))
        os.kill(server.process.pid, signal.SIGKILL)
        server.wait_closed()
        assert triples_in(db) == 1
