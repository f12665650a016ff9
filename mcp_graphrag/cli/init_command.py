"""The command that makes a project of a folder."""

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import click

from mcp_graphrag.errors import BadInput
from mcp_graphrag.hosts.host import command_words
from mcp_graphrag.project import ARTEFACT, Project, find_project
from mcp_graphrag.settings import SETTINGS, SHAREABLE
from mcp_graphrag.transfer.repository_file import merge_files

IGNORED = "# The graph is this machine's own; the settings are for all.\n*\n!.gitignore\n!config.toml\n"
SHARED = f"!.gitattributes\n!{ARTEFACT}\n"  # what `export --repo` writes, and how git merges it
ATTRIBUTES = f"{ARTEFACT} -text -diff merge=mcp-graphrag\n"
HEAD = "# Settings of this project for all who work on it. Flags and environment variables take precedence.\n"


@click.command("init")
@click.argument("folder", default=".", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--here", is_flag=True, help="Make one although the folder is part of another project.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def init(folder: Path, *, here: bool, as_json: bool) -> None:
    """Make a project of a folder: servers and commands that start in it use a graph of its own.

    Its settings file and the ignore file beside it may be committed; the graph is not.
    """
    project = Project(folder.resolve())
    found = find_project(project.root)
    if found is not None and found.root != project.root and not here:
        raise BadInput(
            f"{project.root} is part of the project {found.root}.",
            f"Use that one, or make one for this folder alone: mcp-graphrag init --here {folder}",
        )
    if not os.path.lexists(project.folder):
        project.folder.mkdir(mode=0o700)
    if not project.is_own:
        raise BadInput(f"{project.folder} is not this user's own folder.", "Remove it, or name another folder.")
    ignore = project.folder / ".gitignore"
    for path, text in (
        (ignore, IGNORED + SHARED),
        (project.folder / ".gitattributes", ATTRIBUTES),
        (project.config, _config_text()),
    ):
        if not path.exists():
            path.write_text(text, encoding="utf-8", newline="\n")
    if ignore.read_text(encoding="utf-8") == IGNORED:  # of an earlier version
        ignore.write_text(IGNORED + SHARED, encoding="utf-8", newline="\n")
    _teach_git(project.root)
    if as_json:
        click.echo(json.dumps({"project": str(project.root), "graph": str(project.graph)}))
        return
    click.echo(f"The graph of {project.root.name} is {project.graph}.")
    click.echo(f"Servers and commands started in {project.root} use it; fill it: mcp-graphrag ingest {folder}")


@click.command("merge-files", hidden=True)
@click.argument("files", nargs=3, type=click.Path(dir_okay=False, path_type=Path), metavar="BASE OURS THEIRS")
def merge_command(files: tuple[Path, Path, Path]) -> None:
    """Merge two versions of the graph of a repository, for git: the second file gets what both have added."""
    merge_files(*files)


def _teach_git(root: Path) -> None:
    """Let the clone that a folder is in merge the graph of its repository by `merge-files`."""
    git = shutil.which("git")
    if git is None or not any((folder / ".git").exists() for folder in (root, *root.parents)):
        return
    driver = f"{shlex.join(command_words()[:-1])} merge-files %O %A %B"
    for key, value in (("name", "graph of mcp-graphrag"), ("driver", driver)):
        words = [git, "-C", str(root), "config", f"merge.mcp-graphrag.{key}", value]
        subprocess.run(words, check=False, capture_output=True)  # noqa: S603  (no shell; the words are ours)


def _config_text() -> str:
    """The settings that a project may set, each with its default, commented out."""
    lines = [
        f"# {each.name} = {json.dumps(each.default)}  # {each.about}\n" for each in SETTINGS if each.name in SHAREABLE
    ]
    return "".join([HEAD, *lines])
