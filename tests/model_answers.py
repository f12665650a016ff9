"""What a model answers to requests of the extractor `claude`, made from the sentences of the chunks."""

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from typing import Any

from claude_server import ClaudeServer, Connection, Response, error_response, text_response

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.jobs.ingest_report import IngestReport
from mcp_graphrag.jobs.job import Callbacks, run_job, start_job
from mcp_graphrag.model import Origin

CHUNK = re.compile(r"<(data-[0-9a-f]+) chunk \d+>\n(.*?)\n</\1>", re.DOTALL)
SENTENCE = re.compile(r"The (\w[\w ]*? Service) depends on the (\w[\w ]*? Database)\.")

FILLER = "It was written down by the people who keep the lights on at night and it is read by nobody else at all. " * 12
INGEST = """
import json, sys
from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.graph import Graph
from mcp_graphrag.settings import make_settings
settings, text = json.loads(sys.stdin.read())
with Graph(make_settings(**settings)) as graph:
    graph.ingest_text(TextInput(text, "Notes", uri="memo:a"), extract="claude")
"""

Asking = Callable[..., Graph]  # opens a graph that asks the stand-in, with further settings


def chunks_of(body: dict[str, Any]) -> list[str]:
    """The texts of the chunks in a request, with their headings."""
    return [text for _, text in CHUNK.findall(body["messages"][0]["content"])]


def entity(name: str, type_: str, description: str = "") -> dict[str, Any]:
    return {"name": name, "type": type_, "description": description}


def relationship(source: str, target: str, quote: str, **other: Any) -> dict[str, Any]:
    stated = {"type": "depends_on", "description": "depends on", "confidence": 0.9, "quote": quote}
    return {"source": source, "target": target, **stated, **other}


def edge(source: int, target: int, quote: str, **other: Any) -> dict[str, Any]:
    """A chunk edge between the chunks with these numbers."""
    return {"source": source, "target": target, "relation": "depends_on", "weight": 0.8, "quote": quote, **other}


def answer(
    entities: list[dict[str, Any]], relationships: list[dict[str, Any]], edges: list[dict[str, Any]] | None = None
) -> Response:
    """Answer these items."""
    items = {"entities": entities, "relationships": relationships, "chunk_edges": edges or []}
    return text_response(json.dumps(items))


def read(body: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The entities and relationships of the sentences "The A Service depends on the B Database." of the chunks."""
    found = [(match[1], match[2], match[0]) for text in chunks_of(body) for match in SENTENCE.finditer(text)]
    entities = {name: "Service" for name, _, _ in found} | {name: "Database" for _, name, _ in found}
    return [entity(*each) for each in entities.items()], [relationship(*each) for each in found]


def read_sentences(connection: Connection, body: dict[str, Any]) -> None:
    """Answer what the sentences say."""
    answer(*read(body))(connection, body)


def note(number: int) -> str:
    return f"The Alpha{number} Service depends on the Beta{number} Database."


def notes(numbers: Iterable[int]) -> str:
    """A text of a chunk for each number."""
    return "\n\n".join(f"{note(number)} {FILLER}" for number in numbers)


def ingest(graph: Graph, text: str, uri: str = "memo:a") -> IngestReport:
    """Have a text read by the model."""
    return graph.ingest_text(TextInput(text, "Notes", uri=uri), extract="claude")


def state_after(graph: Graph, text: str, stop: Callable[[], bool]) -> str:
    """The state of a job that has a text read by the model until it is to stop."""
    work, origin = graph.text_work(TextInput(text, "Notes", uri="memo:a"), "claude"), Origin("test")
    job = start_job(graph, work, origin)
    return run_job(graph, job, work, origin, report=IngestReport(), calls=Callbacks(stop)).state


def spent(report: IngestReport) -> dict[str, float]:
    """What requests to the model took, by what is counted."""
    return report.as_json()["model"]


@contextmanager
def ingesting(api: ClaudeServer, text: str, **settings: object) -> Generator[subprocess.Popen[bytes]]:
    """A process that has the text read by the model."""
    given = {**api.settings, "embedder": "wordllama", **settings}
    with subprocess.Popen([sys.executable, "-c", INGEST], stdin=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps([given, text]).encode())
        process.stdin.close()
        yield process


class FaultyModel:
    """Reads sentences, but answers the first request with some chunk by the fault of that chunk.

    `faults` are by a part of the chunk's text; `read` are the chunks that were read.
    """

    def __init__(self, api: ClaudeServer, faults: Mapping[str, Response]) -> None:
        self.read: list[str] = []
        self.faults = dict(faults)
        self._lock = threading.Lock()
        api.default = self.respond

    def respond(self, connection: Connection, body: dict[str, Any]) -> None:
        """Answer a request, or fail in the way of the first chunk that has a fault left."""
        texts = chunks_of(body)
        with self._lock:
            part = next((part for part in self.faults for text in texts if part in text), None)
            fault = self.faults.pop(part) if part else None
            if fault is None or fault is wrong_type or fault is slow:
                self.read += texts
        (fault or read_sentences)(connection, body)


def slow(connection: Connection, body: dict[str, Any]) -> None:
    time.sleep(0.2)
    read_sentences(connection, body)


def wrong_type(connection: Connection, body: dict[str, Any]) -> None:
    """Answer what the sentences say, with an entity of a type that the schema does not allow."""
    entities, relationships = read(body)
    answer([*entities, entity("Alpha", "Airship")], relationships)(connection, body)


FAULTS: tuple[Response, ...] = (
    error_response(429, "rate_limit_error", retry_after="0.05"),
    error_response(529, "overloaded_error", retry_after="0.05"),
    text_response('{"entities": [{"na', stop="max_tokens"),
    text_response("I cannot.", stop="refusal"),
    text_response("This is no JSON."),
    wrong_type,
    slow,
)
