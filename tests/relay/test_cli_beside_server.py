import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from forked import FRESH, command, own_environment
from frames import Frames, call
from relayed import end_owner, owner_of, owner_pid, relayed, wait_for

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked up in /proc")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Frames]:
    """A server of graph.duckdb that has opened the file."""
    db = tmp_path / "graph.duckdb"
    with relayed(db) as server:
        server.opened().ask(call(1, "ingest", text="The Mill depends on the River.", uri="note:mill"))
        yield server
    if owner_of(db) is not None:
        end_owner(db, signal.SIGTERM)


def words(folder: Path, *given: str, start: Sequence[str] = FRESH) -> list[str]:
    (folder / "no-settings.toml").touch()
    return [*start, *given, "--db", "graph.duckdb", "--config", "no-settings.toml"]


def environment() -> dict[str, str]:
    return own_environment() | {"MCP_GRAPHRAG_NO_DAEMON": ""}


def run(folder: Path, *given: str) -> "subprocess.CompletedProcess[str]":
    ran = words(folder, *given, start=command())
    return subprocess.run(ran, capture_output=True, text=True, cwd=folder, env=environment(), check=False, timeout=100)


def stations(folder: Path, count: int, *, sentences: int) -> list[str]:
    """The names of new files of so many sentences each."""
    names = [f"{number}.md" for number in range(count)]
    for number, name in enumerate(names):
        text = (
            f"# Station {number}\n\n" + "The signal box at the junction was rebuilt and the line reopened. " * sentences
        )
        (folder / name).write_text(text, encoding="utf-8")
    return names


def fields(ran: "subprocess.CompletedProcess[str]") -> Any:
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.usefixtures("served")
def test_commands_run_in_the_owner_and_answer_as_they_do_alone(tmp_path: Path) -> None:
    (tmp_path / "wind.md").write_text("# Wind\n\nThe Wind depends on the Weather.\n", encoding="utf-8")
    ingested = fields(run(tmp_path, "ingest", "wind.md", "--json"))
    assert (ingested["state"], ingested["added"]) == ("done", 1)
    status = fields(run(tmp_path, "status", "--json"))
    assert status["owner"]["pid"] == owner_pid(tmp_path / "graph.duckdb")
    assert status["documents"] == 2
    asked: tuple[tuple[str, ...], ...] = (
        ("search", "what depends on the river?", "--json"),
        ("query", "--subject", "Mill", "--json"),
        ("ask", "what does the Mill depend on?", "--context"),
        ("query", "--subject", "Nobody"),
        ("documents", "--json"),
    )
    with_owner = [run(tmp_path, *each) for each in asked]
    end_owner(tmp_path / "graph.duckdb", signal.SIGTERM)
    alone = [run(tmp_path, *each, "--no-daemon") for each in asked]
    for one, other in zip(with_owner, alone, strict=True):
        assert (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr)


def test_status_shows_the_owner_before_there_is_a_file(tmp_path: Path) -> None:
    db = tmp_path / "graph.duckdb"
    with relayed(db) as server:
        server.opened()
        status = fields(run(tmp_path, "status", "--json"))
        assert (status["exists"], status["owner"]["pid"]) == (False, owner_pid(db))
        assert not db.exists()
    end_owner(db, signal.SIGTERM)


def test_a_server_answers_and_writes_while_a_command_ingests(served: Frames, tmp_path: Path) -> None:
    files = stations(tmp_path, 200, sentences=30)
    ingesting = subprocess.Popen(
        words(tmp_path, "ingest", *files, start=command()),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.DEVNULL,
    )
    beside = 0
    while ingesting.poll() is None:
        triple = {"subject": f"Write {beside}", "predicate": "knows", "object": "Everybody"}
        assert not served.ask(call(10 + beside, "add_triples", triples=[triple]))["result"].get("isError")
        beside += 1
        time.sleep(0.05)
    assert ingesting.returncode == 0
    assert beside > 1
    found = served.ask(call(5, "describe_graph"))["result"]["structuredContent"]
    assert found["documents"] == 201
    assert found["triples"] >= beside


@pytest.mark.slow
def test_an_interrupted_command_stops_its_job_in_the_owner(served: Frames, tmp_path: Path) -> None:
    files = stations(tmp_path, 2000, sentences=150)
    ingesting = subprocess.Popen(words(tmp_path, "ingest", *files), cwd=tmp_path, env=environment())

    def documents() -> int:
        answer = served.ask(call(time.monotonic_ns(), "describe_graph"))
        return answer["result"]["structuredContent"]["documents"]

    wait_for(lambda: documents() > 1)
    os.kill(ingesting.pid, signal.SIGINT)
    assert ingesting.wait(60) == 130

    def state() -> str:
        answer = served.ask(call(time.monotonic_ns(), "get_job", job=2, wait=30))
        return answer["result"]["structuredContent"]["state"]

    wait_for(lambda: state() != "running")
    assert state() == "interrupted"
    assert 1 < documents() < 2001
