"""What every command shares: the settings as flags, --json, errors on stderr with an exit code."""

import functools
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from mcp_graphrag.cli.settings_command import settings_command
from mcp_graphrag.errors import BadInput, FileTrouble, GraphragError, PartMissing, UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.server.budget import wire
from mcp_graphrag.server.context import App, Call
from mcp_graphrag.server.records import Answer
from mcp_graphrag.server.tool_names import ToolNames
from mcp_graphrag.server.tools import TOOLS, make_app
from mcp_graphrag.settings import Settings

EXIT_CODES: tuple[tuple[type[GraphragError], int], ...] = ((UnknownName, 3), (FileTrouble, 4), (PartMissing, 5))
BAD_INPUT = 2
ALL_TOKENS = 10_000_000  # an answer on the command line is as long as it is
NAMES = ToolNames({tool.name: tool for tool in TOOLS}, frozenset(), as_commands=True)


@dataclass(frozen=True)
class Session:
    """One run of a command: its settings, and how it shows its answer."""

    settings: Settings
    as_json: bool

    @functools.cached_property
    def app(self) -> App:
        """The app of these settings."""
        return make_app(Graph(self.settings), as_commands=True)

    @property
    def graph(self) -> Graph:
        """The graph of these settings, in a file that may be missing."""
        return self.app.graph

    def call(self, *, creates: bool = False) -> Call:
        """A call of a tool. Raises FileTrouble where there is no file, unless the tool `creates` one."""
        path = self.graph.store.path
        if not creates and not path.exists():
            raise FileTrouble(path, f"There is no file {path}.", "Ingest something first, or name another with --db.")
        return Call(self.app, ALL_TOKENS, "cli", progress=self._progress)

    def show(self, answer: Answer) -> None:
        """Print an answer as text or JSON, its hints with commands for tools."""
        answer = NAMES.answer(answer)
        self._progress(0, None, "")
        self.show_fields(wire(answer), str(answer))

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

    @property
    def shows_progress(self) -> bool:
        """Whether somebody looks who would like to see progress."""
        return sys.stderr.isatty() and not self.as_json

    def _progress(self, _done: float, _total: float | None, message: str) -> None:
        if self.shows_progress:
            click.echo(f"\r{message:60.60}" if message else "\r", nl=False, err=True)


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
