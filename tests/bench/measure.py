"""What the benchmarks share: clocks, quantiles and a store in a temporary folder."""

import contextlib
import statistics
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from mcp_graphrag.pipeline import Pipeline, make_pipeline
from mcp_graphrag.settings import load_settings

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
def scratch_pipeline(**settings: str) -> Generator[Pipeline]:
    """A pipeline on a new file that is removed afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        pipeline = make_pipeline(load_settings({"db": Path(folder) / "bench.duckdb", **settings}, {}))
        yield pipeline
        pipeline.store.close()


@contextlib.contextmanager
def kept_pipeline(file: Path | None, **settings: str) -> Generator[tuple[Pipeline, bool]]:
    """A pipeline on a file that stays, and whether it was there already; without a file, one on a scratch file."""
    if file is None:
        with scratch_pipeline(**settings) as pipeline:
            yield pipeline, False
        return
    found = file.exists()
    pipeline = make_pipeline(load_settings({"db": file, **settings}, {}))
    yield pipeline, found
    pipeline.store.close()


def machine_speed() -> float:
    """CPU seconds of ten million additions in a loop: half a second on an idle machine of 2026, more on a busy one."""
    with spending() as spent:
        total = 0
        for number in range(10_000_000):
            total += number
    return spent.cpu
