"""Extraction on the command line: chunks out, findings in, and extraction anew."""

import json
from pathlib import Path

import pytest
from cli_runs import Cli

TEXT = "The Auth Service depends on the User Database."


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    cli = Cli(tmp_path)
    assert cli("ingest", "--text", TEXT, "--extract", "none").code == 0
    return cli


def test_findings_are_given_back_in_a_file(cli: Cli) -> None:
    (chunk,) = cli("get-chunks", "--json").fields["chunks"]
    triple = {"subject": "Auth Service", "predicate": "uses", "object": "User Database", "quote": "depends on"}
    line = json.dumps({"citation": chunk["citation"], "triples": [triple]})
    assert cli("store-extraction", "-", "--json", stdin=line.encode()).fields["triples_added"] == 1


def test_rebuild_extracts_anew_and_answers_when_it_is_done(cli: Cli) -> None:
    done = cli("rebuild", "--json").fields
    assert (done["state"], done["updated"], done["triples"]) == ("done", 1, 1)
