"""The commands `install`, `uninstall` and `doctor` in a process of their own, with a home of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_runs import Ran, run

from mcp_graphrag.hosts.host import HOSTS, host_named, user_places, words_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the home of Windows is told by more than a variable")


class Home:
    """A user's home, and commands in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        names = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME")
        self.variables = {**dict.fromkeys(names, ""), "HOME": str(self.folder), "PATH": "/nowhere"}
        self.claude = self.folder / ".claude.json"

    def __call__(self, *words: str) -> Ran:
        return run(self.folder, *words, variables=self.variables)

    def files(self) -> list[str]:
        return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file())


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "home").mkdir()
    return Home(tmp_path / "home")


def test_hosts_that_are_named_are_installed_into_and_left_as_they_were(home: Home) -> None:
    home.claude.write_text('{"numStartups": 3}')
    ran = home("install", "claude-code", "codex", "--root", "docs")
    assert (ran.code, ran.err) == (0, "")
    assert home("install", "claude-code").out.startswith("Claude Code: ")
    words = words_of(json.loads(home.claude.read_text())["mcpServers"]["graphrag"])
    assert Path(words[0]).is_absolute()
    assert words_of({"command": words[0]}) == words[:1]
    assert home("uninstall", "claude-code", "codex").code == 0
    assert home.claude.read_text() == '{"numStartups": 3}'
    assert not (home.folder / ".codex" / "config.toml").exists()


def test_a_dry_run_prints_what_would_change_and_no_other_line(home: Home) -> None:
    home.claude.write_text('{\n  "secret": "s",\n  "mcpServers": {\n    "other": {}\n  }\n}\n')
    before = home.files()
    said = home("install", "claude-code", "--dry-run").out
    assert '+    "graphrag": {' in said
    assert "secret" not in said
    assert home.files() == before


def test_without_names_and_without_a_terminal_it_says_what_was_found(home: Home) -> None:
    (home.folder / ".cursor").mkdir()
    (home.folder / ".codex").mkdir()
    ran = home("install")
    assert (ran.code, ran.error) == (2, "error: Nobody can be asked here. Name the hosts; found: cursor, codex.")
    assert home("install", "emacs").code == 3


def test_one_file_that_is_broken_keeps_no_other_from_being_done(home: Home) -> None:
    home.claude.write_text("{")
    ran = home("install", "claude-code", "gemini")
    assert (ran.code, home.claude.read_text()) == (2, "{")
    assert "graphrag" in (home.folder / ".gemini" / "settings.json").read_text()


def test_files_that_a_team_shares_hold_no_path_of_a_machine(home: Home) -> None:
    names = [host.name for host in HOSTS if host.shared]
    assert home("install", "--shared", *names).code == 0
    for host in HOSTS:
        if host.shared:
            text = (home.folder / host.shared).read_text()
            words = words_of(host.format.get(text, [*host.keys, "graphrag"]))
            assert (host.name, words) == (host.name, ["mcp-graphrag", "serve"])
    assert home("install", "--shared", "cursor", "--root", "docs").code == 2
    assert home("uninstall", "--shared", *names).code == 0
    assert [name for name in home.files() if not name.startswith(".local/")] == []


def asked(words: list[str], folder: Path, variables: dict[str, str], tool: str) -> dict[str, Any]:
    """What a tool answers to a host that starts the command in a folder, shakes hands and calls it."""
    opening = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": opening},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": {}}},
    ]
    given = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in messages)
    environment = {**os.environ, **variables}
    ran = subprocess.run(words, input=given.encode(), cwd=folder, env=environment, capture_output=True, check=True)
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    return next(each["result"] for each in answers if each.get("id") == 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["claude-code", "codex", "vscode"])
def test_what_a_host_starts_after_install_shows_the_project_at_the_first_brief(
    home: Home, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {"MCP_GRAPHRAG_PROJECT": "", "MCP_GRAPHRAG_NO_DAEMON": "", "MCP_GRAPHRAG_LINGER": "0.2"}
    project, host, variables = home.folder / "code", host_named(name), {**home.variables, **own}
    project.mkdir()
    for command in (["init"], ["ingest", "--text", "Billing depends on Auth.", "--title", "T"]):
        assert run(project, *command, variables=variables).code == 0
    assert home("install", name).code == 0
    monkeypatch.setenv("HOME", str(home.folder))
    text = host.path(user_places(home.variables), None).read_text()
    words = words_of(host.format.get(text, [*host.keys, "graphrag"]))
    answer = asked(words, project, variables, "brief")
    assert not answer.get("isError")
    said = answer["content"][0]["text"]
    assert "1 document" in said
    assert str(project) in said


@pytest.mark.slow
def test_doctor_starts_what_a_host_has_and_says_whether_it_answers(home: Home) -> None:
    (home.folder / ".codex").mkdir()
    assert home("install", "claude-code").code == 0
    (home.folder / ".cursor").mkdir()
    broken = {"mcpServers": {"graphrag": {"command": "/nowhere/mcp-graphrag"}}}
    (home.folder / ".cursor" / "mcp.json").write_text(json.dumps(broken))
    (home.folder / ".claude").mkdir()
    rows = {row["name"]: row for row in home("doctor", "--db", "graph.duckdb", "--json").fields["hosts"]}
    assert list(rows) == ["claude-code", "cursor", "codex"]
    assert rows["claude-code"]["installed"]
    assert rows["claude-code"]["answers"].startswith("mcp-graphrag ")
    assert "does not answer" in rows["cursor"]["problem"]
    assert not rows["codex"]["installed"]
