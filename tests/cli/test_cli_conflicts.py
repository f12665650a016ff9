from pathlib import Path

from cli_runs import Cli


def test_a_conflict_is_resolved_by_its_number(tmp_path: Path) -> None:
    cli = Cli(tmp_path.resolve())
    text = "The Mill Service is owned by the Blue Team. The Mill Service is owned by the Red Team."
    told = cli("ingest", "--text", text).out
    assert "conflicts_found: 1\n  Mill Service owned_by Blue Team contradicts Mill Service owned_by Red Team" in told
    without = cli("resolve", "1", "--keep", "first", "--reason", "")
    assert (without.code, without.error) == (2, "error: The reason is empty. Give a reason; it is kept in history.")
    done = cli("resolve", "1", "--keep", "first", "--reason", "Blue signed.", "--json").fields
    assert ([each["object"] for each in done["dropped"]], done["open"]) == (["Red Team"], 0)
    unknown = cli("resolve", "9", "--keep", "both", "--reason", "None.")
    assert (unknown.code, unknown.error) == (
        3,
        "error: No conflict named '9'. `mcp-graphrag review` lists the open conflicts.",
    )
