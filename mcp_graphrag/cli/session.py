"""What every command shares: the settings as flags, --json, errors on stderr with an exit code."""

import functools
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from mcp_graphrag.clean_input import local_path
from mcp_graphrag.cli.progress import Progress, progress_bars
from mcp_graphrag.cli.settings_command import settings_command
from mcp_graphrag.cli.terminal import lines_for_terminal
from mcp_graphrag.errors import BadInput, FileTrouble, GraphragError, NotAllowed, PartMissing, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.project import ARTEFACT, FOLDER
from mcp_graphrag.server.budget import wire
from mcp_graphrag.server.call_by_name import run_whole
from mcp_graphrag.server.commands.from_disk import FromDisk
from mcp_graphrag.server.context import ALL_TOKENS, Call
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.other_graphs import graph_name
from mcp_graphrag.server.owner_call import OwnerCall
from mcp_graphrag.server.records import Answer
from mcp_graphrag.server.tool_names import ToolNames
from mcp_graphrag.server.tools import TOOLS, make_app
from mcp_graphrag.server.written_forms import written_with
from mcp_graphrag.settings import Settings

EXIT_CODES: tuple[tuple[type[GraphragError], int], ...] = ((UnknownName, 3), (FileTrouble, 4), (PartMissing, 5))
BAD_INPUT = 2
NAMES = ToolNames({tool.name: tool for tool in TOOLS}, frozenset(), as_commands=True)


@dataclass(frozen=True)
class Session:
    """One run of a command: its settings, and how it shows its answer."""

    settings: Settings
    as_json: bool

    def run(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        *,
        stream: Callable[[str], None] | None = None,
        needs_file: bool = True,
    ) -> Answer:
        """The answer of a tool, which runs in the process that owns the file, or here where there is none.

        A long one starts an owner, so that others are served beside it. Raises FileTrouble where there is no file and
        the tool needs one.
        """
        settings, db = self.settings, self.settings.db.expanduser().absolute()
        if settings.read_only and not tool.reads:
            raise NotAllowed("This graph is open read-only.", "Leave out --read-only to write.")
        if needs_file and tool.needs_file and not (settings.has_graph or _comes_with_repository(db)):
            raise FileTrouble(db, f"There is no file {db}.", "Ingest something first, or name another with --db.")
        if (tool.names_graph or not tool.reads) and settings.origins.get("db") != "flag":
            click.echo(f"graph: {graph_name(settings)}", err=True)
        with progress_bars(shown=not self.as_json) as progress:
            if not settings.no_daemon:
                owner = OwnerCall(settings, progress, stream)
                connection = owner.connect(starts=tool.long)
                if connection is not None:
                    given = {name: _elsewhere(name, value) for name, value in arguments.items()}
                    return owner.run(connection, tool, given)
            return _run_here(settings, tool, arguments, progress, stream)

    def show(self, answer: Answer) -> None:
        """Print an answer as text or JSON, its hints with commands for tools."""
        answer = NAMES.answer(answer)
        if sys.stdout.isatty() and not self.as_json:
            with written_with(answer.forms):
                lines = lines_for_terminal(answer)
            if lines:
                click.echo("\n".join(lines))
                return
        self.show_fields(wire(answer), answer.written())

    def show_fields(self, fields: Any, text: str) -> None:
        """Print the fields as JSON, or the text."""
        click.echo(as_json(fields) if self.as_json else text)

    def confirm(self, what: str, *, force: bool) -> None:
        """Ask before `what` is removed for good. Raises BadInput where nobody can be asked."""
        if force:
            return
        if self.as_json or not sys.stdin.isatty():
            raise BadInput(f"This removes {what} for good.", "Repeat it with --force.")
        click.confirm(f"Remove {what} from {self.settings.db} for good?", abort=True, err=True)


def _comes_with_repository(db: Path) -> bool:
    """Whether the first opening makes the file of what a repository has."""
    return db.parent.name == FOLDER and (db.parent / ARTEFACT).is_file()


def _elsewhere(name: str, value: Any) -> Any:
    """An argument for a process with another working folder."""
    if isinstance(value, FromDisk):
        return value.elsewhere()
    # A list of paths are the patterns of a filter.
    return str(local_path(value).absolute()) if name == "path" and value and isinstance(value, str) else value


def _run_here(
    settings: Settings,
    tool: Tool,
    arguments: Mapping[str, Any],
    progress: Progress,
    stream: Callable[[str], None] | None,
) -> Answer:
    app = make_app(Graph(settings), as_commands=True)
    if not tool.long:
        app.background.stop()  # nothing goes on behind a command that ends
    try:
        call = Call(app, ALL_TOKENS, "cli", progress=progress, stream=stream)
        return run_whole(tool, call, arguments)
    finally:
        app.close()


def command(name: str, *shown: str, about: str = "") -> Callable[[Callable[..., None]], click.Command]:
    """A command with all settings as flags, of which the help lists `db` and those in `shown`.

    The function is called with a Session first. `about` is its help, else the docstring is.
    """

    def decorate(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def run(settings: Settings, *, as_json: bool, **given: Any) -> None:
            function(Session(settings, as_json), **given)

        return settings_command(name, *shown, about=NAMES.fill(about or function.__doc__ or ""))(run)

    return decorate


def as_json(fields: Any) -> str:
    """JSON for stdout; where that cannot take every character, others are escaped as JSON does it."""
    takes_all = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    return json.dumps(fields, ensure_ascii=not takes_all, indent=2, default=str)


def show_error(error: GraphragError) -> int:
    """Print an error to stderr and answer its exit code."""
    click.echo(f"error: {error.fact}", err=True)
    if error.hint:
        click.echo(f"       {NAMES.fill(error.hint)}", err=True)
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), BAD_INPUT)
