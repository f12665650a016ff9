"""Questions about source code over MCP, answered with file and line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import Asked, served

FILES = {
    "shop/api.py": '''\
from shop import retry
from shop.retry import Retry


def fetch(url):
    """Fetch with the retry logic of `run_again`."""
    return retry.run_again(url)
''',
    "shop/slow.py": '''\
from shop.retry import Retry, run_again


class SlowRetry(Retry):
    """Waits longer."""

    def wait(self):
        return run_again("slow")
''',
    "shop/retry.py": '''\
"""Requests that failed are made again: the retry logic."""


class Retry:
    """How often a request is made again."""


def run_again(url):
    return url
''',
    "shop/__init__.py": "from shop import api\n",
    "shop/tills/__init__.py": "",
    "shop/tills/till.py": "from shop.retry import Retry\n",
    "shop/open.py": "from shop.tills import till\n",
    "shop/tills/clerk.py": "from . import till\n",
}


def write_files(folder: Path) -> None:
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def places(answer: dict[str, Any]) -> set[tuple[str, int]]:
    """The files and lines of the evidence."""
    return {(each["source"].split("/")[-1].split("#")[0], each["line"]) for each in answer["evidence"]}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    folder = tmp_path_factory.mktemp("code")
    write_files(folder)
    with served(folder / "graph.duckdb", "--toolsets", "all", "--root", str(folder)) as asked:
        # The prose that names a function is stored before the function.
        asked("ingest", text="Call `run_again` where the network is bad. `Retry` says how often.", title="Notes")
        asked("ingest", paths=[str(folder / "shop")])
        yield asked


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What calls run_again?", {("api.py", 7), ("slow.py", 8)}),
        ("Which classes extend Retry?", {("slow.py", 4)}),
        ("What imports shop.retry?", {("api.py", 1), ("api.py", 2), ("slow.py", 1), ("till.py", 1)}),
        ("What imports shop.tills.till?", {("open.py", 1), ("clerk.py", 1)}),
    ],
)
def test_a_question_is_answered_with_file_and_line(ask: Asked, question: str, expected: set[tuple[str, int]]) -> None:
    assert places(ask("plan_question", question=question)) <= expected
    assert {name for name, _ in places(ask("plan_question", question=question))} == {name for name, _ in expected}


def test_what_breaks_and_where_something_is(ask: Asked) -> None:
    broken = {each["entity"] for each in ask("trace_impact", entity="run_again")["affected"]}
    assert {"shop.api.fetch", "shop.slow.SlowRetry.wait"} <= broken
    first = ask("search", query="Where is the retry logic?", limit=2)["hits"]
    assert "retry.py" in " ".join(each["citation"] for each in first)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What breaks if I change run_again?", "run_again"),
        ("what would break if we renamed the function `run_again`", "run_again"),
        ("Which tests fail when run_again() is removed?", "run_again()"),
        ("What would be affected by changing shop.retry?", "shop.retry"),
        ("What is the impact of removing Retry?", "Retry"),
        ("What depends on Retry?", "Retry"),
        ("What stops working if the Invoice Service goes down?", "Invoice Service"),
        ("What is broken when Update Service fails?", "Update Service"),
        ("What fails if move_file changes?", "move_file"),
    ],
)
def test_a_plan_names_the_call_that_tells_what_a_change_affects(ask: Asked, question: str, name: str) -> None:
    call = f"Call trace_impact with entity '{name}': what depends on it, level by level, is affected."
    assert ask("plan_question", question=question)["missing"] == [call]


@pytest.mark.parametrize("question", ["What calls run_again?", "Who changed what, if anything?", "What breaks?"])
def test_a_plan_names_no_other_tool_for_other_questions(ask: Asked, question: str) -> None:
    assert "Call trace_impact" not in str(ask("plan_question", question=question))
