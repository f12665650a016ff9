"""What a person sees of the command line: tables, trees, help, completion, and sentences for input that is none."""

import gc
import os
import shlex
import sys
from pathlib import Path

import click
import pytest
from cli_runs import ingested, run

from mcp_graphrag import Candidate, open_graph
from mcp_graphrag.cli import main
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
        with BY_NAME[name].make_context(name, words):
            pass
    assert "mcp-graphrag export --repo" in BY_NAME["export"].get_help(click.Context(BY_NAME["export"]))


@pytest.mark.slow
@pytest.mark.parametrize("where", ["filled", "empty"])
def test_no_text_file_or_graph_gives_a_sentence_and_no_traceback(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if where == "filled":
        with open_graph(tmp_path / "graph.duckdb") as graph:
            graph.add_triples([Candidate("Auth Service", "depends_on", "User Database")])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mcp_graphrag.cli._end", sys.exit)  # which may end the process at once
    wrong: dict[str, str] = {}
    for name, command in BY_NAME.items():
        if name in WAITS or command.hidden:
            continue
        for words in ([""], ["no/such.jsonl"]) if where == "filled" else ([],):
            monkeypatch.setattr("sys.argv", ["mcp-graphrag", str(name), *words, "--db", "graph.duckdb"])
            try:
                with Path(os.devnull).open(encoding="utf-8") as nothing:
                    monkeypatch.setattr("sys.stdin", nothing)
                    main()
            except SystemExit as ended:
                said = capsys.readouterr()
                if ended.code and "error" not in said.err.lower():
                    wrong[f"{name} {words}"] = said.err
            except Exception as error:  # noqa: BLE001  (a traceback is what is looked for)
                wrong[f"{name} {words}"] = repr(error)
    gc.enable()
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
