"""The page on Git shows what the commands answer."""

from pathlib import Path

import pytest
from cli_runs import Cli
from pages import printed_and_shown
from repositories import Repository

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
    assert Cli(tmp_path.resolve())("ingest", "repo", "--git").code == 0
    printed, shown = printed_and_shown("git.md", tmp_path)
    assert printed == shown
