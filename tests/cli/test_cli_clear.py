import pytest
from cli_runs import Cli, ingested

TEXT = "The Mill Service depends on the River Database."


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A command line on a file with one document; the tests below clear it step by step."""
    return ingested(tmp_path_factory.mktemp("clear"), TEXT, "--uri", "note:1")


def test_clear_asks_first_and_without_somebody_to_ask_does_nothing(cli: Cli) -> None:
    ran = cli("clear")
    assert (ran.code, ran.error) == (2, "error: This removes every entity and triple for good. Repeat it with --force.")
    said = "error: This removes every document, entity and triple for good. Repeat it with --force."
    assert cli("clear", "--all", "--json").error == said
    assert cli("query", "--json").fields["triples"][0]["object"] == "River Database"


@pytest.mark.slow
def test_clear_keeps_documents_and_clear_all_removes_them_too(cli: Cli) -> None:
    ran = cli("clear", "--force")
    assert (ran.out, ran.err) == ("Removed 2 entities and 1 triple.\n", "")
    assert cli("query", "--json").fields["triples"] == []
    assert cli("search", "mill", "--json").fields["hits"][0]["text"] == TEXT
    again = cli("ingest", "--text", TEXT, "--uri", "note:1", "--json").fields
    assert (again["unchanged"], again["triples"]) == (1, 1)
    removed = cli("clear", "--all", "--force", "--json").fields
    assert removed == {"documents": 1, "entities": 2, "triples": 1}
    assert cli("search", "mill", "--json").fields["hits"] == []
