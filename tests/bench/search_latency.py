"""Search latency per mode on one core.

Usage: python tests/bench/search_latency.py [CHUNKS …] [--triples N] [--modes a,b,…] [--file F]

Makes graphs of CHUNKS chunks (default 10000 and 100000), ten triples a chunk unless --triples says how many, eight
mentions a chunk by Zipf's law (see generated.py), and asks 200 questions in each mode, in hybrid with a filter, and by
vector with each index of --indexes. The questions' embeddings are made before the clock runs. A line a mode: p50 and
p95 of wall and of CPU milliseconds, then, under the profiler and so a little slower, where the time goes.

With --file the graph is kept there, and used again where it is there already; it has one size then.
"""

import argparse
import contextlib
import cProfile
import os
import pstats
import random
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import cast

from generated import Size, generate
from measure import kept_graph, machine_speed, spending

import mcp_graphrag
from mcp_graphrag.embed import Embedder, Embedders
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.graph import Graph
from mcp_graphrag.index.indexes import Indexes
from mcp_graphrag.model import Matrix
from mcp_graphrag.search.query import MODES, SearchQuery
from mcp_graphrag.store.rows.document_rows import ChunkFilter, chunks_by_id, filter_chunks

WARM = 3
PROFILED = 40
NAME = re.compile(r"[A-Z]\w+ [A-Z]\w+")
PACKAGE = str(Path(mcp_graphrag.__file__).parent)
SETTINGS = {"threads": "1", "memory_limit": "4GB"}

Function = tuple[str, int, str]
# (calls, calls that were not recursive, seconds alone, seconds with callees, the same four by caller)
Profiled = tuple[int, int, float, float, dict[Function, tuple[int, int, float, float]]]


def main() -> None:
    """Print the latencies of every mode."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chunks", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--triples", type=int, help="how many to make, ten a chunk by default")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--indexes", default="", help="vector indexes to ask too, as in matrix,codes,sql")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--top", type=int, default=8, help="how many functions to name a mode")
    parser.add_argument("--file", type=Path, help="keep the graph in this file")
    given = parser.parse_args()
    if unknown := [mode for mode in given.modes.split(",") if mode and mode not in MODES]:
        raise SystemExit(f"There is no mode {unknown[0]}; choose one of {', '.join(MODES)}.")
    if given.file and len(given.chunks) != 1:
        raise SystemExit("A file has one size: give one number of chunks with --file.")
    on_one_core()
    for chunks in given.chunks:
        with filled(Size(chunks, given.triples or 10 * chunks), given.file) as graph:
            asked = questions_of(graph, given.questions)
            graph.embedders = Embedders(Remembering(graph.embedders.static, asked))
            for mode in filter(None, given.modes.split(",")):
                measure(graph, mode, [SearchQuery(question, mode) for question in asked], given.top)  # pyright: ignore[reportArgumentType]
            some = ChunkFilter(sources=["s5"])
            measure(graph, "hybrid, filtered", [SearchQuery(question, "hybrid", allowed=some) for question in asked], 0)
            for kind in filter(None, given.indexes.split(",")):
                graph.indexes = Indexes(kind)
                measure(graph, f"vector by {kind}", [SearchQuery(question, "vector") for question in asked], 0)


def on_one_core() -> None:
    """Let every thread of this process, those of numpy too, run on one core, where the system can do that."""
    if sys.platform == "linux":
        core = {max(os.sched_getaffinity(0))}
        for thread in Path("/proc/self/task").iterdir():
            os.sched_setaffinity(int(thread.name), core)


@contextlib.contextmanager
def filled(size: Size, file: Path | None) -> Generator[Graph]:
    """A graph on a graph of that size: made, or found in the file. Exits where the file has another size."""
    with kept_graph(file, **SETTINGS) as (graph, found):
        if not found:
            _generate(graph, size)
        with graph.reading() as snapshot:
            chunks = len(filter_chunks(snapshot.tx, ChunkFilter()))
        if chunks != size.chunks:
            raise SystemExit(f"{file} has {chunks} chunks, not {size.chunks}; remove it, or ask for that many.")
        yield graph


def _generate(graph: Graph, size: Size) -> None:
    with spending() as spent:
        generate(graph, size)
    megabytes = graph.store.path.stat().st_size / 1e6
    print(f"made in {spent.wall:.0f} s wall, {spent.cpu:.0f} s CPU; {megabytes:.0f} MB of file", file=sys.stderr)


def questions_of(graph: Graph, count: int) -> list[str]:
    """Questions about passages: a name and four words of one, every third with a second name of the same passage."""
    chance = random.Random(7)  # noqa: S311
    with graph.reading() as snapshot:
        chosen = chance.sample(filter_chunks(snapshot.tx, ChunkFilter()).tolist(), count)
        chunks = chunks_by_id(snapshot.tx, chosen)
    asked: list[str] = []
    for number, chunk_id in enumerate(chosen):
        text = chunks[chunk_id].text
        names = NAME.findall(text)
        words = [word for word in re.findall(r"\w+", text) if word.islower()]
        about = " and ".join(chance.sample(names, min(len(names), 2 if number % 3 == 0 else 1)))
        asked.append(f"What do {about} have to do with {' '.join(chance.sample(words, 4))}?")
    print(f"== {len(asked)} questions, machine speed {machine_speed():.2f} s; as in: {asked[0]}")
    return asked


class Remembering:
    """The embedder with the vectors of the questions at hand; everything else it embeds as ever."""

    def __init__(self, embedder: Embedder, texts: Sequence[str]) -> None:
        self._embedder = embedder
        self._known = dict(zip(texts, embedder.embed(texts), strict=True))
        self.name = embedder.name

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of shape (texts, dimension)."""
        if len(texts) == 1 and texts[0] in self._known:
            return self._known[texts[0]][None, :]
        return self._embedder.embed(texts)


def measure(graph: Graph, label: str, questions: Sequence[SearchQuery], top: int) -> None:
    """Print the latencies of asking each question once, what was noted, and the functions that take the time."""
    walls: list[float] = []
    cpus: list[float] = []
    notes: Counter[str] = Counter()
    hits = 0
    try:
        with spending() as first:
            graph.search(questions[0])
        for question in questions[:WARM]:
            graph.search(question)
        for question in questions:
            wall, cpu = time.perf_counter(), time.process_time()
            answer = graph.search(question)
            cpus.append((time.process_time() - cpu) * 1000)
            walls.append((time.perf_counter() - wall) * 1000)
            notes.update(answer.notes)
            hits += len(answer.hits)
    except PartMissing as error:
        print(f"{label:18s} {error}")
        return
    print(
        f"{label:18s} wall p50 {_quantile(walls, 10):8.2f} p95 {_quantile(walls, 19):8.2f} ms"
        f"   CPU p50 {_quantile(cpus, 10):8.2f} p95 {_quantile(cpus, 19):8.2f} ms"
        f"   first {first.wall:6.2f} s   {hits / len(questions):4.1f} hits",
        flush=True,
    )
    for note, count in notes.most_common(3):
        print(f"    note ({count} ×): {note}")
    if top:
        for line in where(graph, questions[:PROFILED], top):
            print(f"    {line}")


def _quantile(values: Sequence[float], twentieth: int) -> float:
    return statistics.quantiles(values, n=20)[twentieth - 1]


def where(graph: Graph, questions: Sequence[SearchQuery], top: int) -> list[str]:
    """Where the CPU time goes: the functions that take most themselves, then those that take most with their callees.

    What a function of another package takes itself counts for the one of this package that called it.
    """
    profiler = cProfile.Profile(time.process_time)
    profiler.enable()
    for question in questions:
        graph.search(question)
    profiler.disable()
    alone: defaultdict[str, float] = defaultdict(float)
    together: defaultdict[str, float] = defaultdict(float)
    profiled = cast("dict[Function, Profiled]", pstats.Stats(profiler).stats)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    for (path, _, name), (_, _, own, with_callees, callers) in profiled.items():
        if path.startswith(PACKAGE):
            alone[_named(path, name)] += own
            together[_named(path, name)] += with_callees
            continue
        for (caller, _, caller_name), (_, _, under, _) in callers.items():
            if caller.startswith(PACKAGE):
                alone[f"{_named(caller, caller_name)} → {name.strip('<>')}"] += under
    lines = [*_most(alone, "alone", top), *_most(together, "with callees", 2 * top)]
    return [f"{seconds * 1000 / len(questions):8.3f} ms {how:12s} {what}" for seconds, how, what in lines]


def _most(spent: Mapping[str, float], how: str, top: int) -> list[tuple[float, str, str]]:
    order = sorted(spent, key=lambda what: -spent[what])
    return [(spent[what], how, what) for what in order[:top]]


def _named(path: str, name: str) -> str:
    return f"{Path(path).relative_to(PACKAGE).with_suffix('')}.{name}"


if __name__ == "__main__":
    main()
