"""What every command shares: the settings as flags, --json, errors on stderr with an exit code."""

import functools
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from mcp_graphrag.errors import FileTrouble, GraphragError, PartMissing, UnknownName
from mcp_graphrag.pipeline import Pipeline, make_pipeline
from mcp_graphrag.server.answers import Answer, wire
from mcp_graphrag.server.call import App, Call
from mcp_graphrag.server.offered import answer_naming, offered_only
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.settings import SETTINGS, Setting, Settings, load_settings

EXIT_CODES: tuple[tuple[type[GraphragError], int], ...] = ((UnknownName, 3), (FileTrouble, 4), (PartMissing, 5))
BAD_INPUT = 2
ALL_TOKENS = 10_000_000  # an answer on the command line is as long as it is


@dataclass(frozen=True)
class Session:
    """One run of a command: its settings, and how it shows its answer."""

    settings: Settings
    as_json: bool

    @functools.cached_property
    def app(self) -> App:
        """The app of these settings."""
        return make_app(make_pipeline(self.settings))

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline of these settings."""
        return self.app.pipeline

    @property
    def existing(self) -> App:
        """The app of a file that is there. Raises FileTrouble where none is: only ingest makes one."""
        path = self.pipeline.store.path
        if not path.exists():
            raise FileTrouble(path, f"There is no file {path}.", "Ingest something first, or name another with --db.")
        return self.app

    @property
    def call(self) -> Call:
        """A call as a tool that reads takes it."""
        return Call(self.existing, ALL_TOKENS, "cli")

    def show(self, answer: Answer) -> None:
        """Print an answer as words or JSON, its hints with commands for tools."""
        answer = answer_naming(answer, ())
        self.show_fields(wire(answer), answer.in_words())

    def show_fields(self, fields: Any, words: str) -> None:
        """Print the fields as JSON, or the words."""
        click.echo(as_json(fields) if self.as_json else words)

    @property
    def shows_progress(self) -> bool:
        """Whether somebody looks who would like to see a progress bar."""
        return sys.stderr.isatty() and not self.as_json


def command(*shown: str, name: str | None = None) -> Callable[[Callable[..., None]], click.Command]:
    """A command with all settings as flags, of which the help lists `db` and those in `shown`.

    The function is called with a Session first.
    """

    def decorate(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def run(config: Path | None, as_json: bool, **given: Any) -> None:  # noqa: FBT001
            flags = {each.name: given.pop(_variable(each)) for each in SETTINGS}
            function(Session(load_settings(flags, os.environ, config), as_json), **given)

        made = click.command(name or function.__name__)(run)
        made.params.append(click.Option(["--json", "as_json"], is_flag=True, help="Print JSON."))
        made.params += [_option(each, hidden=each.name not in {"db", *shown}) for each in SETTINGS]
        path = click.Path(exists=True, dir_okay=False, path_type=Path)
        made.params.append(click.Option(["--config"], type=path, help="Settings file (TOML)."))
        return made

    return decorate


AS_OF = click.option("--as-of", help="ISO date: only what held in the world then.")
KNOWN_AT = click.option("--known-at", help="ISO time in the past: as the graph was known then.")


def as_json(fields: Any) -> str:
    """JSON for stdout; where that cannot take every character, others are escaped as JSON does it."""
    takes_all = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    return json.dumps(fields, ensure_ascii=not takes_all, indent=2, default=str)


def _variable(setting: Setting) -> str:
    return f"setting_{setting.name}"


def _option(setting: Setting, *, hidden: bool) -> click.Option:
    declared = [setting.flag, _variable(setting)]
    words = f"{setting.about[0].upper()}{setting.about[1:]}."
    if setting.type is bool:
        return click.Option(declared, is_flag=True, default=None, help=words, hidden=hidden)
    if setting.choices:
        return click.Option(declared, type=click.Choice(setting.choices), help=words, hidden=hidden)
    return click.Option(declared, type=str, multiple=setting.is_list, help=words, hidden=hidden)


def shown_error(error: GraphragError) -> int:
    """Print an error to stderr and answer its exit code."""
    click.echo(f"error: {error.fact}", err=True)
    if error.hint:
        click.echo(f"       {offered_only(error.hint, ())}", err=True)
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), BAD_INPUT)
