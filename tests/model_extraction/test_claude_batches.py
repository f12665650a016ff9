"""Message batches: submitted once, collected by whichever process goes on, at half the price."""

import os
import signal
import subprocess
import threading
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import pytest
from claude_server import ClaudeServer, error_response, text_response
from model_answers import Asking, ingest, ingesting, notes, spent, state_after
from store_helpers import query

from mcp_graphrag.edit.inputs import TextInput

TRIPLES = "SELECT count(DISTINCT t.id) FROM evidence e JOIN triple t ON t.id = e.triple_id WHERE e.extractor = 'claude'"


@pytest.fixture
def in_batches(asking: Asking) -> Asking:
    return partial(asking, claude_batches=True)


@pytest.mark.slow
def test_all_requests_of_an_ingest_are_one_batch_at_half_the_price(
    in_batches: Asking, claude_api: ClaudeServer
) -> None:
    with in_batches() as graph:
        report = ingest(graph, notes(range(12)))

        assert query(graph.store, TRIPLES) == [(12,)]
        assert query(graph.store, "SELECT count(*) FROM model_batch") == [(0,)]
    assert [len(batch) for batch in claude_api.batches.submitted] == [3]
    assert spent(report)["requests"] == 3
    assert spent(report)["dollars"] == pytest.approx(3 * 0.5 * (10 * 0.1 + 5 * 0.5) / 1_000_000)


def test_what_a_batch_did_not_answer_is_asked_again_in_parts(in_batches: Asking, claude_api: ClaudeServer) -> None:
    claude_api.enqueue(text_response("cut", stop="max_tokens"), text_response("This is no JSON."))
    with in_batches() as graph:
        ingest(graph, notes(range(12)))

        assert query(graph.store, TRIPLES) == [(12,)]
    assert [len(batch) for batch in claude_api.batches.submitted] == [3, 3]


def test_a_request_that_failed_leaves_its_document_for_the_next_ingest(
    in_batches: Asking, claude_api: ClaudeServer
) -> None:
    claude_api.enqueue(error_response(529, "overloaded_error"))
    with in_batches() as graph:
        assert "5 chunks were not read" in str(ingest(graph, notes(range(15))).warnings)
        ingest(graph, notes(range(15)))

        assert query(graph.store, TRIPLES) == [(15,)]
    assert [len(batch) for batch in claude_api.batches.submitted] == [3, 1]


def sending(api: ClaudeServer, folder: Path) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """A process that sends a batch of twelve chunks."""
    return ingesting(api, notes(range(12)), claude_batches=True, db=str(folder / "graph.duckdb"))


@pytest.mark.slow
def test_a_killed_process_leaves_its_batch_to_the_next(
    in_batches: Asking, claude_api: ClaudeServer, tmp_path: Path
) -> None:
    claude_api.batches.open.clear()
    with sending(claude_api, tmp_path) as process:
        assert claude_api.batches.polled.wait(60)
        process.send_signal(signal.SIGKILL)
    claude_api.batches.open.set()
    with in_batches() as graph:
        report = ingest(graph, notes(range(12)))

        assert query(graph.store, TRIPLES) == [(12,)]
        assert query(graph.store, "SELECT count(*) FROM model_batch") == [(0,)]
    assert (len(claude_api.batches.submitted), spent(report)["requests"]) == (1, 3)


def killed_while_submitting(api: ClaudeServer, folder: Path, *, is_accepted: bool) -> None:
    """A process that is killed when the API has its batch and has not answered."""
    received = threading.Event()

    def kill() -> bool:
        received.set()
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        if not is_accepted:
            api.batches.submitted.pop()
        return False

    api.batches.accepted = kill
    with sending(api, folder) as process:
        assert received.wait(60)
    api.batches.accepted = lambda: True


@pytest.mark.slow
def test_a_batch_whose_answer_never_arrived_is_not_paid_for_twice(
    in_batches: Asking, claude_api: ClaudeServer, tmp_path: Path
) -> None:
    killed_while_submitting(claude_api, tmp_path, is_accepted=True)
    others = {f"other-{number}": body for number, body in enumerate(claude_api.batches.submitted[0].values())}
    claude_api.batches.submitted.append(others)
    with in_batches() as graph:
        report = ingest(graph, notes(range(12)))

        assert query(graph.store, TRIPLES) == [(12,)]
        assert query(graph.store, "SELECT count(*) FROM model_batch") == [(0,)]
    assert (len(claude_api.batches.submitted), spent(report)["requests"]) == (2, 3)


@pytest.mark.slow
def test_a_batch_that_never_arrived_is_submitted_again(
    in_batches: Asking, claude_api: ClaudeServer, tmp_path: Path
) -> None:
    killed_while_submitting(claude_api, tmp_path, is_accepted=False)
    with in_batches() as graph:
        report = ingest(graph, notes(range(12)))

        assert query(graph.store, TRIPLES) == [(12,)]
        assert query(graph.store, "SELECT count(*) FROM model_batch") == [(0,)]
    assert (len(claude_api.batches.submitted), spent(report)["requests"]) == (1, 3)


@pytest.mark.slow
def test_a_job_that_is_stopped_before_it_knows_of_its_batch_leaves_that_to_the_next(
    in_batches: Asking, claude_api: ClaudeServer, tmp_path: Path
) -> None:
    killed_while_submitting(claude_api, tmp_path, is_accepted=True)
    claude_api.batches.open.clear()
    with in_batches() as graph:
        assert state_after(graph, notes(range(12)), claude_api.batches.polled.is_set) == "interrupted"
        claude_api.batches.open.set()
        ingest(graph, notes(range(12)))

        assert query(graph.store, TRIPLES) == [(12,)]
    assert len(claude_api.batches.submitted) == 1


def test_a_stopped_job_leaves_its_batch_to_the_next_and_another_text_does_not_take_it(
    in_batches: Asking, claude_api: ClaudeServer
) -> None:
    claude_api.batches.open.clear()
    with in_batches() as graph:
        assert state_after(graph, notes(range(6)), claude_api.batches.polled.is_set) == "interrupted"
        claude_api.batches.open.set()
        graph.ingest_text(TextInput("The Mill Service depends on the Corn Database.", uri="memo:b"), extract="claude")
        assert query(graph.store, TRIPLES) == [(1,)]
        ingest(graph, notes(range(6)))

        assert query(graph.store, TRIPLES) == [(7,)]
    assert [len(batch) for batch in claude_api.batches.submitted] == [2, 1]


def test_a_batch_whose_results_are_gone_is_asked_anew(in_batches: Asking, claude_api: ClaudeServer) -> None:
    claude_api.batches.open.clear()
    with in_batches() as graph:
        state_after(graph, notes(range(6)), claude_api.batches.polled.is_set)
        claude_api.batches.open.set()
        claude_api.batches.lost.add(0)
        ingest(graph, notes(range(6)))

        assert query(graph.store, TRIPLES) == [(6,)]
    assert [len(batch) for batch in claude_api.batches.submitted] == [2, 2]


def test_a_budget_bounds_what_is_submitted(in_batches: Asking, claude_api: ClaudeServer) -> None:
    with in_batches(claude_chunks=1, max_tokens_spent=14_000) as graph:
        job = graph.run_ingest(graph.text_work(TextInput(notes(range(30)), "Notes", uri="memo:a"), "claude"))

        assert (job.state, "max_tokens_spent" in (job.error or "")) == ("interrupted", True)
        assert query(graph.store, "SELECT count(*) FROM model_batch") == [(0,)]
    (batch,) = claude_api.batches.submitted
    assert 0 < len(batch) < 30
    assert len(claude_api.requests) == len(batch), "what is submitted is collected"
