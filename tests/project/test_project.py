"""Rules of the project: who imports whom, what the linters say, how long a module is."""

import subprocess
import sys
from pathlib import Path

import pytest

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
