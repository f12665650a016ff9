"""The command that makes a project of a folder."""

import json
import os
from pathlib import Path

import click

from mcp_graphrag.errors import BadInput
from mcp_graphrag.project import Project, find_project
from mcp_graphrag.settings import SETTINGS, SHAREABLE

IGNORED = "# The graph is this machine's own; the settings are for all.\n*\n!.gitignore\n!config.toml\n"
HEAD = "# Settings of this project for all who work on it. Flags and environment variables take precedence.\n"


@click.command("init")
@click.argument("folder", default=".", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--here", is_flag=True, help="Make one although the folder is part of another project.")
def init(folder: Path, *, here: bool) -> None:
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
    for path, text in ((project.folder / ".gitignore", IGNORED), (project.config, _config_text())):
        if not path.exists():
            path.write_text(text, encoding="utf-8", newline="\n")
    click.echo(f"The graph of {project.root.name} is {project.graph}.")
    click.echo(f"Servers and commands started in {project.root} use it; fill it: mcp-graphrag ingest {folder}")


def _config_text() -> str:
    """The settings that a project may set, each with its default, commented out."""
    lines = [
        f"# {each.name} = {json.dumps(each.default)}  # {each.about}\n" for each in SETTINGS if each.name in SHAREABLE
    ]
    return "".join([HEAD, *lines])
