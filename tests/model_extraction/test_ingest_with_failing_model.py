"""An ingest whose model fails for good, or takes its time: every document is stored and searchable."""

from pathlib import Path
from typing import Any

from claude_server import ClaudeServer, Connection, error_response
from model_answers import Asking, chunks_of, note, notes, read_sentences, spent
from store_helpers import query

from mcp_graphrag.edit.inputs import FileInput, TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.server.tools.ingest_tools import job_answer

READ_BY = """SELECT e.extractor, count(DISTINCT t.id) FROM evidence e JOIN triple t ON t.id = e.triple_id
WHERE e.retired_at IS NULL GROUP BY ALL ORDER BY ALL"""
AUTO_AND_CLAUDE = ["auto", "claude"]
ALL_SEARCHABLE = "All documents are searchable; ingest the same again to have the rest extracted."


def documents(graph: Graph) -> int:
    return int(query(graph.store, "SELECT count(*) FROM document WHERE retired_at IS NULL")[0][0])


def test_documents_are_stored_without_a_model_that_fails_for_good(
    asking: Asking, claude_api: ClaudeServer, shelf: Path
) -> None:
    claude_api.default = error_response(401, "authentication_error", "invalid x-api-key")
    with asking() as graph:
        job = graph.run_ingest(graph.file_work(FileInput([shelf]), AUTO_AND_CLAUDE))
        asked = len(claude_api.requests)

        assert (job.state, job.done, job.report["added"], documents(graph)) == ("failed", 7, 7, 7)
        assert job.error is not None
        assert job.error.startswith("Claude rejected the key (HTTP 401).")
        assert job.error.endswith(ALL_SEARCHABLE)
        assert query(graph.store, READ_BY) == [("lite", 7)]

        claude_api.default = read_sentences
        again = graph.run_ingest(graph.file_work(FileInput([shelf]), AUTO_AND_CLAUDE))
        assert (again.state, again.report["unchanged"], query(graph.store, READ_BY)) == (
            "done",
            7,
            [("claude", 7), ("lite", 7)],
        )
    assert asked <= 5, "the model is not asked about the other batches"


def test_documents_are_stored_when_the_budget_of_a_model_is_spent(
    asking: Asking, claude_api: ClaudeServer, shelf: Path
) -> None:
    with asking(max_tokens_spent=1) as graph:
        job = graph.run_ingest(graph.file_work(FileInput([shelf]), AUTO_AND_CLAUDE))

        assert (job.state, job.done, documents(graph)) == ("interrupted", 7, 7)
        assert (job.error or "").endswith(f"Documents that no model has read yet: 7. {ALL_SEARCHABLE}")
        assert query(graph.store, READ_BY) == [("lite", 7)]
    assert claude_api.requests == []


def test_a_new_document_is_searchable_while_a_model_reads_it(asking: Asking, claude_api: ClaudeServer) -> None:
    report, seen = IngestReport(), list[tuple[list[str], int, int]]()
    with asking() as graph:

        def look(connection: Connection, body: dict[str, Any]) -> None:
            seen.append(([hit.chunk.text for hit in graph.search("Alpha1 Service").hits], report.added, report.done))
            read_sentences(connection, body)

        claude_api.default = look
        graph.run_ingest(graph.text_work(TextInput(note(1), "Memo", uri="memo:a"), AUTO_AND_CLAUDE), report=report)

        assert seen == [([note(1)], 1, 0)]
        assert (report.added, report.updated, report.unchanged, report.done) == (1, 0, 0, 1)
        assert (report.counts.documents, report.counts.chunks) == (1, 1)
        assert query(graph.store, READ_BY) == [("claude", 1), ("lite", 1)]


def test_a_document_is_replaced_when_a_model_has_read_its_new_text(asking: Asking, claude_api: ClaudeServer) -> None:
    texts: list[str] = []
    with asking() as graph:
        graph.ingest_text(TextInput(note(1), "Memo", uri="memo:a"))

        def look(connection: Connection, body: dict[str, Any]) -> None:
            texts.extend(text for (text,) in query(graph.store, "SELECT text FROM chunk WHERE retired_at IS NULL"))
            read_sentences(connection, body)

        claude_api.default = look
        report = graph.ingest_text(TextInput(note(2), "Memo", uri="memo:a"), extract=AUTO_AND_CLAUDE)
        assert (texts, report.added, report.updated, report.unchanged) == ([note(1)], 0, 1, 0)


def test_a_job_tells_of_each_chunk_that_a_model_could_not_read(
    asking: Asking, claude_api: ClaudeServer, tmp_path: Path
) -> None:
    def respond(connection: Connection, body: dict[str, Any]) -> None:
        refused = error_response(413, "request_too_large", "too large")
        (refused if "Alpha2" in chunks_of(body)[0] else read_sentences)(connection, body)

    claude_api.default = respond
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in (1, 2, 3):
        (folder / f"{number}.txt").write_text(note(number), encoding="utf-8")
    with asking() as graph:
        job = graph.run_ingest(graph.file_work(FileInput([folder]), AUTO_AND_CLAUDE))
        failed = f"{(folder / '2.txt').as_uri()}#chunk:0-{len(note(2))}@"
        answer = job_answer(graph.job(job.id), 2000)

        assert answer.model["chunks_read"] == 2
        ((what, outcome, reason),) = query(graph.store, "SELECT what, outcome, reason FROM job_item")
        assert (what[:-8], outcome) == (failed, "failed")
        assert reason.startswith("not read by claude: Claude")
        assert [(each.what, each.reason) for each in answer.skipped] == [(what, reason)]
        assert f"Skipped 1: {reason}" in str(answer)

        claude_api.default = read_sentences
        again = job_answer(graph.run_ingest(graph.file_work(FileInput([folder]), AUTO_AND_CLAUDE)), 2000)
        assert (again.model["chunks_read"], again.known, again.skipped) == (1, 1, [])


def test_what_a_model_has_cost_is_told_while_it_reads_a_long_document(asking: Asking, claude_api: ClaudeServer) -> None:
    report, told = IngestReport(), list[int]()

    def respond(connection: Connection, body: dict[str, Any]) -> None:
        told.append(report.as_json().get("model", {}).get("requests", 0))
        read_sentences(connection, body)

    claude_api.default = respond
    with asking(claude_workers=1) as graph:
        work = graph.text_work(TextInput(notes(range(8)), "Memo", uri="memo:a"), AUTO_AND_CLAUDE)
        graph.run_ingest(work, report=report)
    assert told == [0, 1]
    assert spent(report)["requests"] == 2
