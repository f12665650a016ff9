"""The commands that install the server into hosts and take it out again, and the one that their hooks run."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from mcp_graphrag.cli.session import show_error
from mcp_graphrag.errors import BadInput, GraphragError, as_graphrag_error
from mcp_graphrag.hosts.hook import run_hook
from mcp_graphrag.hosts.host import HOSTS, PROGRAM, Host, command_words, host_named, user_places
from mcp_graphrag.hosts.install import Change, Installer

NAMES = click.argument("hosts", nargs=-1, metavar="[HOST …]")
SHARED = click.option("--shared", is_flag=True, help="The file in this folder that a team shares, not the user's.")
DRY_RUN = click.option("--dry-run", is_flag=True, help="Print the lines that would change, and change nothing.")
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
ROOTS = click.option("--root", "roots", multiple=True, help="A folder that it may read files from.")


@click.command("install")
@NAMES
@SHARED
@ROOTS
@DRY_RUN
@AS_JSON
def install(hosts: tuple[str, ...], *, shared: bool, roots: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Install the server into hosts: one entry in the configuration file of each, nothing else is touched.

    Hosts: claude-code, claude-desktop, cursor, vscode, codex, gemini, windsurf, zed, goose, opencode. Without names the
    hosts that were found are shown, and it asks for each.
    """
    if shared and roots:
        raise BadInput("--root is a path of this machine.", "Leave it out with --shared.")
    words = [PROGRAM, "serve"] if shared else command_words()
    words += [word for root in roots for word in ("--root", str(Path(root).expanduser().absolute()))]
    installer = Installer()
    files = _named(hosts, shared=shared)
    if not hosts:
        files = _agreed("Install into", [(host, path) for host, path in files if host.is_there(user_places())])
    _run(installer, files, lambda host, path: installer.installing(host, path, words), dry_run, as_json)


@click.command("uninstall")
@NAMES
@SHARED
@DRY_RUN
@AS_JSON
def uninstall(hosts: tuple[str, ...], *, shared: bool, dry_run: bool, as_json: bool) -> None:
    """Take the server out of hosts: each file is as it was, or only without our entry where others have edited it."""
    installer = Installer()
    files = _named(hosts, shared=shared) if hosts or shared else _agreed("Take it out of", installer.files())
    _run(installer, files, installer.uninstalling, dry_run, as_json)


@click.command("hook", context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="EVENT [--host NAME]")
def hook(words: tuple[str, ...]) -> None:
    """Tell a host what its project's graph knows, or the graph which file a host has edited; reads JSON on stdin.

    EVENT is session-start or post-tool-use. Whatever is wrong, it says nothing and ends with 0.
    """
    run_hook(words)  # as `mcp_graphrag.__main__` does, sooner


def _named(hosts: Sequence[str], *, shared: bool) -> list[tuple[Host, Path]]:
    """The named hosts, or all, with the file of each. Raises UnknownName, BadInput for one without a shared file."""
    named = [host_named(name) for name in hosts] or [host for host in HOSTS if host.shared or not shared]
    for host in named:
        if shared and not host.shared:
            raise BadInput(f"{host.title} has no file for a project.", "Leave out --shared.")
    return [(host, host.path(user_places(), Path.cwd() if shared else None)) for host in named]


def _agreed(what: str, files: Sequence[tuple[Host, Path]]) -> list[tuple[Host, Path]]:
    """Those that the user agrees to. Raises BadInput where nobody can be asked."""
    if files and not sys.stdin.isatty():
        names = ", ".join(dict.fromkeys(host.name for host, _ in files))
        raise BadInput("Nobody can be asked here.", f"Name the hosts; found: {names}.")
    return [(host, path) for host, path in files if click.confirm(f"{what} {host.title} ({path})?", err=True)]


def _run(
    installer: Installer,
    files: Sequence[tuple[Host, Path]],
    change: Callable[[Host, Path], Change],
    dry_run: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Make the change of each file; the others are done though one cannot be. Exits with the code of the last error."""
    code, done = 0, list[dict[str, str]]()
    for host, path in files:
        try:
            made = change(host, path)
            if not dry_run:
                installer.apply(made)
            done.append(
                {"host": host.name, "path": str(path), "done": made.done, "diff": made.diff() if dry_run else ""}
            )
            if not as_json:
                said = f"{host.title}: {made.done}{' (dry run)' if dry_run else ''}, {path}"
                click.echo("\n".join([said, *([made.diff()] if dry_run else [])]))
        except (GraphragError, OSError) as error:
            code = show_error(as_graphrag_error(error))
    if as_json:
        click.echo(json.dumps(done, indent=2))
    elif not files:
        click.echo(f"No host to change. Hosts: {', '.join(host.name for host in HOSTS)}.")
    if code:
        raise click.exceptions.Exit(code)
