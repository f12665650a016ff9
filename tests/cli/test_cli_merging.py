from pathlib import Path

import pytest
from cli_runs import Cli

TEXT = "The Mill Service depends on the River Database. The Mill Service depends on the Rivver Database.\n"


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A command line on a file with a misspelt name."""
    made = Cli(Path(tmp_path_factory.mktemp("merging")).resolve())
    assert made("ingest", "--text", TEXT, "--uri", "note:plan").code == 0
    return made


def test_review_merge_and_split(cli: Cli) -> None:
    shown = cli("review").out
    assert "0 open conflicts, 1 suggested merges" in shown
    assert "differ by 1 edit" in shown

    merged = cli("merge", "River Database", "Rivver Database", "--reason", "a typo").out
    assert merged.startswith("'Rivver Database' is 'River Database' from now on; 1 triples moved.")
    assert cli("review", "--json").fields["merges"] == 0
    assert cli("split", "rivver database", "--json").fields == {
        "entity": "Rivver Database",
        "kept": "River Database",
        "triples": 1,
    }
    apart = cli("merge", "River Database", "Rivver Database", "--distinct").out
    assert apart == (
        "'River Database' and 'Rivver Database' are two things: they will not be suggested for a merge again.\n"
    )


def test_what_cannot_be_merged_or_split_is_an_error(cli: Cli) -> None:
    assert cli("split", "Mill Service").code == 2
    assert cli("split", "Mill Service").error.startswith("error: 'Mill Service' was never merged into another entity.")
    assert cli("merge", "Mill Service", "Nothing of it").code == 3
