"""Extraction anew where Claude has read the documents before, or fails now."""

from dataclasses import replace
from pathlib import Path

import pytest
from claude_server import ClaudeServer, error_response
from model_answers import Asking, note, read_sentences
from store_helpers import query

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph

EVIDENCE = "SELECT extractor, count(*) FROM evidence WHERE retired_change IS NULL GROUP BY ALL ORDER BY ALL"


@pytest.fixture
def read_by_both(asking: Asking) -> Graph:
    graph = asking()
    graph.ingest_text(TextInput(note(1), uri="memo:a"), extract=["lite", "claude"])
    return graph


def test_what_was_paid_for_is_replaced_only_where_claude_reads_again(
    read_by_both: Graph, claude_api: ClaudeServer
) -> None:
    before = query(read_by_both.store, EVIDENCE)
    assert before == [("claude", 1), ("lite", 1)]
    read_by_both.rebuild("lite")
    assert query(read_by_both.store, EVIDENCE) == before
    read_by_both.rebuild(["lite", "claude"])
    assert query(read_by_both.store, EVIDENCE) == before
    assert len(claude_api.requests) == 1


def test_a_document_that_claude_does_not_answer_for_stays_as_it_is(
    read_by_both: Graph, claude_api: ClaudeServer
) -> None:
    before = query(read_by_both.store, EVIDENCE)
    claude_api.default = error_response(401, "authentication_error")
    other = replace(read_by_both.settings, ontology=("services",), claude_workers=1)
    changed = Graph(other, embedders=read_by_both.embedders, shares=read_by_both)
    report = changed.rebuild(["lite", "claude"])

    assert "1 documents are searchable, but claude did not read them" in str(report.warnings)
    assert report.updated == 0
    assert query(read_by_both.store, EVIDENCE) == before


@pytest.mark.slow
def test_a_rebuild_goes_on_without_a_model_that_fails_for_good(
    asking: Asking, claude_api: ClaudeServer, shelf: Path
) -> None:
    with asking() as graph:
        graph.ingest_files([shelf], extract="none")
        claude_api.default = error_response(401, "authentication_error", "invalid x-api-key")
        job = graph.run_ingest(graph.rebuild_work(["lite", "claude"]))

        assert (job.state, job.done, job.report["updated"]) == ("failed", 7, 7)
        assert job.error is not None
        assert job.error.startswith("Claude rejected the key (HTTP 401).")
        assert job.error.endswith("rebuild again to have the rest read by claude.")
        assert query(graph.store, EVIDENCE) == [("lite", 7)]
        assert len(claude_api.requests) <= 5, "the model is not asked about the other batches"

        claude_api.default = read_sentences
        assert graph.run_ingest(graph.rebuild_work(["lite", "claude"])).state == "done"
        assert query(graph.store, EVIDENCE) == [("claude", 7), ("lite", 7)]
