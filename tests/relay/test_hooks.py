"""Hooks of hosts: what they print, and what they have the owner of a project's graph do."""

import json
import os
import resource
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_runs import Ran, run
from forked import own_environment
from relayed import end_owner, owner_of
from served import wait_for

from mcp_graphrag.edit.inputs import FileInput, TextInput
from mcp_graphrag.graph import Graph, open_graph
from mcp_graphrag.jobs.job import Work
from mcp_graphrag.model import Candidate, Origin
from mcp_graphrag.project import MAX_SUMMARY, Project
from mcp_graphrag.server.background import Background
from mcp_graphrag.server.summary import summary_of
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.settings import make_settings

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked up in /proc")
TEXT = "The Auth Service depends on the User Database."
MAX_CPU_SECONDS = 0.15


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A project whose graph has one document; its owner ends with the test."""
    made = Project(tmp_path.resolve() / "project")
    made.folder.mkdir(parents=True)
    assert run(made.root, "ingest", "--text", TEXT, "--title", "Services", "--db", str(made.graph)).code == 0
    yield made
    if owner_of(made.graph) is not None:
        end_owner(made.graph, signal.SIGTERM)


def hook(name: str, event: Any, *words: str, folder: Path, **variables: str) -> Ran:
    """A hook that runs in another folder than the event's."""
    given = event if isinstance(event, bytes) else json.dumps(event).encode()
    variables = {"MCP_GRAPHRAG_NO_DAEMON": "", "MCP_GRAPHRAG_LINGER": "0.5", **variables}
    return run(folder, "hook", name, *words, stdin=given, variables=variables)


def edited(project: Project, path: Path, *, key: str = "file_path") -> dict[str, Any]:
    return {"cwd": str(project.root), "tool_name": "Write", "tool_input": {key: str(path), "content": "…"}}


def documents(project: Project) -> list[str]:
    """The names of the documents that the graph has, once its owner is gone."""
    wait_for(lambda: owner_of(project.graph) is None)
    with open_graph(project.graph, read_only=True) as graph:
        return sorted(each.uri.rpartition("/")[2] for each in graph.describe().documents)


def test_a_session_starts_with_what_the_project_of_the_event_knows(project: Project, tmp_path: Path) -> None:
    below = project.root / "src"
    below.mkdir()
    event = {"cwd": str(below), "hook_event_name": "SessionStart", "source": "startup"}
    said = hook("session-start", event, folder=tmp_path).out
    assert len(said.encode()) <= MAX_SUMMARY
    for part in ("1 document", "Services", "`brief`", "`trace_impact`", "grep"):
        assert part in said
    for host in ("claude-code", "codex", "gemini"):
        fields = hook("session-start", event, "--host", host, folder=tmp_path).fields["hookSpecificOutput"]
        assert fields == {"hookEventName": "SessionStart", "additionalContext": said.rstrip("\n")}


@pytest.mark.slow
def test_a_hook_that_cannot_work_says_nothing_and_ends_well(project: Project, tmp_path: Path) -> None:
    gone = {"cwd": str(tmp_path / "gone"), "tool_input": {"file_path": 3}}
    events = [b"", b"{", b"[]", {}, {"cwd": 1}, gone, {"cwd": str(tmp_path)}, {"cwd": "."}, {"cwd": str(project.root)}]
    project.summary.unlink()
    for name in ("session-start", "post-tool-use"):
        for event in events:
            ran = hook(name, event, folder=tmp_path)
            assert (ran.code, ran.out, ran.err) == (0, "", ""), (name, event)
    known = {"cwd": str(project.root)}
    for words in (["stop"], ["session-start", "--later", "x"], ["session-start", "--host", "emacs"], []):
        ran = run(tmp_path, "hook", *words, stdin=json.dumps(known).encode())
        assert (ran.code, ran.out, ran.err) == (0, "", ""), words
    assert owner_of(project.graph) is None


def test_the_hook_of_a_start_loads_no_graph_and_takes_little_of_the_processor(project: Project) -> None:
    code = "import sys; from mcp_graphrag.__main__ import main; sys.argv = ['', 'hook', 'session-start']; main()"
    given = json.dumps({"cwd": str(project.root)}).encode()
    words = [sys.executable, "-X", "importtime", "-c", code]
    ran = subprocess.run(words, input=given, capture_output=True, env=own_environment(), check=True)
    assert b"Services" in ran.stdout
    loaded = {line.rpartition("|")[2].strip() for line in ran.stderr.decode().splitlines()}
    assert "mcp_graphrag.hosts.hook" in loaded
    assert not loaded & {"duckdb", "numpy", "click", "mcp", "anyio", "mcp_graphrag.graph", "mcp_graphrag.server"}
    assert min(_cpu_seconds(code, given) for _ in range(5)) <= MAX_CPU_SECONDS


def _cpu_seconds(code: str, given: bytes) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, env=own_environment(), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_an_edited_file_is_ingested_after_the_hook_and_nothing_stays_behind(project: Project, tmp_path: Path) -> None:
    notes, patched = project.root / "notes.md", project.root / "patched.md"
    notes.write_text("# Notes\n\nThe Billing Service depends on the Auth Service.\n")
    patched.write_text("# Patched\n\nThe Mail Service depends on the Auth Service.\n")
    patch = {"command": f"*** Begin Patch\n*** Update File: {patched.name}\n@@\n+x\n*** End Patch\n"}
    assert hook("post-tool-use", edited(project, notes), folder=tmp_path).out == ""
    assert hook("post-tool-use", {"cwd": str(project.root), "tool_input": patch}, folder=tmp_path).code == 0
    found = documents(project)  # waits until the owner has ended by itself
    assert found[:2] == ["notes.md", "patched.md"]
    wait_for(lambda: "3 documents" in project.summary.read_text("utf-8"))


@pytest.mark.slow
def test_an_edited_file_is_read_by_the_settings_that_the_project_shares(project: Project, tmp_path: Path) -> None:
    project.config.write_text("chunk_target = 20\nmax_chunk_tokens = 30\n")
    notes = project.root / "notes.md"
    notes.write_text("\n\n".join(f"The mill of village {number} grinds barley for the bakers." for number in range(9)))
    elsewhere = str(tmp_path / "elsewhere.duckdb")
    assert hook("post-tool-use", edited(project, notes), folder=tmp_path, MCP_GRAPHRAG_DB=elsewhere).code == 0
    wait_for(lambda: "2 documents" in project.summary.read_text("utf-8"))
    assert documents(project)[0] == "notes.md"
    with open_graph(project.graph, read_only=True) as graph:
        assert graph.describe().counts.chunks >= 4
    assert not Path(elsewhere).exists()


@pytest.mark.slow
def test_files_that_are_ignored_or_elsewhere_are_not_ingested(project: Project, tmp_path: Path) -> None:
    (project.root / ".gitignore").write_text("secret*\n")
    (project.root / "build").mkdir()
    outside, link = tmp_path / "outside.md", project.root / "link.md"
    names = ["secret.md", "build/made.md", ".env", "image.bin", "kept.md"]
    for path in (outside, *(project.root / name for name in names)):
        path.write_bytes(b"\x00\xff\x00" if path.suffix == ".bin" else b"# A text\n\nIt says something.\n")
    link.symlink_to(outside)
    for path in (outside, link, *(project.root / name for name in names)):
        hook("post-tool-use", edited(project, path, key="path"), folder=tmp_path)
    assert [name for name in documents(project) if not name.startswith("text:")] == ["kept.md"]


def test_edits_wait_for_the_job_at_work_and_a_file_that_waits_twice_is_ingested_once(
    graph: Graph, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    paths = [root / "a.md", root / "b.md"]
    for path in paths:
        path.write_text(f"# {path.name}\n\nIt says something.\n")
    goes_on, background = threading.Event(), Background()
    work = graph.file_work(FileInput([paths[0]]), "none")
    held = Work((goes_on.wait() and each for each in work.items), 1, [])
    first = background.submit(graph, held, Origin("ingest"))
    for path in [*paths, *paths, root / "gone.md"]:
        background.ingest_edits(graph, root, [path])
    assert background.busy
    goes_on.set()
    assert first.ended.wait(60)
    wait_for(lambda: not background.busy)
    background.stop()
    assert [(each.state, each.done) for each in graph.status().jobs] == [("done", 2), ("done", 1)]


def test_the_summary_is_written_when_the_owner_goes_idle_and_is_the_users_alone(project: Project) -> None:
    settings = make_settings(db=project.graph, embedder="wordllama", idle_release=0)
    app = make_app(Graph(settings))
    app.graph.ingest_text(TextInput("Billing depends on Auth.", title="Billing"))
    app.release_when_idle()
    text = project.summary.read_text("utf-8")
    assert "2 documents" in text
    assert stat.S_IMODE(project.summary.stat().st_mode) == 0o600
    assert app.graph.store.idle_seconds < 0  # it is closed
    os.utime(project.summary, (1, 1))
    app.release_when_idle()
    assert project.summary.stat().st_mtime == 1  # nobody has written, so nothing is opened
    app.close()


def test_a_summary_is_short_whatever_names_there_are(graph: Graph) -> None:
    graph.ingest_text(TextInput("A text.", title="T" * 200))
    names = [f"{letter * 80} Service" for letter in "ÄÉÖÜÅØÑÇ"]
    graph.add_triples([Candidate(name, f"stands_{name[0] * 60}_at", f"{name} Store") for name in names])
    text = summary_of(graph)
    assert len(text.encode()) <= MAX_SUMMARY
    assert text.endswith("grep is better.")
    assert f"{'T' * 39}…" in text
