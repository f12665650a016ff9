"""Rules of the project: who imports whom, what the linters say."""

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
QUICK = (
    ["-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"],
    ["-m", "ruff", "check", "--no-cache"],
    ["-m", "ruff", "format", "--check", "--no-cache"],
)


def complaints(words: list[str]) -> str:
    """What a linter prints where something is wrong."""
    ran = subprocess.run([sys.executable, *words], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return ran.stdout + ran.stderr if ran.returncode else ""


def test_ruff_and_the_import_contracts_are_kept() -> None:
    assert [said for words in QUICK if (said := complaints(words))] == []


@pytest.mark.slow
def test_basedpyright_finds_nothing() -> None:
    assert complaints(["-m", "basedpyright", "--pythonpath", sys.executable]) == ""


@pytest.mark.parametrize("folder", ["mcp_graphrag", "tests"])
def test_no_two_modules_have_one_name(folder: str) -> None:
    names = [path.name for path in (REPOSITORY / folder).rglob("*.py")]
    shared = {"__init__.py", "conftest.py"}
    assert sorted({name for name in names if names.count(name) > 1} - shared) == []
