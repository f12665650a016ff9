"""Faults of the model's API and of the process: every good chunk is read once, and nothing is paid for twice."""

import os
import signal
import threading
from collections import Counter
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from claude_server import ClaudeServer, Connection, no_response
from model_answers import FAULTS, Asking, FaultyModel, chunks_of, ingesting, notes, read_sentences, spent, wrong_type
from store_helpers import query

from mcp_graphrag.edit.inputs import TextInput

COUNTS = """SELECT count(DISTINCT t.id), count(*) FROM evidence e JOIN triple t ON t.id = e.triple_id
WHERE e.extractor = 'claude'"""


@pytest.mark.slow
def test_a_tenth_of_the_chunks_with_faults_costs_no_good_chunk(asking: Asking, claude_api: ClaudeServer) -> None:
    tens = range(0, 100, 10)
    faults = dict(zip((f"Alpha{number} " for number in tens), cycle(FAULTS), strict=False))
    model = FaultyModel(claude_api, faults)
    dropped: Counter[str] = Counter()
    with asking() as graph:
        for first in tens:
            given = TextInput(notes(range(first, first + 10)), "Notes", uri=f"memo:{first}")
            dropped += graph.ingest_text(given, extract="claude").dropped

        assert query(graph.store, COUNTS) == [(100, 100)]
    assert model.faults == {}, "each fault has happened"
    assert max(Counter(model.read).values()) == 1, "no chunk is read twice"
    assert dropped == {"type outside the ontology": list(faults.values()).count(wrong_type)}


@pytest.mark.slow
def test_a_job_that_was_killed_pays_no_request_twice(asking: Asking, claude_api: ClaudeServer, tmp_path: Path) -> None:
    reached = threading.Event()
    answered: list[str] = []

    def respond(connection: Connection, body: dict[str, Any]) -> None:
        if len(claude_api.requests) > 5:
            reached.set()
            no_response(5)(connection, body)
            return
        answered.extend(chunks_of(body))
        read_sentences(connection, body)

    claude_api.default = respond
    text = notes(range(40))
    with ingesting(claude_api, text, db=str(tmp_path / "graph.duckdb"), claude_workers=1) as process:
        assert reached.wait(60)
        os.kill(process.pid, signal.SIGKILL)
    paid = set(answered)
    assert len(paid) == 25

    claude_api.requests.clear()
    claude_api.default = read_sentences
    with asking() as graph:
        report = graph.ingest_text(TextInput(text, "Notes", uri="memo:a"), extract="claude")

        assert query(graph.store, COUNTS) == [(40, 40)]
    again = [chunk for body in claude_api.requests for chunk in chunks_of(body)]
    assert (len(again), paid.intersection(again)) == (15, set())
    assert spent(report)["requests"] == 3
