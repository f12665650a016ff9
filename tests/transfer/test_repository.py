"""A graph that clones of a repository share."""

import shutil
import subprocess
from pathlib import Path

import pytest
from cli_runs import run

from mcp_graphrag.project import Project
from mcp_graphrag.transfer.repository_file import merged

FACT = '{"subject":"%s","predicate":"depends_on","object":"Wren Service"}\n'


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    return subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "graph")


def test_a_merge_keeps_what_either_has_added_and_neither_removed() -> None:
    graph, old, new = '{"kind":"graph","format":1}', '{"kind":"triple","a":1}', '{"kind":"entity","a":2}'

    assert merged({graph, old}, {graph, old, new}, {graph}) == [graph, new]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_clones_share_a_graph_and_git_merges_what_both_have_added(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    git(one, "init", "-q")
    (one / "a.md").write_text("The Wren Service depends on the Nest Database.\n", encoding="utf-8")
    mine = {"MCP_GRAPHRAG_PROJECT": "auto"}
    for words in (("init",), ("ingest", "a.md"), ("export", "--repo")):
        assert run(one, *words, variables=mine).code == 0
    first = Project(one).artefact.read_bytes()
    commit(one)
    git(tmp_path, "clone", "-q", str(one), str(other))
    run(other, "init", variables=mine)

    assert "a.md:1" in run(other, "impact", "Nest Database", variables=mine).out
    run(other, "export", "--repo", variables=mine)
    assert Project(other).artefact.read_bytes() == first, "the same graph gives the same file in every clone"

    for folder, name in ((one, "Lark"), (other, "Robin")):
        run(folder, "add-triples", "-", stdin=(FACT % name).encode(), variables=mine)
        run(folder, "export", "--repo", variables=mine)
        commit(folder)
    git(one, "pull", "-q", "--no-rebase", "--no-edit", str(other), "HEAD")

    said = run(one, "impact", "Nest Database", variables=mine).out
    assert [name in said for name in ("Lark", "Robin", "Wren Service")] == [True, True, True]
    assert run(one, "verify", variables=mine).code == 0
