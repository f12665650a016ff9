from pathlib import Path

import pytest
from cli_runs import check_refused, ingested


@pytest.mark.slow
def test_pgq_prints_a_script_whose_remarks_are_comments_and_says_why_it_ran_nothing(tmp_path: Path) -> None:
    cli = ingested(tmp_path, "The Auth Service depends on the User Database.")
    (tmp_path / "other.duckdb_extension").write_bytes(b"no extension")

    ran = cli("pgq", "--extension", "other.duckdb_extension")

    statements = [part.strip() for part in ran.out.split(";\n")]
    assert ran.out.startswith("-- DuckPGQ was not loaded: ")
    assert statements[0].endswith("LOAD 'other.duckdb_extension'")
    assert statements[1] == f"ATTACH '{cli.db.as_posix()}' AS graph_file (READ_ONLY)"
    assert [part.count("GRAPH_TABLE (knowledge") for part in statements[4:-1]] == [1] * 6
    assert "pagerank" in ran.out
    refused = (
        (("pgq", "--install", "--extension", "other.duckdb_extension"), b"", 2, "were given. Give one of them."),
        (("pgq", "--extension", "missing.duckdb_extension"), b"", 2, "does not exist."),
    )
    check_refused(cli, refused)
