"""The package as a user imports it, and the README's example."""

import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import mcp_graphrag
from mcp_graphrag import BadInput, Candidate, TripleQuery, When, open_graph

REPOSITORY = Path(__file__).parents[1]


def test_the_readme_example_runs_as_printed(tmp_path: Path) -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    example = re.search(r"## Use it from Python\n.*?```python\n(.*?)```", readme, re.DOTALL)
    assert example

    ran = subprocess.run(
        [sys.executable, "-c", example[1]], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False
    )

    citation, first, second, verdict = ran.stdout.splitlines()
    assert (ran.returncode, ran.stderr) == (0, "")
    assert re.fullmatch(r"text:services-\w+#chunk:0-46@\w{8} The Auth Service depends on the User Database\.", citation)
    assert (first, second, verdict) == ("1 Auth Service", "2 Billing Service", "supported")


def test_every_public_name_is_there() -> None:
    assert {name: hasattr(mcp_graphrag, name) for name in mcp_graphrag.__all__} == dict.fromkeys(
        mcp_graphrag.__all__, True
    )


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Grpah'"):
        _ = mcp_graphrag.Grpah  # pyright: ignore[reportAttributeAccessIssue]


def test_importing_the_package_loads_neither_duckdb_nor_numpy() -> None:
    code = "import sys, mcp_graphrag; print(sorted({'duckdb', 'numpy', 'mcp'} & set(sys.modules)))"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_graph_keeps_what_was_written_when_it_is_opened_again(tmp_path: Path) -> None:
    with open_graph(tmp_path / "graph.duckdb") as graph:
        graph.add_triples([Candidate("Ada", "knows", "Charles")])

    with open_graph(tmp_path / "graph.duckdb", read_only=True) as graph:
        (found,) = graph.neighbourhood("Ada").neighbours

    assert (found.triple.subject, found.triple.predicate, found.triple.object) == ("Ada", "knows", "Charles")


def test_files_and_folders_are_ingested_and_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Notes\n\nAda wrote these.\n", encoding="utf-8")
    (tmp_path / "notes" / "b.txt").write_bytes(b"\x00\x01\x02\xff")

    with open_graph(tmp_path / "graph.duckdb", embedder="wordllama") as graph:
        report = graph.ingest_files([tmp_path / "notes"])

    assert (report.added, [Path(skipped.what).name for skipped in report.skipped]) == (1, ["b.txt"])


def test_an_unknown_setting_is_named_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="No setting named 'embeder'") as caught:
        open_graph(tmp_path / "graph.duckdb", embeder="minilm")

    assert "embedder" in caught.value.hint


def test_the_environment_does_not_change_a_graph_opened_from_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MCP_GRAPHRAG_RRF_K", "7")

    assert open_graph(tmp_path / "graph.duckdb").settings.rrf_k == 60


def test_moments_with_an_offset_are_taken_as_utc(tmp_path: Path) -> None:
    east = timezone(timedelta(hours=2))
    with open_graph(tmp_path / "graph.duckdb") as graph:
        since, until = datetime(2003, 1, 1, tzinfo=east), datetime(2009, 1, 1, tzinfo=UTC)
        graph.add_triples([Candidate("Ann", "leads", "Crew", valid_from=since, valid_to=until)])
        led = [When(as_of=datetime(2002, 12, 31, hour, tzinfo=UTC)) for hour in (21, 22)]
        assert [graph.check_claim("Ann leads Crew", when).verdict for when in led] == ["unknown", "supported"]
        assert not graph.query_triples(TripleQuery(), When(as_of=datetime(2012, 1, 1, tzinfo=east))).triples
