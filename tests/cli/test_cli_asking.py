import os
import subprocess
import sys

import pytest
from claude_server import ClaudeServer, text_response
from cli_runs import Cli, ingested
from forked import command

TEXT = "The Mill Service is owned by the Sea Team."
QUESTION = ("who", "owns", "the", "Mill Service?")
BY_CLAUDE = (*QUESTION, "--answer", "claude")


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A command line on a file with one document."""
    return ingested(tmp_path_factory.mktemp("asking"), TEXT, "--uri", "note:mill", "--title", "Mill")


def test_brief_prints_the_answer_of_claude_with_its_sources(cli: Cli, claude_api: ClaudeServer) -> None:
    claude_api.enqueue(text_response("The Sea Team [1]."))
    shown = cli("brief", *BY_CLAUDE, variables=claude_api.environment).out.splitlines()
    assert shown[:2] == ["The Sea Team [1].", ""]
    assert shown[2] == "[1] note:mill:1"
    assert claude_api.prompts[0].endswith("<question>\nwho owns the Mill Service?\n</question>")


def test_brief_asks_nobody_unless_told(cli: Cli, claude_api: ClaudeServer) -> None:
    shown = cli("brief", *QUESTION, variables=claude_api.environment).out
    assert shown.startswith(
        f'Answer: Sea Team\nMill Service owned_by Sea Team (confidence 0.84)  note:mill:1 "{TEXT}"\n'
    )
    assert f"\nnote:mill:1  Mill\n> {TEXT}\n" in shown
    assert claude_api.requests == []


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
def test_brief_writes_to_a_terminal_as_the_answer_comes(cli: Cli, claude_api: ClaudeServer) -> None:
    import pty  # noqa: PLC0415

    claude_api.enqueue(text_response("The Sea", " Team [1] [9]."))
    ours, theirs = pty.openpty()
    words = [*command(), "brief", *BY_CLAUDE, "--db", str(cli.db)]
    words += ["--config", str(cli.folder / "no-settings.toml")]
    with subprocess.Popen(words, stdout=theirs, env={**os.environ, **claude_api.environment}):
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:  # a terminal whose other end is closed
            pass
    os.close(ours)
    lines = shown.decode().splitlines()
    assert lines[:2] == ["The Sea Team [1] [9].", ""]
    assert lines[2] == "[1] note:mill:1"
    assert lines[4].startswith("The answer cited [9], which the context does not have")
