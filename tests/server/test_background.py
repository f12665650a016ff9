"""Work in the background: embedding where another program has the file, and reading again by newer rules."""

import subprocess
import sys
import time
from pathlib import Path

import duckdb
from edit_helpers import TEST
from search_helpers import ingest_text

from mcp_graphrag import Candidate, TripleQuery, open_graph
from mcp_graphrag.errors import FileLocked
from mcp_graphrag.server.background import Background
from mcp_graphrag.store.rows.embedding_rows import delete_embeddings

HOLD = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
SECONDS = 60


def test_embedding_goes_on_when_another_program_lets_the_file_go(tmp_path: Path) -> None:
    background = Background()
    with open_graph(tmp_path / "graph.duckdb", embedder="wordllama", lock_wait=0) as graph:
        ingest_text(graph, "memo:1", "The mill grinds at night.")
        with graph.store.writing(TEST) as tx:
            delete_embeddings(tx, "chunk")
        graph.store.release()
        command = [sys.executable, "-c", HOLD, str(graph.store.path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdout
            assert holder.stdout.readline() == "open\n"
            background.embed_soon(graph)
            assert not background.has_embedded(0.5)
            holder.communicate("")
        while not background.has_embedded(SECONDS) or isinstance(background.failed, FileLocked):
            pass

        assert graph.waiting_for_embedding() == 0
        assert background.failed is None
        background.stop()


def test_documents_read_by_older_rules_are_read_again_and_what_callers_stored_stays(tmp_path: Path) -> None:
    db, background = tmp_path / "graph.duckdb", Background()
    with open_graph(db, embedder="wordllama") as graph:
        graph.ingest_text("The Mill Service depends on the River Database.")
        graph.add_triples([Candidate("Mill Service", "owned_by", "Quay Team")])
        assert graph.health().documents_by_older_rules == 0
    with duckdb.connect(str(db)) as older:  # its rule had read something else
        older.execute("UPDATE extraction SET version = '6+older' WHERE extractor = 'lite'")
        older.execute("UPDATE predicate SET name = 'washes' WHERE name = 'depends_on'")

    with open_graph(db, embedder="wordllama") as graph:
        assert graph.health().documents_by_older_rules == 1
        background.read_again(graph)
        deadline = time.monotonic() + SECONDS
        while (background.busy or graph.health().documents_by_older_rules) and time.monotonic() < deadline:
            time.sleep(0.01)

        assert graph.health().documents_by_older_rules == 0
        found = graph.query_triples(TripleQuery(subject="Mill Service", infer=False)).triples
        assert {(one.predicate, one.object) for one in found} == {
            ("depends_on", "River Database"),
            ("owned_by", "Quay Team"),
        }
        background.stop()


def test_a_file_that_another_program_holds_is_no_failure_of_the_call_before(tmp_path: Path) -> None:
    background = Background()
    with open_graph(tmp_path / "graph.duckdb", embedder="wordllama", lock_wait=0) as graph:
        ingest_text(graph, "memo:1", "The mill grinds at night.")
        graph.store.release()
        command = [sys.executable, "-c", HOLD, str(graph.store.path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
            assert holder.stdout
            assert holder.stdout.readline() == "open\n"
            background.read_again(graph)
            background.stop()
            holder.communicate("")
        assert not background.busy
