"""Pages of docs/ with commands: what a page shows is what they print."""

import os
import re
import shlex
from pathlib import Path

from cli_runs import Cli

DOCS = Path(__file__).parents[1] / "docs"
_FILE = re.compile(r"^`([^`]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_RUN = re.compile(r"^\$ mcp-graphrag ([^\n]+)\n(.*?)(?=^\$ |^```$)", re.MULTILINE | re.DOTALL)
_OPEN = "…\n"  # ends an answer of which the first lines are shown
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z")
_OTHER = ((re.compile(r"\bmcp/[0-9a-f]{8}"), "mcp/3f9a1c07"), (re.compile(r"\S*/mcp-graphrag-demo-\w+"), "file://"))
_VARIES = re.compile(r"(?:\boperation|\[community|next_cursor:) \w+=*")  # by when a server was idle


def write_files(name: str, folder: Path) -> int:
    """Write the files that a page shows into a folder; how many there are."""
    files = _FILE.findall((DOCS / name).read_text("utf-8"))
    for path, text in files:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return len(files)


def printed_and_shown(name: str, folder: Path) -> tuple[list[str], list[str]]:
    """What the commands of a page print, run in a folder one after the other, and what the page shows, with each.

    With UPDATE_DOCS=1 the page is rewritten. Moments and names of clients, which differ each time, are as on the page.
    """
    page = (DOCS / name).read_text("utf-8")
    cli = Cli(folder.resolve())
    commands = _RUN.findall(page)
    printed = [f"$ mcp-graphrag {command}\n{_printed(cli, command, shown)}" for command, shown in commands]
    assert len(commands) > 1
    if os.environ.get("UPDATE_DOCS"):
        answers = iter(printed)
        (DOCS / name).write_text(_RUN.sub(lambda _: next(answers), page), encoding="utf-8")
    shown = [f"$ mcp-graphrag {command}\n{answer}" for command, answer in commands]
    return [_VARIES.sub("", each) for each in printed], [_VARIES.sub("", each) for each in shown]


def _printed(cli: Cli, command: str, shown: str) -> str:
    """What a command prints, as far as it is shown."""
    ran = cli(*shlex.split(command))
    assert (command, ran.err) == (command, "")
    out = _MOMENT.sub("2026-11-29T09:30:00.000000Z", ran.out.replace(f"{cli.folder}/", ""))
    for each, word in _OTHER:
        out = each.sub(word, out)
    lines = out.splitlines(keepends=True)
    return "".join([*lines[: shown.count("\n") - 1], _OPEN] if shown.endswith(_OPEN) else lines)
