"""The page on export shows what its commands print."""

import shlex
from pathlib import Path

import pytest
from cli_runs import Cli

PAGE = (Path(__file__).parents[2] / "docs" / "export.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_page_on_export_shows_what_its_commands_print(tmp_path: Path) -> None:
    cli = Cli(tmp_path.resolve())
    commands = PAGE.partition("```console\n")[2].partition("```")[0].splitlines()
    printed = PAGE.partition("```text\n")[2].partition("```")[0]

    ran = [cli(*shlex.split(each.removeprefix("$ mcp-graphrag "))) for each in commands]

    assert [one.code for one in ran] == [0] * len(commands)
    assert "".join(one.out for one in ran[1:]).replace(f"{cli.folder}/", "") == printed
