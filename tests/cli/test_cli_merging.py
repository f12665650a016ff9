from pathlib import Path

import pytest
from cli_runs import Cli, ingested

TEXT = "The Mill Service depends on the River Database. The Mill Service depends on the Rivver Database.\n"


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """A command line on a file with a misspelt name."""
    return ingested(tmp_path_factory.mktemp("merging"), TEXT, "--uri", "note:plan")


@pytest.mark.slow
def test_review_merge_and_split(cli: Cli) -> None:
    shown = cli("review").out
    assert "0 open conflicts, 1 merge candidate\n" in shown
    assert "differ by 1 edit" in shown
    assert (
        "to decide: mcp-graphrag merge 'River Database' 'Rivver Database'; --distinct if they are two entities" in shown
    )

    merged = cli("merge", "River Database", "Rivver Database", "--reason", "a typo").out
    assert merged.startswith("'Rivver Database' is 'River Database' from now on; 1 triple moved.")
    assert cli("review", "--json").fields["merges"] == 0
    assert cli("split", "rivver database", "--json").fields == {
        "entity": "Rivver Database",
        "kept": "River Database",
        "triples": 1,
    }
    apart = cli("merge", "River Database", "Rivver Database", "--distinct").out
    assert apart == (
        "'River Database' and 'Rivver Database' are two entities: their merge will not be suggested again.\n"
    )


@pytest.mark.slow
def test_a_conflict_is_resolved_by_its_number_and_shown_with_its_reason(tmp_path: Path) -> None:
    cli = ingested(tmp_path, "The Mill Service is owned by the Blue Team.", "--uri", "note:1")
    told = cli("ingest", "--text", "The Mill Service is owned by the Red Team.", "--uri", "note:2").out
    assert "conflicts_found: 1\n  Mill Service owned_by Blue Team contradicts Mill Service owned_by Red Team" in told
    shown = cli("review", "--kind", "conflicts").out
    assert shown.startswith("1 open conflict\n")
    assert "to decide: mcp-graphrag resolve 1 --keep first --reason … (or second, or both)" in shown
    assert cli("review", "--kind", "resolved").out == "0 resolved conflicts\nNo conflict was resolved.\n"
    without = cli("resolve", "1", "--keep", "first", "--reason", "")
    assert (without.code, without.error) == (2, "error: The reason is empty. Give a reason; it is kept in history.")
    unknown = cli("resolve", "9", "--keep", "both", "--reason", "None.")
    assert unknown.code == 3
    assert unknown.error == "error: No conflict named '9'. `mcp-graphrag review` lists the open conflicts."
    done = cli("resolve", "1", "--keep", "first", "--reason", "Blue has signed.", "--json").fields
    assert ([each["object"] for each in done["dropped"]], done["open"]) == (["Red Team"], 0)
    shown = cli("review", "--kind", "resolved").out
    assert shown.startswith("1 resolved conflict\nresolved 2: Mill Service owned_by Blue Team contradicts")
    assert "  kept: first, because: Blue has signed.\n" in shown


@pytest.mark.slow
def test_bearers_of_one_name_are_told_apart(tmp_path: Path) -> None:
    cli = Cli(tmp_path.resolve())
    for type_ in ("Report", "Project"):
        assert cli("add-entity", "Harbour Study", "--type", type_).code == 0
    done = cli("merge", "Harbour Study (Report)", "Harbour Study (Project)")
    assert done.out.startswith("'Harbour Study (Project)' is 'Harbour Study (Report)' from now on; 0 triples moved.")
    assert "Harbour Study merged into Harbour Study (merge" in cli("history", "Harbour Study").out
