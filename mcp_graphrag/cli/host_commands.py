"""The commands that install the server into hosts and take it out again."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from mcp_graphrag.cli.session import show_error
from mcp_graphrag.errors import BadInput, GraphragError
from mcp_graphrag.hosts.host import HOSTS, PROGRAM, Host, command_words, host_named, user_places
from mcp_graphrag.hosts.install import Change, Installer

SHARED = click.option("--shared", is_flag=True, help="The file in this folder that a team shares, not the user's.")
DRY_RUN = click.option("--dry-run", is_flag=True, help="Print the lines that would change, and change nothing.")
ROOTS = click.option(
    "--root", "roots", multiple=True, type=click.Path(path_type=Path), help="A folder that it may read files from."
)
NAMES = click.argument("hosts", nargs=-1, metavar="[HOST …]")


@click.command("install")
@NAMES
@SHARED
@ROOTS
@DRY_RUN
def install(hosts: tuple[str, ...], *, shared: bool, roots: tuple[Path, ...], dry_run: bool) -> None:
    """Install the server into hosts: one entry in the configuration file of each, nothing else is touched.

    Hosts: claude-code, claude-desktop, cursor, vscode, codex, gemini, windsurf, zed, goose, opencode. Without names the
    hosts that were found are shown, and it asks for each.
    """
    if shared and roots:
        raise BadInput("--root is a path of this machine.", "Leave it out with --shared.")
    words = [PROGRAM, "serve"] if shared else command_words()
    words += [word for root in roots for word in ("--root", str(root.expanduser().absolute()))]
    installer = Installer()
    found = [host_named(name) for name in hosts] or _asked("Install into", _found(shared=shared))
    files = [_file(host, shared=shared) for host in found]
    _run(installer, files, lambda host, path: installer.installing(host, path, words), dry_run=dry_run)


@click.command("uninstall")
@NAMES
@SHARED
@DRY_RUN
def uninstall(hosts: tuple[str, ...], *, shared: bool, dry_run: bool) -> None:
    """Take the server out of hosts: each file is as it was, or only without our entry where others have edited it."""
    installer = Installer()
    files = installer.files()
    if hosts or shared:
        named = [host_named(name) for name in hosts] or _found(shared=shared)
        files = [_file(host, shared=shared) for host in named]
    else:
        files = [(host, path) for host, path in files if _confirmed("Take it out of", host, path)]
    _run(installer, files, installer.uninstalling, dry_run=dry_run)


def _run(
    installer: Installer, files: Sequence[tuple[Host, Path]], change: Callable[[Host, Path], Change], *, dry_run: bool
) -> None:
    """Make the change of each file; the others are done though one cannot be. Exits with the code of the last error."""
    code = 0
    for host, path in files:
        try:
            made = change(host, path)
            if dry_run:
                click.echo(f"{host.title}: {path} (dry run)\n{made.diff() or made.done}")
                continue
            installer.apply(made)
            click.echo(f"{host.title}: {made.done}, {path}")
        except GraphragError as error:
            code = show_error(error)
    if not files:
        click.echo("Nothing to do.")
    if code:
        raise click.exceptions.Exit(code)


def _found(*, shared: bool) -> list[Host]:
    places = user_places()
    return [host for host in HOSTS if host.is_there(places) and (host.shared or not shared)]


def _file(host: Host, *, shared: bool) -> tuple[Host, Path]:
    if shared and not host.shared:
        raise BadInput(f"{host.title} has no file for a project.", "Leave out --shared.")
    return host, host.path(user_places(), Path.cwd() if shared else None)


def _asked(what: str, found: Sequence[Host]) -> list[Host]:
    """Those of the hosts that the user agrees to. Raises BadInput where nobody can be asked."""
    if not found:
        raise BadInput("No host was found.", f"Name one: {', '.join(host.name for host in HOSTS)}.")
    places = user_places()
    return [host for host in found if _confirmed(what, host, host.path(places, None), found)]


def _confirmed(what: str, host: Host, path: Path, found: Sequence[Host] = ()) -> bool:
    if not sys.stdin.isatty():
        names = ", ".join(each.name for each in found) or host.name
        raise BadInput("Nobody can be asked here.", f"Name the hosts; found: {names}.")
    return click.confirm(f"{what} {host.title} ({path})?", err=True)
