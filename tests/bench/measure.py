"""What the benchmarks share: clocks, quantiles, a graph in a temporary folder, and a client of its tools."""

import argparse
import contextlib
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from anyio.from_thread import start_blocking_portal
from mcp import Client

from mcp_graphrag.graph import Graph
from mcp_graphrag.ingest.token_estimate import estimate_tokens
from mcp_graphrag.server.app import create_server
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.settings import load_settings
from mcp_graphrag.store import Reader

T = TypeVar("T")


@dataclass
class Spent:
    """Wall and CPU seconds, the latter of all threads of this process."""

    wall: float = 0.0
    cpu: float = 0.0


@contextlib.contextmanager
def spending() -> Generator[Spent]:
    """The time spent in the block."""
    spent = Spent()
    wall, cpu = time.perf_counter(), time.process_time()
    yield spent
    spent.wall, spent.cpu = time.perf_counter() - wall, time.process_time() - cpu


def quantiles(ask: Callable[[T], object], questions: Sequence[T]) -> str:
    """p50 and p95 of wall milliseconds and the mean CPU milliseconds of asking each question once."""
    walls: list[float] = []
    with spending() as all_of_them:
        for question in questions:
            started = time.perf_counter()
            ask(question)
            walls.append((time.perf_counter() - started) * 1000)
    cuts = statistics.quantiles(walls, n=20)
    mean = all_of_them.cpu * 1000 / len(questions)
    return f"p50 {statistics.median(walls):8.2f} ms   p95 {cuts[18]:8.2f} ms   cpu {mean:8.2f} ms"


@contextlib.contextmanager
def scratch_graph(**settings: str) -> Generator[Graph]:
    """A graph on a new file that is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        graph = Graph(load_settings({"db": Path(folder) / "bench.duckdb", "embedder": "wordllama", **settings}, {}))
        yield graph
        graph.close()


@contextlib.contextmanager
def kept_graph(file: Path | None, **settings: str) -> Generator[tuple[Graph, bool]]:
    """A graph on a file that stays, and whether it was there already; without a file, one on a scratch file."""
    if file is None:
        with scratch_graph(**settings) as graph:
            yield graph, False
        return
    found = file.exists()
    graph = Graph(load_settings({"db": file, "embedder": "wordllama", **settings}, {}))
    yield graph, found
    graph.close()


@contextlib.contextmanager
def tools(graph: Graph) -> Generator[Callable[..., Mapping[str, Any]]]:
    """A function that calls a tool of a server in this process by name and answers its structured content."""
    server = create_server(make_app(graph))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(server)) as client:

        def call(name: str, **arguments: Any) -> Mapping[str, Any]:
            result = portal.call(client.call_tool, name, arguments)
            return cast("Mapping[str, Any]", result.structured_content)

        yield call


def tokens_of(answer: Mapping[str, Any]) -> int:
    """The tokens of a structured answer, estimated."""
    return estimate_tokens(json.dumps(answer, ensure_ascii=False))


def statement(tx: Reader, sql: str) -> Callable[[Mapping[str, Any]], object]:
    """A function that runs a statement with parameters and fetches all rows."""
    return lambda parameters: tx.run(sql, dict(parameters)).fetchall()


def machine_speed() -> float:
    """CPU seconds of ten million additions in a loop: half a second on an idle machine of 2026, more on a busy one."""
    with spending() as spent:
        total = 0
        for number in range(10_000_000):
            total += number
    return spent.cpu


def measure_parts(usage: str | None, parts: Mapping[str, Callable[[Path, int], None]]) -> None:
    """Measure the parts that are named on the command line, all by default: DIR [PART …] [--failures N]."""
    parser = argparse.ArgumentParser(description=usage, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("parts", nargs="*", choices=[*parts, []], default=[])
    parser.add_argument("--failures", type=int, default=20)
    given = parser.parse_args()
    for name in given.parts or parts:
        parts[name](given.folder, given.failures)
