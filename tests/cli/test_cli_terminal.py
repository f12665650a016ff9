"""What a person sees of the command line: tables, trees, help, completion, and sentences for input that is none."""

import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
import pytest
from cli_runs import Cli, ingested, run

from mcp_graphrag.cli.commands import COMMANDS
from mcp_graphrag.cli.examples import EXAMPLES
from mcp_graphrag.cli.terminal import shown_width, table, tree

BY_NAME = {command.name: command for command in COMMANDS}
WAITS = {"serve", "watch", "demo", "hook", "install", "uninstall", "completion"}  # or has no such argument


def test_a_table_fits_the_width_in_any_script() -> None:
    lines = table(["name", "said"], [["酪農組合", "x" * 80], ["B1", "short"]], width=30)

    assert [shown_width(click.unstyle(line)) for line in lines[1:]] == [30, 30, 15]
    assert lines[2].endswith("…")


def test_a_tree_ends_where_a_thing_is_below_itself() -> None:
    below = {"": [("a", "A"), ("b", "B")], "a": [("c", "C")], "c": [("a", "A again")]}

    assert list(tree("", below)) == ["├─ A", "│  └─ C", "│     └─ A again", "└─ B"]


def test_every_example_of_the_help_is_a_command_that_can_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "triples.jsonl").touch()
    for example in EXAMPLES:
        name, *words = shlex.split(example)
        BY_NAME[name].make_context(name, words)
    assert "mcp-graphrag export --repo" in BY_NAME["export"].get_help(click.Context(BY_NAME["export"]))


@pytest.mark.slow
def test_no_text_file_or_graph_gives_a_sentence_and_no_traceback(tmp_path: Path) -> None:
    cli = ingested(tmp_path, "The Auth Service depends on the User Database.", "--title", "Auth", "--extract", "none")
    empty = Cli(tmp_path / "empty")
    empty.folder.mkdir()
    names = [str(name) for name, command in BY_NAME.items() if name not in WAITS and not command.hidden]
    cases = [
        (one, name, words) for name in names for one, words in ((cli, [""]), (cli, ["no/such.jsonl"]), (empty, []))
    ]

    def ran(case: tuple[Cli, str, list[str]]) -> tuple[str, str]:
        one, name, words = case
        found = one(name, *words)
        told = found.code == 0 or "error" in found.err.lower()
        return f"{name} {words}", "" if told and "Traceback" not in found.err else found.err

    with ThreadPoolExecutor(2) as threads:
        wrong = {case: said for case, said in threads.map(ran, cases) if said}
    assert wrong == {}


@pytest.mark.slow
def test_answers_are_drawn_and_a_file_is_not_replaced(tmp_path: Path) -> None:
    cli = ingested(tmp_path, "The Auth Service depends on the User Database.", "--title", "Auth")

    drawn = cli("impact", "User Database", "--mermaid").out.splitlines()
    assert drawn[-1] == '  n0 -->|"depends_on"| n1'
    assert cli("path", "Auth Service", "User Database", "--html", "a.html").code == 0
    page = (cli.folder / "a.html").read_text(encoding="utf-8")
    assert "The Auth Service depends on the User Database." in page
    assert cli("neighbourhood", "Auth Service", "--html", "a.html").error.startswith("error: a.html is there already.")
    assert cli("plan", "").error.startswith("error: The question is empty.")


@pytest.mark.slow
def test_shells_complete_commands(tmp_path: Path) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_MCP_GRAPHRAG_COMPLETE" in run(tmp_path, "completion", shell).out
    asked = {"_MCP_GRAPHRAG_COMPLETE": "bash_complete", "COMP_WORDS": "mcp-graphrag expo", "COMP_CWORD": "1"}
    assert "plain,export" in run(tmp_path, variables=asked).out
