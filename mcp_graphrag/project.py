"""The project that a folder belongs to, by the graph that is kept in it."""

import os
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = ".mcp-graphrag"
GRAPH = "graph.duckdb"
CONFIG = "config.toml"
SUMMARY = "summary.txt"
ARTEFACT = "graph.jsonl.gz"  # the graph as the repository has it
MAX_SUMMARY = 1000  # bytes


@dataclass(frozen=True)
class Project:
    """A project with a graph of its own: its root folder, and the worktree of its repository that was looked from."""

    root: Path
    worktree: Path | None = None

    @property
    def folder(self) -> Path:
        """The folder of the graph and its settings."""
        return self.root / FOLDER

    @property
    def graph(self) -> Path:
        """The graph's file."""
        return self.folder / GRAPH

    @property
    def config(self) -> Path:
        """The settings that all who work on the project share."""
        return self.folder / CONFIG

    @property
    def artefact(self) -> Path:
        """The graph as the repository has it, written by `export --repo`."""
        return self.folder / ARTEFACT

    @property
    def roots(self) -> tuple[Path, ...]:
        """The folders whose files belong to it."""
        return (self.root,) if self.worktree is None else (self.worktree, self.root)

    @property
    def is_own(self) -> bool:
        """Whether its folder is this user's: what somebody else made, or a link that came with files, is not used."""
        try:
            found = self.folder.lstat()
        except OSError:
            return False
        is_ours = sys.platform == "win32" or found.st_uid == os.getuid()
        return is_ours and stat.S_ISDIR(found.st_mode) and not self.graph.is_symlink()

    @property
    def summary(self) -> Path:
        """What the graph knows in at most MAX_SUMMARY bytes, which its owner writes for hooks of hosts."""
        return self.folder / SUMMARY


def find_project(start: Path) -> Project | None:
    """The nearest project at or above a folder, not above the repository that it is in; None if there is none.

    The worktrees of a repository share the projects of its main one, unless one has a graph of its own. A folder
    that is not this user's is passed over.
    """
    return next((each for each in projects_above(start) if each.is_own), None)


def projects_above(start: Path) -> Sequence[Project]:
    """Whatever looks like a project at or above a folder, in the order in which `find_project` takes the first own."""
    found: list[Project] = []
    start = start.expanduser().resolve()
    for root in (start, *start.parents):
        if os.path.lexists(Project(root).folder):
            found.append(Project(root))
        git = root / ".git"
        if git.exists():
            main = _main_worktree(git)
            if main is None:
                break
            # The folder of a worktree is there with the shared settings as soon as they are committed.
            shared = [Project(main / each.relative_to(root), each) for each in (*(one.root for one in found), root)]
            return [
                *(each for each in found if each.graph.exists()),
                *(each for each in shared if each.folder.exists()),
                *found,
            ]
    return found


def _main_worktree(git: Path) -> Path | None:
    """The main worktree of the repository, of which `.git` in another worktree is a file that names its folder.

    None where that folder does not name the worktree too: anybody can write such a file.
    """
    if git.is_dir():
        return None
    try:
        named = git.read_text("utf-8").removeprefix("gitdir:").strip()
        folder = (git.parent / named).resolve()
        common = (folder / (folder / "commondir").read_text("utf-8").strip()).resolve()
        back = (folder / (folder / "gitdir").read_text("utf-8").strip()).resolve()
    except (OSError, ValueError):
        return None  # no worktree, but a submodule: a repository of its own
    return common.parent if back == git else None
