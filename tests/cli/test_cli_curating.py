from pathlib import Path

import pytest
from cli_runs import Cli, ingested

TEXT = "The Ferry Service is owned by the Harbour Team."


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """A command line on a file with one document."""
    return ingested(tmp_path, TEXT, "--uri", "note:ferry", "--title", "Ferry")


@pytest.mark.slow
def test_documents_are_listed_removed_and_brought_back(cli: Cli) -> None:
    assert cli("documents").out.startswith("note:ferry  Ferry: 1 chunk, ")
    assert cli("forget", "--document", "note:ferry").out.startswith("Removed out of force: 1 document, 1 chunk, ")
    assert cli("documents").out == "No document is stored.\n"
    assert "remove by cli" in cli("forget", "--undo", "1").out
    assert cli("search", "harbour", "--json").fields["hits"][0]["text"] == TEXT


@pytest.mark.slow
def test_history_and_diff_tell_what_happened(cli: Cli) -> None:
    then = cli("history", "Ferry Service", "--limit", "1", "--json").fields["events"][0]["at"]
    cli("forget", "--subject", "Ferry Service", "--predicate", "owned_by", "--object", "Harbour Team")
    assert "retired: Ferry Service owned_by Harbour Team" in cli("history", "Ferry Service").out
    assert f"From {then} to " in cli("diff", then).out
    assert "\n- Ferry Service" in cli("diff", then).out


def test_a_purge_asks_first(cli: Cli) -> None:
    refused = cli("forget", "--document", "note:ferry", "--purge")
    assert (refused.code, "--force" in refused.error) == (2, True)
    assert cli("forget", "--document", "note:ferry", "--purge", "--force").out.startswith("Removed for good: 1 docum")
    assert cli("source", "note:ferry").code == 3
