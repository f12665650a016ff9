"""Rules of the project: who imports whom, what the linters say, how long a module is, what the README promises."""

import re
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from mcp_graphrag.settings import SETTINGS, Setting

REPOSITORY = Path(__file__).parents[2]
MAX_LINES = 400
TOOL_RUNS = {
    "import-linter": "from importlinter.cli import lint_imports_command as run; run()",
    "ruff check": "-m ruff check --no-cache",
    "ruff format": "-m ruff format --check --no-cache",
    "basedpyright": f"-m basedpyright --pythonpath {sys.executable}",
}


@pytest.mark.timeout(900)  # basedpyright reads everything: a minute of an idle processor
@pytest.mark.parametrize("tool", TOOL_RUNS)
def test_every_linter_passes(tool: str) -> None:
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
    assert {path: length for path, length in lengths.items() if length > MAX_LINES} == {}


@pytest.mark.parametrize("folder", ["mcp_graphrag", "tests"])
def test_no_two_modules_have_one_name(folder: str) -> None:
    names = [path.name for path in (REPOSITORY / folder).rglob("*.py")]
    shared = {"__init__.py", "conftest.py"}
    assert sorted({name for name in names if names.count(name) > 1} - shared) == []


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


def test_the_readme_lists_the_settings() -> None:
    assert [row[:3] for row in table("Settings")] == [[each.name, each.flag, default_of(each)] for each in SETTINGS]
    assert all(len(row) == 4 and row[3] for row in table("Settings"))
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert "environment variable (`MCP_GRAPHRAG_` and the name in capitals)" in " ".join(readme.split())
    assert [each.variable for each in SETTINGS] == [f"MCP_GRAPHRAG_{each.name.upper()}" for each in SETTINGS]
