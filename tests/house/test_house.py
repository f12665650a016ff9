"""The rules of the house: who imports whom, what the linters say, how long a module is, what the README promises."""

import re
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from mcp_graphrag.cli import COMMANDS
from mcp_graphrag.server.tools import TOOLS
from mcp_graphrag.settings import SETTINGS, Setting

REPOSITORY = Path(__file__).parents[2]
MOST_LINES = 400
TOOL_RUNS = {
    "import-linter": "from importlinter.cli import lint_imports_command as run; run()",
    "ruff check": "-m ruff check --no-cache",
    "ruff format": "-m ruff format --check --no-cache",
    "basedpyright": f"-m basedpyright --pythonpath {sys.executable}",
}


@pytest.mark.timeout(300)  # basedpyright reads everything: a minute of a processor that others want too
@pytest.mark.parametrize("tool", TOOL_RUNS)
def test_every_tool_of_the_house_is_content(tool: str) -> None:
    words = TOOL_RUNS[tool].split(" ") if TOOL_RUNS[tool].startswith("-m ") else ["-c", TOOL_RUNS[tool], "--no-cache"]
    ran = subprocess.run([sys.executable, *words], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_no_module_is_too_long_to_read() -> None:
    lengths = {
        str(path.relative_to(REPOSITORY)): len(path.read_text(encoding="utf-8").splitlines())
        for folder in ("mcp_graphrag", "tests")
        for path in (REPOSITORY / folder).rglob("*.py")
    }
    assert lengths
    assert {path: length for path, length in lengths.items() if length > MOST_LINES} == {}


def test_no_two_test_files_have_one_name() -> None:
    names = [path.name for path in (REPOSITORY / "tests").rglob("*.py") if path.name != "conftest.py"]
    assert sorted(names) == sorted(set(names))


def table(heading: str) -> list[list[str]]:
    """The rows of the first table under a heading of the README, without its header; cells without code marks."""
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", readme, re.DOTALL | re.MULTILINE)
    assert found, f"README.md has no heading ## {heading}"
    lines = [line for line in found[1].splitlines() if line.startswith("|")]
    rows = [[cell.replace("`", "").strip() for cell in line.strip("|").split("|")] for line in lines]
    return rows[2:]


def default_of(setting: Setting) -> str:
    """A default as the README writes it."""
    if setting.name == "db":
        return f"{setting.default.name} in the user's data directory"
    if setting.default in ("", ()):
        return "none"
    if isinstance(setting.default, tuple):
        return ", ".join(cast("tuple[str, ...]", setting.default))
    return str(setting.default).lower() if setting.type is bool else str(setting.default)


def test_the_readme_lists_the_tools() -> None:
    assert [(row[0], row[2]) for row in table("Tools")] == [(tool.name, tool.toolset) for tool in TOOLS]
    assert all(len(row) == 3 and row[1] for row in table("Tools"))


def test_the_readme_lists_the_commands() -> None:
    assert [row[0].split()[0] for row in table("Commands")] == [each.name for each in COMMANDS]
    assert all(len(row) == 2 and row[1] for row in table("Commands"))


def test_the_readme_lists_the_settings() -> None:
    assert [row[:3] for row in table("Settings")] == [[each.name, each.flag, default_of(each)] for each in SETTINGS]
    assert all(len(row) == 4 and row[3] for row in table("Settings"))
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert "environment variable (`MCP_GRAPHRAG_` and the name in capitals)" in " ".join(readme.split())
    assert [each.variable for each in SETTINGS] == [f"MCP_GRAPHRAG_{each.name.upper()}" for each in SETTINGS]
