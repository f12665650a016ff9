"""Extraction on the command line: chunks out, findings in, extraction anew, and by Claude."""

import json
from pathlib import Path

import pytest
from claude_server import ClaudeServer
from cli_runs import Cli, ingested
from model_answers import note, read_sentences

TEXT = "The Auth Service depends on the User Database."


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return ingested(tmp_path, TEXT, "--extract", "none")


def test_findings_are_given_back_in_a_file(cli: Cli) -> None:
    (document,) = cli("get-chunks", "--json").fields["documents"]
    triple = {"subject": "Auth Service", "predicate": "uses", "object": "User Database", "quote": "depends on"}
    line = json.dumps({"citation": document["chunks"][0]["chunk"], "triples": [triple]})
    assert cli("store-extraction", "-", "--json", stdin=line.encode()).fields["triples_added"] == 1


def test_rebuild_extracts_anew_and_answers_when_it_is_done(cli: Cli) -> None:
    done = cli("rebuild", "--json").fields
    assert (done["state"], done["updated"], done["triples"]) == ("done", 1, 1)


def test_on_the_command_line_naming_the_extractor_is_the_consent(cli: Cli, claude_api: ClaudeServer) -> None:
    claude_api.default = read_sentences
    words = ("ingest", "--text", note(1), "--extract", "claude")
    planned = cli(*words, "--dry-run", variables=claude_api.environment)
    assert (planned.code, claude_api.requests) == (0, [])
    assert "Dry run: nothing was stored or sent." in planned.out
    assert "1 new chunks" in planned.out
    assert "1 triple" in cli(*words, variables=claude_api.environment).out
    assert len(claude_api.requests) == 1


def test_a_dry_run_needs_no_key_and_what_is_asked_does(tmp_path: Path) -> None:
    cli = Cli(tmp_path)
    (tmp_path / "note.md").write_text("# Note\n\nThe Mill Service depends on the River Database.\n", encoding="utf-8")
    assert cli("ingest", "note.md", "--extract", "claude", "--dry-run", "--json").fields["model"]["requests"] == 1
    refused = cli("ingest", "note.md", "--extract", "claude")
    assert (refused.code, refused.error.startswith("error: Claude needs a key.")) == (5, True)


def test_a_root_that_is_not_there_is_said_at_start(tmp_path: Path) -> None:
    for flags in ((), ("--no-daemon",)):
        said = Cli(tmp_path)("serve", "--root", "nowhere", *flags).err
        assert "There is no folder nowhere: give --root one that is there, or no file below it is read." in said
