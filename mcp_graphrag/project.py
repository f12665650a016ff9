"""The project that a folder belongs to, by the graph that is kept in it."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = ".mcp-graphrag"
GRAPH = "graph.duckdb"
SUMMARY = "summary.txt"
MAX_SUMMARY = 1000  # bytes


@dataclass(frozen=True)
class Project:
    """A project with a graph of its own: its root folder."""

    root: Path

    @property
    def folder(self) -> Path:
        """The folder of the graph and its settings."""
        return self.root / FOLDER

    @property
    def graph(self) -> Path:
        """The graph's file."""
        return self.folder / GRAPH

    @property
    def summary(self) -> Path:
        """What the graph knows in at most MAX_SUMMARY bytes, which its owner writes for hooks of hosts."""
        return self.folder / SUMMARY


def find_project(start: Path) -> Project | None:
    """The nearest project at or above a folder, not above the repository that it is in; None if there is none.

    The worktrees of a repository share the project of its main one.
    """
    for root in (start, *start.parents):
        if Project(root).folder.is_dir():
            return Project(root)
        git = root / ".git"
        if git.exists():
            main = _main_worktree(git)
            return Project(main) if main is not None and Project(main).folder.is_dir() else None
    return None


def _main_worktree(git: Path) -> Path | None:
    """The main worktree of the repository, of which `.git` in another worktree is a file that names its folder."""
    if git.is_dir():
        return None
    try:
        named = git.read_text("utf-8").removeprefix("gitdir:").strip()
        folder = (git.parent / named).resolve()
        common = (folder / (folder / "commondir").read_text("utf-8").strip()).resolve()
    except (OSError, ValueError):
        return None  # no worktree, but a submodule: a repository of its own
    return common.parent
