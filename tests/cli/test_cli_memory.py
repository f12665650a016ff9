import pytest
from cli_runs import Cli


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A command line on a file that has learnt one error and its fix; the first outcome makes the file."""
    made = Cli(tmp_path_factory.mktemp("memory").resolve())
    assert made("outcome", "error:timeout", "--tool", "curl", "--session", "monday").code == 0
    assert made("outcome", "error:timeout", "--fix", "Wait longer", "--session", "monday").code == 0
    return made


def test_outcome_shows_what_was_stored_and_how_the_like_was_solved(cli: Cli) -> None:
    shown = cli("outcome", "error:db_timeout", "--tool", "psql", "--session", "tuesday", "--metadata", "try=2").out
    lines = shown.splitlines()
    assert lines[0] == "failure of error:db_timeout: 3 triples added, 3 new entities."
    assert lines[1].startswith("known fix: Wait longer (confidence 0.7, for error:timeout, similarity 0.5")
    assert "error:db_timeout -[caused_by]-> psql" in shown


def test_outcome_success_takes_its_boost_from_the_settings(cli: Cli) -> None:
    words = ("--outcome", "success", "--session", "friday", "--success-boost", "0.2", "--json")
    fields = cli("outcome", "error:timeout", *words).fields
    assert [(each["before"], each["confidence"]) for each in fields["raised"]] == [(0.7, 0.9), (0.7, 0.9)]


def test_an_entity_is_added_and_updated(cli: Cli) -> None:
    words = ("--type", "Database", "--property", "port=6379", "--property", "zone=eu west", "--alias", "rc")
    fields = cli("add-entity", "Redis", *words, "--json").fields
    (entity,) = fields["entities"]
    assert (entity["state"], entity["aliases"]) == ("added", ["rc"])
    assert entity["properties"] == {"port": 6379, "zone": "eu west"}

    shown = cli("update-entity", "rc", "--rename", "Valkey", "--property", "zone=null", "--remove-alias", "rc").out
    assert shown.splitlines() == [
        "Redis: changed name, properties, aliases.",
        "updated: Valkey (Database, also Redis) [port=6379]",
    ]
    found = cli("entities", "redis").out
    assert (found.startswith("Valkey (Database, also Redis): "), "[port=6379]" in found) == (True, True)
