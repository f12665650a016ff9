"""The tables of tools, commands and settings in docs/, as the declarations make them."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from mcp_graphrag.cli.commands import COMMANDS
from mcp_graphrag.server.tools import TOOLS
from mcp_graphrag.settings import SETTINGS, Setting

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {"Tools": "tools.md", "Commands": "tools.md", "Settings": "settings.md"}
TABLE = r"(^## {heading}\n.*?)(^\|.*?)(?=^[^|]|\Z)"


def tables() -> dict[str, str]:
    """Each table by the heading that it stands under."""
    tools = [(f"`{tool.name}`", _first_sentence(tool.about), tool.toolset) for tool in TOOLS]
    commands = [(f"`{each.name}`", _first_sentence(each.help or "")) for each in COMMANDS]
    settings = [
        (f"`{each.name}`", f"`{each.flag}`", _default(each), each.about[:1].upper() + each.about[1:])
        for each in SETTINGS
    ]
    return {
        "Tools": _table(("Tool", "What it does", "Toolset"), tools),
        "Commands": _table(("Command", "What it does"), commands),
        "Settings": _table(("Setting", "Flag", "Default", "What it sets"), settings),
    }


def tables_of_docs() -> dict[str, str]:
    """The same tables as the pages have them."""
    found = {heading: _pattern(heading).search(_page(heading).read_text("utf-8")) for heading in tables()}
    return {heading: match[2] if match else "" for heading, match in found.items()}


def write_docs() -> None:
    """Put the tables into the pages."""
    for heading, table in tables().items():
        page = _page(heading)
        text = page.read_text(encoding="utf-8")
        text = _pattern(heading).sub(lambda found, table=table: f"{found[1]}{table}", text, count=1)
        page.write_text(text, encoding="utf-8", newline="\n")


def _page(heading: str) -> Path:
    return DOCS / PAGES[heading]


def _first_sentence(text: str) -> str:
    """The first sentence of a docstring, on one line."""
    return " ".join(text.partition("\n\n")[0].split()).partition(". ")[0].rstrip(".") + "."


def _default(setting: Setting) -> str:
    """A default as the page writes it."""
    if setting.name == "db":
        return f"`{setting.default.name}` in the user's data directory"
    if setting.default in ("", ()):
        return "none"
    if isinstance(setting.default, tuple):
        return f"`{', '.join(cast('tuple[str, ...]', setting.default))}`"
    return f"`{str(setting.default).lower() if setting.type is bool else setting.default}`"


def _pattern(heading: str) -> re.Pattern[str]:
    return re.compile(TABLE.format(heading=heading), re.DOTALL | re.MULTILINE)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" if line[0] != "---" else f"|{'---|' * len(head)}\n" for line in lines)
