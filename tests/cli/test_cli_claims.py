from pathlib import Path

import pytest
from cli_runs import Cli

from mcp_graphrag.extract.rule_precision import confidence_of

SURE = confidence_of("verb", 1.0)
TEXT = (
    "# Plan\n\nThe Mill Service depends on the River Database. The River Database depends on the Tide Database. "
    "The River Database is owned by the Lake Team.\n"
)


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A command line on a file with one document."""
    made = Cli(tmp_path_factory.mktemp("claims").resolve())
    assert made("ingest", "--text", TEXT, "--uri", "note:plan").code == 0
    return made


def test_check_shows_the_verdict_and_why(cli: Cli) -> None:
    shown = cli("check", "Mill Service", "depends on", "the Tide Database").out.splitlines()
    assert shown[0] == "supported: Mill Service -[depends_on]-> Tide Database"
    assert shown[1].startswith("  for, follows from 2 triples: ")
    fields = cli("check", "--subject", "Sea Team", "--predicate", "owns", "--object", "River Database", "--json")
    assert fields.fields["verdict"] == "unknown"
    assert fields.fields["notes"][0].startswith("No entity named 'Sea Team'")


def test_check_takes_the_parts_and_both_times(cli: Cli) -> None:
    words = ("--subject", "Lake Team", "--predicate", "owns", "--object", "River Database", "--json")
    assert cli("check", *words).fields["verdict"] == "supported"
    assert cli("check", *words, "--as-of", "2020-01-01").fields["verdict"] == "supported"
    assert cli("check", *words, "--known-at", "2020-01-01").fields["verdict"] == "unknown"


def test_check_without_a_claim_is_refused(cli: Cli, tmp_path: Path) -> None:
    assert cli("check").error.startswith("error: The claim is not complete.")
    assert Cli(tmp_path)("check", "It rains").code == 4


def test_query_shows_what_is_inferred_unless_told_not_to(cli: Cli) -> None:
    words = ("--predicate", "depends_on", "--object", "Tide Database")
    shown = cli("query", *words).out
    inferred = f"(inferred, confidence {SURE**2:.2g})"
    assert f"Mill Service (Service) -[depends_on]-> Tide Database (Database) {inferred}" in shown
    assert "inferred" not in cli("query", *words, "--no-infer").out
