"""Message batches: submitted once, collected by whichever process goes on, at half the price."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from claude_server import ClaudeServer, error_response, text_response
from model_answers import note, read_sentences
from store_helpers import query

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.jobs.job import Callbacks, run_job, start_job
from mcp_graphrag.model import Origin
from mcp_graphrag.settings import make_settings

FILLER = "It was written down by the people who keep the lights on at night and it is read by nobody else at all. " * 12
TRIPLES = "SELECT count(DISTINCT t.id) FROM evidence e JOIN triple t ON t.id = e.triple_id WHERE e.extractor = 'claude'"
INGEST = """
import json, sys
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.settings import make_settings
settings, text = json.loads(sys.stdin.read())
with Graph(make_settings(**settings)) as graph:
    graph.ingest_text(TextInput(text, "Notes", uri="memo:a"), extract="claude")
"""


def text_of(count: int) -> str:
    return "\n\n".join(f"{note(number)} {FILLER}" for number in range(count))


@pytest.fixture
def settings(tmp_path: Path, claude_api: ClaudeServer) -> dict[str, object]:
    given = {**claude_api.settings, "claude_batches": True, "db": str(tmp_path / "graph.duckdb")}
    return {**given, "embedder": "wordllama"}


def graph_for(settings: dict[str, object], embedder: Embedder, **other: object) -> Graph:
    return Graph(make_settings(**{**settings, **other}), embedders=Embedders(embedder))


def ingest(graph: Graph, count: int, uri: str = "memo:a") -> IngestReport:
    return graph.ingest_text(TextInput(text_of(count), "Notes", uri=uri), extract="claude")


def test_all_requests_of_an_ingest_are_one_batch_at_half_the_price(
    settings: dict[str, object], claude_api: ClaudeServer, wordllama: Embedder
) -> None:
    claude_api.default = read_sentences
    with graph_for(settings, wordllama) as graph:
        report = ingest(graph, 12)

        assert query(graph.store, TRIPLES) == [(12,)]
        assert query(graph.store, "SELECT count(*) FROM model_batch") == [(0,)]
    assert [len(batch) for batch in claude_api.batches.submitted] == [3]
    assert (report.requests, report.dollars) == (3, pytest.approx(3 * 0.5 * (10 * 0.1 + 5 * 0.5) / 1_000_000))


def test_what_a_batch_did_not_answer_is_asked_again_in_parts(
    settings: dict[str, object], claude_api: ClaudeServer, wordllama: Embedder
) -> None:
    claude_api.default = read_sentences
    claude_api.enqueue(text_response("cut", stop="max_tokens"), text_response("This is no JSON."))
    with graph_for(settings, wordllama) as graph:
        ingest(graph, 12)

        assert query(graph.store, TRIPLES) == [(12,)]
    assert [len(batch) for batch in claude_api.batches.submitted] == [3, 3]


def test_a_request_that_failed_leaves_its_document_for_the_next_ingest(
    settings: dict[str, object], claude_api: ClaudeServer, wordllama: Embedder
) -> None:
    claude_api.default = read_sentences
    claude_api.enqueue(error_response(529, "overloaded_error"))
    with graph_for(settings, wordllama) as graph:
        assert "5 chunks were not read" in str(ingest(graph, 15).warnings)
        ingest(graph, 15)

        assert query(graph.store, TRIPLES) == [(15,)]
    assert [len(batch) for batch in claude_api.batches.submitted] == [3, 1]


@contextmanager
def ingesting(settings: dict[str, object], count: int) -> Generator[subprocess.Popen[bytes]]:
    """A process that ingests the text."""
    with subprocess.Popen([sys.executable, "-c", INGEST], stdin=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps([settings, text_of(count)]).encode())
        process.stdin.close()
        yield process


def test_a_killed_process_leaves_its_batch_to_the_next(
    settings: dict[str, object], claude_api: ClaudeServer, wordllama: Embedder
) -> None:
    claude_api.default = read_sentences
    claude_api.batches.open.clear()
    with ingesting(settings, 12) as process:
        assert claude_api.batches.polled.wait(60)
        process.send_signal(signal.SIGKILL)
    claude_api.batches.open.set()
    with graph_for(settings, wordllama) as graph:
        report = ingest(graph, 12)

        assert query(graph.store, TRIPLES) == [(12,)]
        assert query(graph.store, "SELECT count(*) FROM model_batch") == [(0,)]
    assert (len(claude_api.batches.submitted), report.requests) == (1, 3)


def killed_while_submitting(settings: dict[str, object], api: ClaudeServer, *, is_accepted: bool) -> None:
    """A process that is killed when the API has its batch and has not answered."""
    received = threading.Event()

    def kill() -> bool:
        received.set()
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        if not is_accepted:
            api.batches.submitted.pop()
        return False

    api.default, api.batches.accepted = read_sentences, kill
    with ingesting(settings, 12) as process:
        assert received.wait(60)
    api.batches.accepted = lambda: True


@pytest.mark.slow
def test_a_batch_whose_answer_never_arrived_is_not_paid_for_twice(
    settings: dict[str, object], claude_api: ClaudeServer, wordllama: Embedder
) -> None:
    killed_while_submitting(settings, claude_api, is_accepted=True)
    others = {f"other-{number}": body for number, body in enumerate(claude_api.batches.submitted[0].values())}
    claude_api.batches.submitted.append(others)
    with graph_for(settings, wordllama) as graph:
        report = ingest(graph, 12)

        assert query(graph.store, TRIPLES) == [(12,)]
        assert query(graph.store, "SELECT count(*) FROM model_batch") == [(0,)]
    assert (len(claude_api.batches.submitted), report.requests) == (2, 3)


@pytest.mark.slow
def test_a_batch_that_never_arrived_is_submitted_again(
    settings: dict[str, object], claude_api: ClaudeServer, wordllama: Embedder
) -> None:
    killed_while_submitting(settings, claude_api, is_accepted=False)
    with graph_for(settings, wordllama) as graph:
        report = ingest(graph, 12)

        assert query(graph.store, TRIPLES) == [(12,)]
        assert query(graph.store, "SELECT count(*) FROM model_batch") == [(0,)]
    assert (len(claude_api.batches.submitted), report.requests) == (1, 3)


@pytest.mark.slow
def test_a_job_that_is_stopped_before_it_knows_of_its_batch_leaves_that_to_the_next(
    settings: dict[str, object], claude_api: ClaudeServer, wordllama: Embedder
) -> None:
    killed_while_submitting(settings, claude_api, is_accepted=True)
    claude_api.batches.open.clear()
    with graph_for(settings, wordllama) as graph:
        assert stopped(graph, claude_api, 12) == "interrupted"
        claude_api.batches.open.set()
        ingest(graph, 12)

        assert query(graph.store, TRIPLES) == [(12,)]
    assert len(claude_api.batches.submitted) == 1


def stopped(graph: Graph, api: ClaudeServer, count: int) -> str:
    """The state of a job that is stopped while its batch goes on."""
    work, origin = graph.text_work(TextInput(text_of(count), "Notes", uri="memo:a"), "claude"), Origin("test")
    calls = Callbacks(api.batches.polled.is_set)
    return run_job(graph, start_job(graph, work, origin), work, origin, report=IngestReport(), calls=calls).state


def test_a_stopped_job_leaves_its_batch_to_the_next_and_another_text_does_not_take_it(
    settings: dict[str, object], claude_api: ClaudeServer, wordllama: Embedder
) -> None:
    claude_api.default = read_sentences
    claude_api.batches.open.clear()
    with graph_for(settings, wordllama) as graph:
        assert stopped(graph, claude_api, 6) == "interrupted"
        claude_api.batches.open.set()
        graph.ingest_text(TextInput("The Mill Service depends on the Corn Database.", uri="memo:b"), extract="claude")
        assert query(graph.store, TRIPLES) == [(1,)]
        ingest(graph, 6)

        assert query(graph.store, TRIPLES) == [(7,)]
    assert [len(batch) for batch in claude_api.batches.submitted] == [2, 1]


def test_a_batch_whose_results_are_gone_is_asked_anew(
    settings: dict[str, object], claude_api: ClaudeServer, wordllama: Embedder
) -> None:
    claude_api.default = read_sentences
    claude_api.batches.open.clear()
    with graph_for(settings, wordllama) as graph:
        stopped(graph, claude_api, 6)
        claude_api.batches.open.set()
        claude_api.batches.lost.add(0)
        ingest(graph, 6)

        assert query(graph.store, TRIPLES) == [(6,)]
    assert [len(batch) for batch in claude_api.batches.submitted] == [2, 2]


def test_a_budget_bounds_what_is_submitted(
    settings: dict[str, object], claude_api: ClaudeServer, wordllama: Embedder
) -> None:
    claude_api.default = read_sentences
    with graph_for(settings, wordllama, claude_chunks=1, max_tokens_spent=14_000) as graph:
        job = graph.run_ingest(graph.text_work(TextInput(text_of(30), "Notes", uri="memo:a"), "claude"))

        assert (job.state, "max_tokens_spent" in (job.error or "")) == ("interrupted", True)
        assert query(graph.store, "SELECT count(*) FROM model_batch") == [(0,)]
    (batch,) = claude_api.batches.submitted
    assert 0 < len(batch) < 30
    assert len(claude_api.requests) == len(batch), "what is submitted is collected"
