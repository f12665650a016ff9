"""Embedding in the background, where another program has the file."""

import subprocess
import sys
from pathlib import Path

from edit_helpers import TEST
from search_helpers import ingest_text

from mcp_graphrag import open_graph
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
