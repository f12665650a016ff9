"""A command that has every setting as a flag. Imports nothing that takes long: `serve` must start at once."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from mcp_graphrag.settings import SETTINGS, Setting, load_settings


def settings_command(name: str, *shown: str, about: str = "") -> Callable[[Callable[..., None]], click.Command]:
    """A command with all settings as flags, of which the help lists `db`, `project` and those in `shown`.

    The function is called with the settings, and with `as_json`. `about` is its help, else the docstring is.
    """

    def decorate(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def run(config: Path | None, as_json: bool, **given: Any) -> None:  # noqa: FBT001
            flags = {each.name: given.pop(_variable(each), None) for each in SETTINGS}
            function(load_settings(flags, os.environ, config), as_json=as_json, **given)

        made = click.command(name, help=about or function.__doc__)(run)
        made.params.append(click.Option(["--json", "as_json"], is_flag=True, help="Print JSON."))
        made.params += [_option(each, hidden=each.name not in {"db", "project", *shown}) for each in SETTINGS]
        path = click.Path(exists=True, dir_okay=False, path_type=Path)
        made.params.append(click.Option(["--config"], type=path, help="Settings file (TOML)."))
        return made

    return decorate


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
