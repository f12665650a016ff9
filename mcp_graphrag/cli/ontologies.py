"""The command that lists, shows, adds and removes ontologies."""

import sys
from pathlib import Path
from typing import get_args

import click

from mcp_graphrag.cli.command import ALL_TOKENS, Session, command
from mcp_graphrag.errors import BadInput
from mcp_graphrag.server.call import Call
from mcp_graphrag.server.tools import ontologies as tool


@command("ontology", "strict")
@click.argument("action", type=click.Choice(get_args(tool.Action)), default="list")
@click.argument("name_or_file", default="")
@click.option("--name", help="With add: the ontology's name; that of the file, if absent.")
@click.option("--extend", is_flag=True, help="With add: add to the ontology of that name.")
def ontology(session: Session, action: tool.Action, name_or_file: str, name: str | None, *, extend: bool) -> None:
    """List ontologies, show or remove one by NAME, add one from a TOML or JSON FILE (- for standard input)."""
    # An ontology may be the first thing that a file gets.
    call = Call(session.app, ALL_TOKENS, "cli") if action == "add" else session.call
    if action != "add":
        if name:
            raise BadInput("--name belongs to add.", f"Write: ontology {action} {name}")
        session.show(tool.ontology(call, action, name_or_file, extend=extend))
        return
    text = _read(name_or_file)
    named = name or tool.parse_tables(text).get("name") or Path(name_or_file).stem
    session.show(tool.ontology(call, action, str(named), text=text, extend=extend))


def _read(file: str) -> str:
    if not file:
        raise BadInput("add needs a file.", "Name a TOML or JSON file, or - for standard input.")
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}.", "Name a TOML or JSON file.") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{file} is not UTF-8 (byte {error.start}).", "Convert it first.") from error
