"""Work in the background: embedding where another program has the file, and reading again by newer rules."""

from pathlib import Path

import duckdb
from edit_helpers import TEST
from foreign_holder import held_by_another
from search_helpers import ingest_text
from served import wait_for

from mcp_graphrag import Candidate, TextInput, TripleQuery, open_graph
from mcp_graphrag.errors import FileLocked
from mcp_graphrag.server.background import Background
from mcp_graphrag.store.rows.embedding_rows import delete_embeddings

SECONDS = 60


def test_embedding_goes_on_when_another_program_lets_the_file_go(tmp_path: Path) -> None:
    background = Background()
    with open_graph(tmp_path / "graph.duckdb", embedder="wordllama", lock_wait=0) as graph:
        ingest_text(graph, "memo:1", "The mill grinds at night.")
        with graph.store.writing(TEST) as tx:
            delete_embeddings(tx, "chunk")
        graph.store.release()
        with held_by_another(graph.store.path):
            background.embed_soon(graph)
            assert not background.has_embedded(0.5)
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
        wait_for(lambda: not (background.busy or graph.health().documents_by_older_rules))
        found = graph.query_triples(TripleQuery(subject="Mill Service", infer=False)).triples
        kept = {("depends_on", "River Database"), ("owned_by", "Quay Team")}
        assert {(one.predicate, one.object) for one in found} == kept
        background.stop()


def test_the_text_of_a_job_that_has_ended_is_let_go(tmp_path: Path) -> None:
    background = Background()
    with open_graph(tmp_path / "graph.duckdb", embedder="wordllama") as graph:
        ticket = background.submit(graph, graph.text_work(TextInput("The mill grinds.")), TEST)
        assert ticket.ended.wait(SECONDS)
        assert (ticket.work.items, ticket.total, ticket.job.state) == ((), 1, "done")
        background.stop()


def test_a_file_that_another_program_holds_is_no_failure_of_the_call_before(tmp_path: Path) -> None:
    background = Background()
    with open_graph(tmp_path / "graph.duckdb", embedder="wordllama", lock_wait=0) as graph:
        ingest_text(graph, "memo:1", "The mill grinds at night.")
        graph.store.release()
        with held_by_another(graph.store.path):
            background.read_again(graph)
            background.stop()
        assert not background.busy
