"""Writes against bare DuckDB: python tests/bench/writes.py [TRIPLES] [RUNS]

Prints the CPU seconds of one load of TRIPLES (default 100000, each with a quote, between a quarter as many names), the
least of RUNS (default 3), and the CPU milliseconds of writes of one triple to the loaded file: with a new name, and
between known ones. Each beside the same rows inserted by DuckDB alone into a file with the same tables; the two take
turns.
"""

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
from power_law import power_law_edges

from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate
from mcp_graphrag.settings import load_settings
from mcp_graphrag.store.engine.transaction import constant_of

TABLES = ("change", "predicate", "entity", "entity_alias", "entity_embedding", "triple", "evidence")
WRITES = 100


def triples(count: int) -> list[Candidate]:
    """Triples of 50 predicates, some of whose objects have many."""
    edges, _ = power_law_edges(count)
    return [
        Candidate(f"entity {a}", f"predicate {relation}", f"entity {b}", quote=f"Entity {number} does it.")
        for number, (a, relation, b) in enumerate(edges)
    ]


def spent(work: Callable[[], object]) -> float:
    """The CPU seconds of all threads that it takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def opened(path: Path) -> Graph:
    """The graph of a file, with its embedder loaded."""
    graph = Graph(load_settings({"db": path, "embedder": "wordllama"}, {}))
    graph.embedders.static.embed(["a name"])
    graph.describe()
    return graph


def load(graph: Graph, given: list[Candidate], bare: Path) -> tuple[float, float]:
    """The seconds of a load, and of the same rows from its file into another one by DuckDB alone."""
    whole = spent(lambda: graph.add_triples(given))
    graph.close()
    with duckdb.connect(str(bare), config={"threads": 1, "default_block_size": 16384}) as connection:
        connection.execute(f"ATTACH '{graph.store.path}' AS loaded (READ_ONLY)")
        inserts = [f"INSERT INTO {table} SELECT * FROM loaded.{table}" for table in TABLES]
        return whole, spent(lambda: connection.execute(";".join(["BEGIN", *inserts, "COMMIT"])))


def single(graph: Graph, bare: duckdb.DuckDBPyConnection, given: Candidate) -> tuple[float, float]:
    """The milliseconds of a write of one triple, and of its rows by DuckDB alone."""
    whole = spent(lambda: graph.add_triples([given]))
    inserts: list[str] = []
    with graph.reading() as snapshot:
        for table in TABLES:
            column = "id" if table == "change" else "recorded_change"
            rows = snapshot.tx.run(f"FROM {table} WHERE {column} = {snapshot.tx.generation}").fetchall()
            values = (", ".join(constant_of(value) or "" for value in row) for row in rows)
            inserts += [f"INSERT INTO {table} VALUES ({row})" for row in values]

    def insert() -> None:
        with bare.cursor() as cursor:
            for statement in ["BEGIN", *inserts, "COMMIT"]:
                cursor.execute(statement)

    return 1000 * whole, 1000 * spent(insert)


def main() -> None:
    """Print a line for the load and one for each kind of write."""
    count, runs = (int(given) for given in [*sys.argv[1:], *("100000", "3")[len(sys.argv) - 1 :]])
    given = triples(count)
    with tempfile.TemporaryDirectory() as folder:
        loads: list[tuple[float, float]] = []
        for run in range(runs):
            opened(Path(folder, f"bare{run}.duckdb")).close()
            loads.append(load(opened(Path(folder, f"{run}.duckdb")), given, Path(folder, f"bare{run}.duckdb")))
        whole, alone = (min(column) for column in zip(*loads, strict=True))
        print(f"load of {count}: {whole:.2f} s, DuckDB alone {alone:.2f} s, {whole / alone:.1f} times")
        graph = opened(Path(folder, "0.duckdb"))
        names = [each.subject for each in random.Random(8).sample(given, 2 * WRITES)]  # noqa: S311
        with duckdb.connect(str(Path(folder, "bare0.duckdb")), config={"threads": 1}) as bare:
            for kind in ("new", "known"):
                pairs = [
                    (f"new {at}" if kind == "new" else one, other)
                    for at, (one, other) in enumerate(zip(names[::2], names[1::2], strict=True))
                ]
                both = [single(graph, bare, Candidate(one, "knows", other)) for one, other in pairs]
                write, alone = (statistics.median(column[10:]) for column in zip(*both, strict=True))
                print(
                    f"one triple, {kind} name: {write:.1f} ms, DuckDB alone {alone:.1f} ms, {write / alone:.2f} times"
                )
        graph.close()


if __name__ == "__main__":
    main()
