"""What the README promises of every command."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from cli_runs import Cli
from forked import FRESH


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal")
def test_an_interrupted_command_exits_with_130(tmp_path: Path) -> None:
    Cli(tmp_path)("ingest", "--text", "A text.")
    words = (*FRESH, "clear", "--db", str(tmp_path / "graph.duckdb"))
    ours, theirs = os.openpty()
    with subprocess.Popen(words, stdin=theirs, stderr=subprocess.PIPE) as asking:
        assert asking.stderr is not None
        question = b""
        while b"for good?" not in question:
            read = os.read(asking.stderr.fileno(), 100)
            assert read, question
            question += read
        for _ in range(30):  # a signal just before it reads its input only interrupts it with the next one
            if asking.poll() is not None:
                break
            asking.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                asking.wait(2)
        assert "Interrupted." in asking.stderr.read().decode()
        assert asking.returncode == 130
    os.close(ours)
    os.close(theirs)


def test_derived_tables_that_were_dropped_are_rebuilt(cli: Cli) -> None:
    cli("ingest", "--text", "The Auth Service depends on the User Database.", "--uri", "note:auth")
    before = cli("search", "user database", "--json").fields
    with duckdb.connect(cli.db) as file:
        for table in ("posting", "term", "chunk_length", "chunk_embedding", "entity_embedding"):
            file.execute(f"DELETE FROM {table}")
    assert cli("reindex").code == 0
    assert cli("search", "user database", "--json").fields == before
