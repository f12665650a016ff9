"""Faults of the model's API and of the process: every good chunk is read once, and nothing is paid for twice."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from claude_server import ClaudeServer, Connection, no_response
from model_answers import FAULTS, FaultyModel, chunks_of, note, read_sentences, wrong_type
from store_helpers import query

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.graph import Graph
from mcp_graphrag.settings import make_settings

FILLER = "It was written down by the people who keep the lights on at night and it is read by nobody else at all. " * 12
COUNTS = """SELECT count(DISTINCT t.id), count(*) FROM evidence e JOIN triple t ON t.id = e.triple_id
WHERE e.extractor = 'claude'"""


def text_of(numbers: range) -> str:
    return "\n\n".join(f"{note(number)} {FILLER}" for number in numbers)


def documents(count: int) -> list[TextInput]:
    """Documents of ten chunks each."""
    return [TextInput(text_of(range(start, start + 10)), "Notes", uri=f"memo:{start}") for start in range(0, count, 10)]


def graph_for(path: Path, api: ClaudeServer, embedder: Embedder) -> Graph:
    return Graph(make_settings(**api.settings, db=str(path)), embedders=Embedders(embedder))


@pytest.mark.slow
@pytest.mark.parametrize("count", [100])
def test_a_tenth_of_the_chunks_with_faults_costs_no_good_chunk(
    tmp_path: Path, claude_api: ClaudeServer, wordllama: Embedder, count: int
) -> None:
    kinds = cycle(FAULTS)
    faults = {f"Alpha{number} ": next(kinds) for number in range(0, count, 10)}
    model = FaultyModel(claude_api, faults)
    dropped: Counter[str] = Counter()
    with graph_for(tmp_path / "graph.duckdb", claude_api, wordllama) as graph:
        for given in documents(count):
            dropped += graph.ingest_text(given, extract="claude").dropped

        assert query(graph.store, COUNTS) == [(count, count)]
    assert model.faults == {}, "each fault has happened"
    assert max(Counter(model.read).values()) == 1, "no chunk is read twice"
    assert dropped == {"type outside the ontology": list(faults.values()).count(wrong_type)}


INGEST = """
import json, sys
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.settings import make_settings
settings, text = json.loads(sys.stdin.read())
with Graph(make_settings(**settings)) as graph:
    graph.ingest_text(TextInput(text, "Notes", uri="memo:a"), extract="claude")
"""


@pytest.mark.slow
def test_a_job_that_was_killed_pays_no_request_twice(
    tmp_path: Path, claude_api: ClaudeServer, wordllama: Embedder
) -> None:
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
    text = text_of(range(40))
    settings = {**claude_api.settings, "db": str(tmp_path / "graph.duckdb"), "embedder": "wordllama"}
    settings |= {"claude_workers": 1}
    with subprocess.Popen([sys.executable, "-c", INGEST], stdin=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps([settings, text]).encode())
        process.stdin.close()
        assert reached.wait(60)
        os.kill(process.pid, signal.SIGKILL)
    paid = set(answered)
    assert len(paid) == 25

    claude_api.requests.clear()
    claude_api.default = read_sentences
    with graph_for(tmp_path / "graph.duckdb", claude_api, wordllama) as graph:
        report = graph.ingest_text(TextInput(text, "Notes", uri="memo:a"), extract="claude")

        assert query(graph.store, COUNTS) == [(40, 40)]
    again = [chunk for body in claude_api.requests for chunk in chunks_of(body)]
    assert (len(again), paid.intersection(again)) == (15, set())
    assert report.requests == 3
