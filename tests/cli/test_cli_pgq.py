from pathlib import Path

import pytest
from cli_runs import check_refused, ingested


@pytest.mark.slow
def test_pgq_prints_a_script_whose_remarks_are_comments_and_says_why_it_ran_nothing(tmp_path: Path) -> None:
    cli = ingested(tmp_path, "The Auth Service depends on the User Database.")
    (tmp_path / "other.duckdb_extension").write_bytes(b"no extension")

    ran = cli("pgq", "--extension", "other.duckdb_extension")

    first, *statements = [part.strip() for part in ran.out.split(";\n") if part.strip()]
    assert ran.out.startswith("-- DuckPGQ was not loaded: ")
    assert "pagerank" in first
    assert first.endswith("\nLOAD 'other.duckdb_extension'")
    assert statements[0] == f"ATTACH '{cli.db}' AS graph_file (READ_ONLY)"
    assert [part.count("GRAPH_TABLE (knowledge") for part in statements[3:]] == [1] * 6
    assert not any(part.startswith("--") for part in statements)  # DuckPGQ takes none that does
    refused = (
        (("pgq", "--install", "--extension", "other.duckdb_extension"), b"", 2, "were given. Give one of them."),
        (("pgq", "--extension", "missing.duckdb_extension"), b"", 2, "does not exist."),
    )
    check_refused(cli, refused)
