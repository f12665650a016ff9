from pathlib import Path

from cli_runs import run

STEPS = ["ingest", "describe_graph", "search", "trace_impact", "plan_question", "check_claim", "review"]


def temporary(folder: Path) -> dict[str, str]:
    """Where temporary files go, on every system."""
    return dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))


def test_the_demo_shows_citations_and_the_lines_for_each_host(tmp_path: Path) -> None:
    mine = {"MCP_GRAPHRAG_READ_ONLY": "1", "MCP_GRAPHRAG_DB": str(tmp_path / "mine.duckdb")}
    ran = run(tmp_path, "demo", variables=mine | temporary(tmp_path))
    assert (ran.code, ran.err) == (0, "")
    for step in STEPS:
        assert f"\n{step} {{" in ran.out
    assert "incident-inc-2041.md#chunk:" in ran.out
    for host in ("Claude Desktop", "Cursor (.cursor/mcp.json)", '"mcpServers"', "claude mcp add --scope user graphrag"):
        assert host in ran.out
    assert not (tmp_path / "mine.duckdb").exists()


def test_the_demo_answers_in_json_on_a_file_of_ones_own(tmp_path: Path) -> None:
    db = tmp_path / "demo.duckdb"
    fields = run(tmp_path, "demo", "--json", "--db", str(db), variables=temporary(tmp_path)).fields
    assert fields["db"] == str(db)
    assert list(fields["answers"]) == STEPS
    assert fields["answers"]["ingest"]["documents"] == 8
    assert fields["answers"]["search"]["hits"][0]["document"]["uri"].endswith("/incident-inc-2041.md")
    affected = [(each["level"], each["entity"]) for each in fields["answers"]["trace_impact"]["affected"]]
    assert affected[:2] == [(1, "Auth Service"), (1, "Profile Service")]
    assert affected[-1] == (4, "Boarding Service")
    walk = fields["answers"]["plan_question"]["walks"][0]
    assert [each["entity"] for each in walk["answers"]] == ["Leandro Vasseur"]
    assert fields["answers"]["check_claim"]["verdict"] == "supported"
    assert "Messaging Team contradicts" in str(fields["answers"]["review"])
    assert db.exists()
