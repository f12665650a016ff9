"""The page on Git shows what the commands answer."""

import re
import shlex
from pathlib import Path

import pytest
from cli_runs import Cli
from repositories import Repository

PAGE = Path(__file__).parents[2] / "docs" / "git.md"
POOL = "class Pool:\n    def take(self):\n        return {}\n\n    def put(self, one):\n        return one\n"
APP = "from shop.pool import Pool\n\n\ndef main():\n    return Pool().take() + {}\n"


@pytest.mark.slow
def test_the_examples_of_the_page_are_answered_as_it_says(tmp_path: Path) -> None:
    made = Repository(tmp_path / "repo")
    for number, author, message in (
        (1, "Ann Lee", "Add the pool"),
        (2, "Bob Stone", "Take two\n\nOne was too few, fixes #12."),
        (3, "Ann Lee", "Take three"),
    ):
        texts = {
            "pyproject.toml": "[project]\n",
            "shop/pool.py": POOL.format(number),
            "shop/app.py": APP.format(number),
        }
        made.commit(message, texts, author=author)
    cli = Cli(tmp_path.resolve())
    assert cli("ingest", "repo", "--git").code == 0
    shown = "".join(re.findall(r"^```console\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
    commands = re.findall(r"^\$ mcp-graphrag (.*)$", shown, re.MULTILINE)
    assert shown == "".join(f"$ mcp-graphrag {each}\n{cli(*shlex.split(each)).out}" for each in commands)
