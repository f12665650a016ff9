"""Which project a folder belongs to, and what settings follow from it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_graphrag.errors import BadInput
from mcp_graphrag.project import Project, find_project
from mcp_graphrag.settings import load_settings, settings_of_graph

posix = pytest.mark.skipif(sys.platform == "win32", reason="owners and links of POSIX")


def git(folder: Path, *words: str) -> None:
    given = ["-c", "user.name=a", "-c", "user.email=a@example.com", *words]
    subprocess.run(["git", *given], cwd=folder, check=True, capture_output=True)


def made(root: Path) -> Project:
    """A project, as `init` makes it."""
    Project(root).folder.mkdir(parents=True)
    return Project(root)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit."""
    root = tmp_path / "main"
    root.mkdir()
    git(root, "init", "-q")
    git(root, "commit", "-q", "--allow-empty", "-m", "one")
    return root


def root_of(start: Path) -> Path | None:
    found = find_project(start)
    return found and found.root


def test_the_nearest_folder_above_decides_and_none_above_the_repository(tmp_path: Path, repository: Path) -> None:
    made(tmp_path)
    inner = made(repository / "packages" / "a").root
    (inner / "src").mkdir()

    assert root_of(inner / "src") == inner
    assert root_of(repository / "packages") is None
    assert root_of(tmp_path) == tmp_path


def test_worktrees_share_the_project_of_the_main_one_even_where_its_settings_are_checked_out(
    tmp_path: Path, repository: Path
) -> None:
    made(repository).config.write_text("strict = true\n", encoding="utf-8")
    git(repository, "add", ".mcp-graphrag/config.toml")
    git(repository, "commit", "-q", "-m", "two")
    tree = tmp_path / "tree"
    git(repository, "worktree", "add", "-q", str(tree))

    found = find_project(tree)

    assert Project(tree).config.exists()
    assert found is not None
    assert (found.root, found.roots) == (repository, (tree, repository))
    Project(tree).graph.touch()
    assert root_of(tree) == tree


def test_a_file_that_names_the_worktree_of_another_folder_shares_nothing(tmp_path: Path, repository: Path) -> None:
    made(repository)
    tree, other = tmp_path / "tree", tmp_path / "other"
    git(repository, "worktree", "add", "-q", str(tree))
    other.mkdir()
    (other / ".git").write_bytes((tree / ".git").read_bytes())

    assert root_of(tree) == repository
    assert root_of(other) is None


@posix
def test_a_folder_that_is_a_link_or_somebody_elses_is_passed_over_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, link = made(tmp_path / "mine"), tmp_path / "link"
    link.mkdir()
    Project(link).folder.symlink_to(mine.folder)
    assert root_of(link) is None

    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert root_of(mine.root) is None
    monkeypatch.chdir(mine.root)
    assert load_settings({}, {}).origins["no_project"] == f"{mine.folder} is not this user's own folder"


@posix
def test_a_graph_that_is_a_link_is_not_used(tmp_path: Path) -> None:
    project = made(tmp_path / "a")
    project.graph.symlink_to(tmp_path / "elsewhere.duckdb")

    assert root_of(project.root) is None


def test_db_goes_before_the_folder_of_the_host_before_the_working_folder_before_the_users_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, work, config = made(tmp_path / "host"), made(tmp_path / "work"), tmp_path / "config.toml"
    config.write_text('db = "mine.duckdb"\n', encoding="utf-8")
    monkeypatch.chdir(work.root)
    environ = {"CLAUDE_PROJECT_DIR": str(host.root)}

    told = load_settings({"db": "a.duckdb"}, environ, config)
    assert (told.db, told.roots) == (Path("a.duckdb"), ())
    assert load_settings({}, {**environ, "MCP_GRAPHRAG_DB": "b.duckdb"}, config).db == Path("b.duckdb")
    found = load_settings({}, environ, config)
    assert (found.db, found.roots, found.origins["db"]) == (host.graph, (str(host.root),), "project")
    assert load_settings({}, {"CLAUDE_PROJECT_DIR": str(tmp_path)}, config).db == work.graph
    assert load_settings({"project": "none"}, environ, config).db == Path("mine.duckdb")
    assert load_settings({"project": "../work", "roots": ("x",)}, environ, config).roots == ("x",)
    monkeypatch.chdir(tmp_path)
    users = load_settings({}, {}, config)
    assert (users.db, users.roots, users.origins["no_project"]) == (
        Path("mine.duckdb"), (), f"no project found above {tmp_path}",
    )  # fmt: skip


def test_a_project_may_set_how_texts_are_read_and_nothing_that_reaches_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, config = made(tmp_path / "a"), tmp_path / "config.toml"
    config.write_text("chunk_target = 100\nentities_per_chunk = 7\n", encoding="utf-8")
    project.config.write_text("chunk_target = 200\n", encoding="utf-8")
    monkeypatch.chdir(project.root)

    found = load_settings({}, {}, config)
    assert (found.chunk_target, found.entities_per_chunk) == (200, 7)
    assert found.origins["chunk_target"] == f"project {project.config}"
    for line in ('claude_key = "k"', 'roots = ["/"]', 'embed_url = "http://example.com"', 'db = "x"', "watch = []"):
        project.config.write_text(line, encoding="utf-8")
        with pytest.raises(BadInput, match=f"of a project, .* may not set {line.split()[0]}\\."):
            load_settings({}, {}, config)


def test_the_settings_of_another_graph_are_its_own_and_what_the_client_was_started_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, other, config = made(tmp_path / "here"), made(tmp_path / "other"), tmp_path / "config.toml"
    config.write_text("chunk_target = 100\n", encoding="utf-8")
    here.config.write_text("chunk_target = 200\nstrict = true\n", encoding="utf-8")
    monkeypatch.chdir(here.root)
    ours = load_settings({"threads": "3"}, {"MCP_GRAPHRAG_EMBED_KEY": "k"}, config)

    there = settings_of_graph(ours, "../other")

    assert (there.db, there.roots) == (other.graph, (str(other.root),))
    assert (there.chunk_target, there.strict, there.threads, there.embed_key) == (100, False, 3, "k")
    assert settings_of_graph(ours, "none").roots == ()
    with pytest.raises(BadInput, match="no project found above"):
        settings_of_graph(ours, str(tmp_path))
