"""Rules of the project: who imports whom, what the linters say."""

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
TOOL_RUNS = {
    "import-linter": "from importlinter.cli import lint_imports_command as run; run()",
    "ruff check": "-m ruff check --no-cache",
    "ruff format": "-m ruff format --check --no-cache",
    "basedpyright": f"-m basedpyright --pythonpath {sys.executable}",
}


@pytest.mark.timeout(900)  # basedpyright reads everything: a minute of an idle processor
@pytest.mark.parametrize(
    "tool", [pytest.param(each, marks=[pytest.mark.slow] if each == "basedpyright" else []) for each in TOOL_RUNS]
)
def test_every_linter_passes(tool: str) -> None:
    words = TOOL_RUNS[tool].split(" ") if TOOL_RUNS[tool].startswith("-m ") else ["-c", TOOL_RUNS[tool], "--no-cache"]
    ran = subprocess.run([sys.executable, *words], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("folder", ["mcp_graphrag", "tests"])
def test_no_two_modules_have_one_name(folder: str) -> None:
    names = [path.name for path in (REPOSITORY / folder).rglob("*.py")]
    shared = {"__init__.py", "conftest.py"}
    assert sorted({name for name in names if names.count(name) > 1} - shared) == []
