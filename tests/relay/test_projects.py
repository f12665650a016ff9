"""Several graphs of one user: which one a server uses, what a call may ask of the others, and that nothing mixes."""

import json
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from forked import command
from http_served import announced
from mcp import StdioServerParameters
from relayed import end_owner
from served import Asked, connected, environment, served, text_of, wait_for

from mcp_graphrag.project import Project
from mcp_graphrag.server.budget import cost

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links and the forked command line")


@dataclass(frozen=True)
class Desk:
    """A user with two projects and a folder that is part of none."""

    top: Path
    config: Path

    @contextmanager
    def server(self, folder: str, *flags: str, daemon: bool = False, **variables: str) -> Generator[Asked]:
        """A client of a server that is started in a folder, as a host does."""
        program, *args = [*command(), "serve", "--config", str(self.config), "--linger", "1", *flags]
        given = {"MCP_GRAPHRAG_PROJECT": "", "MCP_GRAPHRAG_NO_DAEMON": "" if daemon else "true", **variables}
        started = StdioServerParameters(command=program, args=args, env=environment(**given), cwd=self.top / folder)
        with connected(started) as asked:
            yield asked


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    config = tmp_path / "user.toml"
    config.write_text(f"db = '{tmp_path / 'user.duckdb'}'\n", encoding="utf-8")
    for name in ("wren", "heron"):
        Project(tmp_path / name).folder.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    return Desk(tmp_path, config)


def fact(name: str) -> list[dict[str, str]]:
    return [{"subject": f"{name} Service", "predicate": "depends_on", "object": f"{name} Database"}]


def said(asked: Asked, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """The text and the structure of an answer."""
    result = asked.result(tool, arguments)
    assert not result.is_error, text_of(result)
    assert result.structured_content is not None
    return text_of(result), result.structured_content


@pytest.mark.slow
@pytest.mark.parametrize("daemon", [True, False])
def test_nothing_of_one_graph_shows_in_another_unless_a_call_asks_for_it(desk: Desk, daemon: bool) -> None:  # noqa: FBT001
    homes = {"wren": "Wren", "heron": "Heron", "elsewhere": "Human"}
    for folder, name in homes.items():
        with desk.server(folder, daemon=daemon) as ask:
            ask("add_triples", triples=fact(name))
            ask("ingest", text=f"The {name} Ledger is red.")
            seen = json.dumps([ask("query_triples"), ask("search", query="Which ledger is red?"), ask("brief")])
        assert name in seen
        assert [other for other in homes.values() if other in seen] == [name]

    with desk.server("wren", daemon=daemon) as ask:
        text, both = said(ask, "search", query="Which ledger is red?", scope="both")
        graphs = [line for line in text.splitlines() if line.startswith("graph: ")]
        assert graphs == [f"graph: project wren ({desk.top / 'wren'})", "graph: the user's"]
        assert (both["graph"], both["also"]["graph"]) == (graphs[0][7:], graphs[1][7:])
        assert [each["hits"][0]["text"] for each in (both, both["also"])] == [
            "The Wren Ledger is red.",
            "The Human Ledger is red.",
        ]
        _, users = said(ask, "query_triples", scope="user")
        assert {each["subject"] for each in users["triples"]} == {"Human Service"}
        _, found = said(ask, "query_triples", subject="Human Service", scope="both")
        assert found["graph"] == "the user's"
        assert found["also"]["error"].startswith("No entity named 'Human Service'.")
        assert "No entity named 'Owl'." in ask.refused("query_triples", subject="Owl", scope="both")


@pytest.mark.slow
def test_a_write_goes_to_one_graph_and_the_receipt_names_it(desk: Desk) -> None:
    with desk.server("wren", daemon=True) as ask:
        for project, name in ((None, "project wren"), ("../heron", "project heron"), ("none", "the user's")):
            text, fields = said(ask, "add_triples", triples=fact(name), project=project)
            assert text.startswith(f"graph: {name}")
            assert fields["graph"].startswith(name)
            kept = ask("query_triples", project=project)["triples"]
            assert [each["subject"] for each in kept] == [f"{name} Service"]
        assert "no project found above" in ask.refused("add_triples", triples=fact("A"), project=str(desk.top))
        assert "cursor goes on in one graph" in ask.refused("query_triples", scope="both", cursor="x")


def test_the_users_graph_is_never_used_without_a_word(desk: Desk) -> None:
    why = f"graph: the user's (no project found above {desk.top / 'elsewhere'})"
    with desk.server("elsewhere", "--toolsets", "all") as ask:
        for tool, given in (("add_triples", {"triples": fact("A")}), ("brief", {}), ("health", {})):
            assert said(ask, tool, **given)[0].startswith(why)


def test_two_answers_share_one_budget(desk: Desk) -> None:
    long = " ".join(["The Ledger is red and long."] * 300)
    with desk.server("wren", "--answer-tokens", "900") as ask:
        for project in (None, "none"):
            ask("ingest", text=long, project=project, extract="none")
        _, both = said(ask, "search", query="Which ledger is red?", scope="both", limit=20)

    assert both["hits"]
    assert both["also"]["hits"]
    assert cost(both) < 1200  # each has a hit at least


def test_a_server_that_was_told_its_file_offers_no_other(desk: Desk) -> None:
    with served(desk.top / "told.duckdb", MCP_GRAPHRAG_PROJECT="") as ask:
        assert "There is no argument project." in ask.refused("query_triples", project=str(desk.top / "wren"))


def test_files_of_the_project_are_read_and_none_outside(desk: Desk) -> None:
    for name in ("wren", "heron", "elsewhere"):
        (desk.top / name / "a.md").write_text(f"The {name} is red.", encoding="utf-8")
    (desk.top / "wren" / "link.md").symlink_to(desk.top / "elsewhere" / "a.md")
    with desk.server("wren") as ask:
        assert ask("ingest", paths=["a.md"])["added"] == 1
        assert "is outside the folders" in ask.refused("ingest", paths=[str(desk.top / "elsewhere" / "a.md")])
        assert "is outside the folders" in ask.refused("ingest", paths=[str(desk.top / "heron" / "a.md")])
        assert "link.md" in ask.refused("ingest", paths=["link.md"])
        assert ask("ingest", paths=[str(desk.top / "heron" / "a.md")], project="../heron")["added"] == 1
        assert "reads no files" in ask.refused("ingest", paths=[str(desk.top / "wren" / "a.md")], project="none")


@pytest.fixture
def long_ingest(desk: Desk) -> dict[str, Any]:
    """The arguments of an ingest of seconds into the other project."""
    for number in range(300):
        text = "\n\n".join(f"The Mill {number}.{part} depends on the River {part}." for part in range(60))
        (desk.top / "heron" / f"{number}.md").write_text(text, encoding="utf-8")
    return {"paths": [str(desk.top / "heron")], "project": "../heron"}


@pytest.mark.slow
def test_a_call_of_another_graph_whose_server_is_killed_is_not_called_lost(
    desk: Desk, long_ingest: dict[str, Any]
) -> None:
    with desk.server("wren", daemon=True) as ask, desk.server("heron", daemon=True) as beside:
        begun = ask.portal.start_task_soon(ask.client.call_tool, "ingest", long_ingest)
        wait_for(lambda: not beside.result("get_job", {"job": 1}).is_error)
        end_owner(Project(desk.top / "wren").graph, signal.SIGKILL)
        assert "the other graph may have stored this call" in str(begun.result(60))


@pytest.mark.slow
def test_a_cancelled_call_stops_the_job_of_the_other_graph(desk: Desk, long_ingest: dict[str, Any]) -> None:
    with desk.server("wren", daemon=True) as ask, desk.server("heron", daemon=True) as beside:
        begun = ask.portal.start_task_soon(ask.client.call_tool, "ingest", long_ingest)
        wait_for(lambda: not beside.result("get_job", {"job": 1}).is_error)
        begun.cancel()
        wait_for(lambda: beside("get_job", job=1)["state"] != "running")
        job = beside("get_job", job=1)
    assert job["state"] == "interrupted"
    assert job["done"] < 300


@pytest.mark.slow
def test_files_of_a_project_are_not_read_over_http_unless_a_root_is_given(desk: Desk) -> None:
    (desk.top / "wren" / "a.md").write_text("The wren is red.", encoding="utf-8")
    words = [*command(), "serve", "--http", "--port", "0", "--config", str(desk.config)]
    with announced(words, environment(MCP_GRAPHRAG_PROJECT=str(desk.top / "wren"))) as server:
        said = server.call("ingest", paths=["a.md"]).text
        assert "reads no files" in said
        assert "There is no argument project." in server.call("query_triples", project="none").text


@pytest.mark.slow
def test_a_renamed_folder_is_the_same_graph(desk: Desk) -> None:
    with desk.server("wren", "--toolsets", "all") as ask:
        ask("add_triples", triples=fact("Wren"))
        before = ask("health")["graph_id"]
    (desk.top / "wren").rename(desk.top / "sparrow")
    with desk.server("sparrow", "--toolsets", "all") as ask:
        assert ask("health")["graph_id"] == before
        assert len(ask("query_triples")["triples"]) == 1
        assert said(ask, "brief")[1]["graph"].startswith("project sparrow")


def test_the_folder_of_the_host_decides_and_worktrees_share_one_graph(desk: Desk) -> None:
    main, tree = desk.top / "wren", desk.top / "tree"
    for words in (
        ["init", "-q"],
        ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "--allow-empty", "-m", "one"],
        ["worktree", "add", "-q", str(tree)],
    ):
        subprocess.run(["git", *words], cwd=main, check=True, capture_output=True)
    (tree / "a.md").write_text("The Wren is red.", encoding="utf-8")
    with desk.server("heron", daemon=True, CLAUDE_PROJECT_DIR=str(tree)) as ask:
        assert ask("ingest", paths=["a.md"])["added"] == 1
        with desk.server("wren", daemon=True) as beside:
            assert beside("brief")["holds"]["documents"] == 1
