"""Spans of ingest and retrieval: counts, and nothing that a document, a question or a user has written."""

import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace

from mcp_graphrag import TextInput
from mcp_graphrag.errors import BadInput
from mcp_graphrag.graph import Graph


class KeptSpan(trace.NonRecordingSpan):
    """A span that keeps what it is told."""

    def __init__(self, name: str) -> None:
        super().__init__(trace.INVALID_SPAN_CONTEXT)
        self.kept: dict[str, Any] = {"name": name}

    def is_recording(self) -> bool:
        return True

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        self.kept |= attributes

    def set_attribute(self, key: str, value: Any) -> None:
        self.kept[key] = value

    def set_status(self, status: Any, description: str | None = None) -> None:
        self.kept["status"] = (status, description)


class KeptSpans(trace.NoOpTracer):
    """A tracer whose spans are kept."""

    def __init__(self) -> None:
        self.spans: list[KeptSpan] = []

    @contextmanager
    def start_as_current_span(self, name: str, **_: Any) -> Generator[KeptSpan]:  # pyright: ignore[reportIncompatibleMethodOverride]
        self.spans.append(KeptSpan(name))
        yield self.spans[-1]


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> list[KeptSpan]:
    """The spans that are opened."""
    tracer = KeptSpans()
    monkeypatch.setattr(trace, "get_tracer", lambda _name: tracer)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    return tracer.spans


def test_ingest_and_retrieval_are_spans_of_counts(graph: Graph, spans: list[KeptSpan]) -> None:
    graph.ingest_text(TextInput("The Auth Service depends on the User Database.", uri="note:1"))
    graph.search("What does the Auth Service depend on?")

    assert [span.kept for span in spans] == [
        {"name": "ingest", "mcp_graphrag.state": "done", "mcp_graphrag.done": 1},
        {"name": "retrieve", "mcp_graphrag.mode": "multi_hop", "mcp_graphrag.hits": 1},
    ]


def test_the_span_of_a_failure_has_its_kind_and_not_its_words(graph: Graph, spans: list[KeptSpan]) -> None:
    with pytest.raises(BadInput):
        graph.search(" ")

    (span,) = spans
    assert span.kept == {"name": "retrieve", "error.type": "BadInput", "status": (trace.StatusCode.ERROR, None)}


@pytest.mark.slow
def test_without_an_exporter_nothing_of_opentelemetry_is_imported(tmp_path: Path) -> None:
    program = (
        "import sys; from mcp_graphrag import open_graph; graph = open_graph(sys.argv[1], embedder='wordllama')\n"
        "graph.ingest_text('Ann knows Bob.'); graph.search('Ann'); print('opentelemetry' in sys.modules)"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "graph.duckdb")]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "False\n"
