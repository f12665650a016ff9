from datetime import UTC, datetime

import pytest
from cli_runs import Cli, ingested

from mcp_graphrag.extract.rule_precision import confidence_of

SURE = confidence_of("verb", 1.0)
TEXT = "# Plan\n\nThe Mill Service depends on the River Database. The River Database is owned by the Sea Team.\n"
CHAIN = "The Mill Service depends on the River Database. The River Database depends on the Tide Database."


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A command line on a file with one document."""
    return ingested(tmp_path_factory.mktemp("reasoning"), TEXT, "--uri", "note:plan")


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A command line on a file from which something follows."""
    return ingested(tmp_path_factory.mktemp("chain"), CHAIN)


def test_path_shows_how_two_entities_are_connected(cli: Cli) -> None:
    shown = cli("path", "mill service", "Sea Team", "--k", "1").out.splitlines()
    assert shown[0] == "Mill Service to Sea Team: 1 path"
    assert shown[1] == "path 1, 2 hops:"
    assert [line.partition(" (")[0] for line in shown[2:4]] == [
        "  Mill Service depends_on River Database",
        "  River Database owned_by Sea Team",
    ]
    fields = cli("path", "Mill Service", "Sea Team", "--predicate", "owned_by", "--directed", "--json").fields
    assert fields["found"] is False
    assert fields["hint"] == "No path within 4 hops. Raise max_hops, or leave predicates out, or set directed to false."


def test_impact_shows_what_depends_on_an_entity(cli: Cli) -> None:
    shown = cli("impact", "River Database").out.splitlines()
    said = '"The Mill Service depends on the River Database."'
    assert shown[:3] == [
        "River Database: 1 affected, by depends_on",
        "level 1 (1):",
        f"Mill Service depends_on River Database (confidence {SURE})  note:plan:3 {said}",
    ]
    fields = cli("impact", "Sea Team", "--predicate", "owned_by", "--max-depth", "1", "--json").fields
    assert [(each["entity"], each["level"]) for each in fields["affected"]] == [("River Database", 1)]


def test_plan_answers_a_question(cli: Cli) -> None:
    fields = cli("plan", "who", "owns", "the", "River Database?", "--json").fields
    assert [each["entity"] for each in fields["walks"][0]["answers"]] == ["Sea Team"]
    assert fields["chunks"][0]["text"] == TEXT
    planned = cli("plan", "who owns the River Database?", "--no-execute").out
    assert "River Database (Database) -[owned_by]-> Team\n" in planned
    assert "Sea Team" not in planned
    assert "Answer: Sea Team\n" in cli("plan", "who owns the River Database?").out
    refused = cli("plan", "who approved the River Database?").out
    assert refused.startswith("No answer.\nNo stored triple says 'approved' of River Database.")


def test_the_commands_look_back(cli: Cli) -> None:
    long_ago = ("--known-at", "2020-01-01T00:00:00")
    assert cli("impact", "River Database", *long_ago).code == 3
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    assert cli("impact", "River Database", "--as-of", today, "--json").fields["total"] == 1


def test_check_shows_the_verdict_and_why(chain: Cli) -> None:
    shown = chain("check", "Mill Service", "depends on", "the Tide Database").out.splitlines()
    assert shown[0] == "supported: Mill Service -[depends_on]-> Tide Database"
    assert shown[1].startswith("  for, follows from 2 triples: ")
    fields = chain("check", "--subject", "Lake Team", "--predicate", "owns", "--object", "River Database", "--json")
    assert fields.fields["verdict"] == "unknown"
    assert fields.fields["notes"][0].startswith("No entity named 'Lake Team'")


def test_check_takes_the_parts_and_both_times(cli: Cli) -> None:
    words = ("--subject", "Sea Team", "--predicate", "owns", "--object", "River Database", "--json")
    assert cli("check", *words).fields["verdict"] == "supported"
    assert cli("check", *words, "--as-of", "2020-01-01").fields["verdict"] == "supported"
    assert cli("check", *words, "--known-at", "2020-01-01").fields["verdict"] == "unknown"


def test_query_shows_what_is_inferred_unless_told_not_to(chain: Cli) -> None:
    words = ("--predicate", "depends_on", "--object", "Tide Database")
    shown = chain("query", *words).out
    inferred = f"(confidence {SURE**2:.2g}; inferred from Mill Service -[depends_on]-> River Database; "
    assert f"Mill Service depends_on Tide Database {inferred}" in shown
    assert "inferred" not in chain("query", *words, "--no-infer").out
