"""The extractor claude on the command line."""

from pathlib import Path

from claude_server import ClaudeServer
from cli_runs import Cli
from model_answers import note, read_sentences


def test_on_the_command_line_naming_the_extractor_is_the_consent(tmp_path: Path, claude_api: ClaudeServer) -> None:
    claude_api.default = read_sentences
    cli = Cli(tmp_path.resolve())
    words = ("ingest", "--text", note(1), "--extract", "claude")
    planned = cli(*words, "--dry-run", variables=claude_api.environment)
    assert planned.code == 0
    assert "Dry run: nothing was stored or sent." in planned.out
    assert "1 new chunks" in planned.out
    assert claude_api.requests == []

    assert "1 triples" in cli(*words, variables=claude_api.environment).out
    assert len(claude_api.requests) == 1
