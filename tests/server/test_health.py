"""Health reports what is wrong with a file, whatever it is, and changes nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from mcp_graphrag.graph import Graph
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.server.tools.health_tools import HealthAnswer, health
from mcp_graphrag.settings import load_settings

HOLD = "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"


def checked(db: Path, **settings: str) -> HealthAnswer:
    app = make_app(Graph(load_settings({"db": str(db), "lock_wait": "0", **settings}, {})))
    try:
        return health(Call(app, 6_000))
    finally:
        app.close()


def test_a_working_graph_is_healthy(graph: Graph) -> None:
    graph.ingest_text("The Mill Service depends on the River Database.")
    found = graph.health()
    assert (found.exists, found.problems, found.chunks_awaiting_embedding) == (True, [], 0)
    assert (found.embedder, found.file_embedder) == ("wordllama/256", "wordllama/256")
    assert found.schema_version
    assert set(found.versions) == {"mcp-graphrag", "Python", "DuckDB", "vss", "MCP SDK"}


def test_a_missing_file_is_reported_and_not_made(tmp_path: Path) -> None:
    db = tmp_path / "none.duckdb"
    found = checked(db)
    assert (found.healthy, found.exists, db.exists()) == (False, False, False)
    assert found.degraded[0].startswith(f"There is no file {db}.")


def test_a_foreign_file_is_reported_and_left_alone(tmp_path: Path) -> None:
    db = tmp_path / "foreign.duckdb"
    db.write_text("nothing that DuckDB knows", encoding="utf-8")
    assert checked(db).degraded == [f"{db} is not a DuckDB file. Name another file with --db."]
    assert db.read_text(encoding="utf-8") == "nothing that DuckDB knows"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not say who holds a file")
def test_a_locked_file_is_reported_with_its_holder(graph: Graph) -> None:
    graph.ingest_text("A note.")
    db = graph.store.path
    graph.close()
    words = [sys.executable, "-c", HOLD, str(db)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        found = checked(db)
        holder.kill()
    assert found.exists
    assert found.lock_holder.startswith(f"process {holder.pid} (python")
    assert found.chunks_awaiting_embedding is None
    assert f"is open in {found.lock_holder}." in found.degraded[0]


def test_an_embedder_that_is_not_installed_is_reported(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    graph.ingest_text("A note.")
    db = graph.store.path
    graph.close()
    found = checked(db, embedder="minilm")
    assert [each.split(".")[0] for each in found.degraded] == [
        f"The embeddings in {db}".split(".", maxsplit=1)[0],
        "The embedder minilm needs onnxruntime",
    ]
