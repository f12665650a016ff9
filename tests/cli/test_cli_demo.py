import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_runs import run

STEPS = ["ingest", "brief", "search", "check_claim", "trace_impact", "find_paths", "review"]


OFFLINE = """
import socket, sys

def refuse(event, args):
    if event == "socket.getaddrinfo" or (
        event == "socket.connect" and args[0].family in (socket.AF_INET, socket.AF_INET6)
    ):
        raise RuntimeError(f"network used: {event} {args[1:]}")

sys.addaudithook(refuse)
"""


def temporary(folder: Path) -> dict[str, str]:
    """Where temporary files go, on every system."""
    return dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))


@pytest.mark.slow
def test_the_demo_shows_citations_and_the_lines_for_each_host(tmp_path: Path) -> None:
    mine = {"MCP_GRAPHRAG_READ_ONLY": "1", "MCP_GRAPHRAG_DB": str(tmp_path / "mine.duckdb")}
    ran = run(tmp_path, "demo", "--full", variables=mine | temporary(tmp_path))
    assert (ran.code, ran.err) == (0, "")
    for step in STEPS:
        assert f"\n{step} {{" in ran.out
    assert "\n  handbook-04-milk-intake.md\n    P1 depends_on B1  :41 " in ran.out
    for host in ("Claude Desktop", "Cursor (.cursor/mcp.json)", '"mcpServers"', "claude mcp add --scope user graphrag"):
        assert host in ran.out
    assert not (tmp_path / "mine.duckdb").exists()


@pytest.mark.slow
def test_the_demo_fits_one_screen_needs_no_network_and_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(OFFLINE)
    variables = {"PYTHONPATH": str(tmp_path), "PYTHONIOENCODING": "utf-8", **temporary(tmp_path)}
    connecting = "import socket; socket.create_connection(('192.0.2.1', 9))"
    refused = subprocess.run(
        [sys.executable, "-c", connecting], env={**os.environ, **variables}, capture_output=True, check=False, text=True
    )
    assert "network used" in refused.stderr  # the children of the demo get the same hook
    ran = run(tmp_path, "demo", variables=variables)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 100
    assert "Read: 9 documents" in lines[0]
    assert sum(line.startswith("?") for line in lines) == 4
    assert sum(line.startswith("=") for line in lines) == 4
    assert '"Dalehaul has collected from the upper dale since 1 September."' in ran.out
    assert "claude mcp add --scope user graphrag -- " in ran.out
    assert not list(tmp_path.glob("mcp-graphrag-demo-*"))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for a child process")
def test_an_interrupted_demo_leaves_nothing_behind(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "mcp_graphrag", "demo"]
    with subprocess.Popen(words, env={**os.environ, **temporary(tmp_path)}, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 30
        while not list(tmp_path.glob("mcp-graphrag-demo-*/corpus/*")) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert list(tmp_path.glob("mcp-graphrag-demo-*"))
        process.send_signal(signal.SIGINT)
        process.wait(30)
    assert not list(tmp_path.glob("mcp-graphrag-demo-*"))


@pytest.mark.slow
def test_the_demo_answers_in_json_on_a_file_of_ones_own(tmp_path: Path) -> None:
    db = tmp_path / "demo.duckdb"
    fields = run(tmp_path, "demo", "--json", "--db", str(db), variables=temporary(tmp_path)).fields
    assert fields["db"] == str(db)
    answers = fields["answers"]
    assert set(answers) > set(STEPS) - {"brief", "search"}
    assert answers["ingest"]["documents"] == 9
    uris = [hit["document"]["uri"] for hit in answers["search, without a model"]["hits"]]
    assert any(uri.endswith("/policy-temperature-hold-recall.html") for uri in uris)
    assert answers["check_claim, without a model"]["verdict"] == "unknown"
    assert answers["store_extraction"]["triples"] > 80
    affected = {each["entity"] for each in answers["trace_impact"]["affected"]}
    assert {"P1", "P2", "CIP station"} <= affected
    passages = [each["text"] for each in answers["check_claim"]["passages"]]
    assert "Dalehaul has collected from the upper dale since 1 September." in passages
    assert db.exists()


def test_the_examples_of_the_readme_print_what_it_shows(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    blocks = re.findall(r"```console\n(\$ .*?)```", (root / "README.md").read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 2
    for number, block in enumerate(blocks):
        db = tmp_path / f"{number}.duckdb"
        for each in block.split("$ ")[1:]:
            command, _, shown = each.partition("\n")
            words = shlex.split(command.removeprefix("mcp-graphrag ").partition(" --db")[0])
            words = [str(root / word) if word.startswith("mcp_graphrag/") else word for word in words]
            ran = run(tmp_path, *words, "--db", str(db))
            assert (ran.code, ran.err) == (0, "")
            for line in shown.splitlines():
                assert line.partition("…")[0].removesuffix("[") in ran.out
