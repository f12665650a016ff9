"""The example of docs/source-code.md: the files that it shows, and the answers about them."""

import re
import shlex
from pathlib import Path

import pytest
from cli_runs import Cli

PAGE = Path(__file__).parents[2] / "docs" / "source-code.md"
FILE = re.compile(r"^`([^`]+)`:\n\n```\w+\n(.*?)```$", re.MULTILINE | re.DOTALL)
ANSWER = re.compile(r"^\$ mcp-graphrag ([^\n]+)\n(.*?)(?=^\$|^```)", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_example_of_the_page_on_source_code_prints_what_it_shows(tmp_path: Path) -> None:
    page, cli = PAGE.read_text("utf-8"), Cli(tmp_path)
    files = FILE.findall(page)
    for name, text in files:
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert f"Documents: {len(files)} added" in cli("ingest", "project").out
    shown = ANSWER.findall(page)
    assert len(shown) > len(files)
    for command, answer in shown:
        assert (command, cli(*shlex.split(command)).out) == (command, answer)
