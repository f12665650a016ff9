import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cli_runs import Cli
from forked import FRESH, command, own_environment
from frames import Frames, call
from relayed import end_owner, owner_of, owner_pid, relayed
from served import wait_for

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked up in /proc")
BESIDE = {"MCP_GRAPHRAG_NO_DAEMON": ""}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Frames]:
    """A server of graph.duckdb that has opened the file."""
    db = tmp_path / "graph.duckdb"
    with relayed(db) as server:
        server.opened().ask(call(1, "ingest", text="The Mill depends on the River.", uri="note:mill"))
        yield server
    if owner_of(db) is not None:
        end_owner(db, signal.SIGTERM)


@contextlib.contextmanager
def running(folder: Path, *given: str, start: Sequence[str] = FRESH) -> Generator["subprocess.Popen[bytes]"]:
    """A command that runs beside the server."""
    (folder / "no-settings.toml").touch()
    words = [*start, *given, "--db", "graph.duckdb", "--config", "no-settings.toml"]
    with subprocess.Popen(words, cwd=folder, env=own_environment() | BESIDE, stdout=subprocess.DEVNULL) as process:
        yield process


def stations(folder: Path, count: int, *, sentences: int) -> list[str]:
    """The names of new files of so many sentences each."""
    names = [f"{number}.md" for number in range(count)]
    for number, name in enumerate(names):
        text = "The signal box at the junction was rebuilt and the line reopened. " * sentences
        (folder / name).write_text(f"# Station {number}\n\n{text}", encoding="utf-8")
    return names


@pytest.mark.usefixtures("served")
@pytest.mark.slow
def test_commands_run_in_the_owner_and_answer_as_they_do_alone(tmp_path: Path) -> None:
    (tmp_path / "wind.md").write_text("# Wind\n\nThe Wind depends on the Weather.\n", encoding="utf-8")
    cli = partial(Cli(tmp_path), variables=BESIDE)
    ingested = cli("ingest", "wind.md", "--json").fields
    assert (ingested["state"], ingested["added"]) == ("done", 1)
    status = cli("status", "--json").fields
    assert status["owner"]["pid"] == owner_pid(tmp_path / "graph.duckdb")
    assert status["documents"] == 2
    asked: tuple[tuple[str, ...], ...] = (
        ("search", "what depends on the river?", "--json"),
        ("query", "--subject", "Mill", "--json"),
        ("brief", "what does the Mill depend on?"),
        ("query", "--subject", "Nobody"),
        ("documents", "--json"),
    )
    with_owner = [cli(*each) for each in asked]
    end_owner(tmp_path / "graph.duckdb", signal.SIGTERM)
    assert with_owner == [cli(*each, "--no-daemon") for each in asked]


@pytest.mark.slow
def test_status_shows_the_owner_before_there_is_a_file(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with relayed(db) as server:
        server.opened()
        status = Cli(tmp_path)("status", "--json", variables=BESIDE).fields
        assert (status["exists"], status["owner"]["pid"]) == (False, owner_pid(db))
        assert not db.exists()
    end_owner(db, signal.SIGTERM)


@pytest.mark.slow
def test_a_server_answers_and_writes_while_a_command_ingests(served: Frames, tmp_path: Path) -> None:
    files = stations(tmp_path, 200, sentences=30)
    beside = 0
    with running(tmp_path, "ingest", *files, start=command()) as ingesting:
        while ingesting.poll() is None:
            triple = {"subject": f"Write {beside}", "predicate": "knows", "object": "Everybody"}
            assert not served.ask(call(10 + beside, "add_triples", triples=[triple]))["result"].get("isError")
            beside += 1
            time.sleep(0.05)
    assert ingesting.returncode == 0
    assert beside > 1
    found = served.ask(call(5, "brief"))["result"]["structuredContent"]["holds"]
    assert found["documents"] == 201
    assert found["triples"] >= beside


@pytest.mark.slow
def test_an_interrupted_command_stops_its_job_in_the_owner(served: Frames, tmp_path: Path) -> None:
    files = stations(tmp_path, 2000, sentences=150)

    def told(tool: str, **arguments: Any) -> dict[str, Any]:
        return served.ask(call(time.monotonic_ns(), tool, **arguments))["result"]["structuredContent"]

    with running(tmp_path, "ingest", *files) as ingesting:
        wait_for(lambda: told("brief")["holds"]["documents"] > 1)
        os.kill(ingesting.pid, signal.SIGINT)
        assert ingesting.wait(60) == 130
    wait_for(lambda: told("get_job", job=2, wait=30)["state"] != "running")
    assert told("get_job", job=2)["state"] == "interrupted"
    assert 1 < told("brief")["holds"]["documents"] < 2001
