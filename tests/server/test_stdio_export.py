from pathlib import Path

import pytest
from served import served


@pytest.mark.slow
def test_an_export_is_written_below_a_root_and_nowhere_else(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with served(tmp_path / "graph.duckdb", "--toolsets", "all", "--root", str(root)) as ask:
        ask("add_triples", triples=[{"subject": "Ann", "predicate": "knows", "object": "Bob"}])

        done = ask("export", path="graph.ttl")
        assert (done["form"], done["triples"], Path(done["path"])) == ("turtle", 1, root / "graph.ttl")
        assert (root / "graph.ttl").is_file()
        assert "is outside the server's roots" in ask.refused("export", path=str(tmp_path / "graph.ttl"))
        assert "is there already" in ask.refused("export", path="graph.ttl")
        ask.refused("export", path="")
    with served(tmp_path / "graph.duckdb", "--toolsets", "all") as ask:
        assert "This server writes no files" in ask.refused("export", path="graph.ttl")
