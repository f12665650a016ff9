"""The graph of graph.py in other embedded engines: python tests/bench/graph_others.py [TRIPLES]

Needs an environment with `pip install ladybug anatid` (anatid needs a later DuckDB than mcp-graphrag). Loads the same
edges, with names, by the bulk way of each, then asks for the nodes within two hops of the same nodes.
"""

import csv
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
from power_law import power_law_edges

ladybug: Any = import_module("ladybug")
Anatid: Any = import_module("anatid").Anatid

QUESTIONS = 50
MOMENT = "TIMESTAMP '2026-01-01' AS valid_from, TIMESTAMP '2026-01-01' AS tx_from, 1 AS tenant_id"


def timed(name: str, ask: Callable[[int], object], starts: Sequence[int]) -> None:
    """Print p50 and p95 of wall milliseconds and the mean of CPU milliseconds."""
    walls, cpu = list[float](), time.process_time()
    for start in starts:
        began = time.perf_counter()
        ask(start)
        walls.append((time.perf_counter() - began) * 1000)
    mean = (time.process_time() - cpu) * 1000 / len(starts)
    cuts = statistics.quantiles(walls, n=20)
    print(f"{name}: 2 hops p50 {statistics.median(walls):.2f} ms   p95 {cuts[18]:.2f} ms   cpu {mean:.2f} ms")


def loaded(name: str, load: Callable[[], object]) -> None:
    """Print the CPU seconds of loading."""
    cpu = time.process_time()
    load()
    print(f"{name}: loaded in {time.process_time() - cpu:.1f} s CPU")


def ask_ladybug(folder: Path, nodes: Path, edges: Path, starts: Sequence[int]) -> None:
    """COPY of both tables, then a variable-length pattern."""
    connection = ladybug.Connection(ladybug.Database(str(folder / "graph.lbug")))

    def load() -> None:
        connection.execute("CREATE NODE TABLE E(id INT64, name STRING, PRIMARY KEY(id))")
        connection.execute("CREATE REL TABLE R(FROM E TO E, predicate INT64)")
        connection.execute(f"COPY E FROM '{nodes}'")
        connection.execute(f"COPY R FROM '{edges}'")

    loaded("ladybug", load)
    reach = "MATCH (a:E {id: $start})-[:R*1..2]-(b:E) RETURN count(DISTINCT b.id)"
    timed("ladybug", lambda start: connection.execute(reach, {"start": start}).get_all(), starts)


def ask_anatid(folder: Path, nodes: Path, edges: Path, starts: Sequence[int]) -> None:
    """Its Parquet loader, with one memory about each node, then the memories within two hops of a node."""
    made, tables = duckdb.connect(), folder / "tables"
    tables.mkdir()
    from_nodes = f"FROM read_csv('{nodes}', names=['id', 'name'])"
    columns = {
        "entities": f"id AS entity_id, name {from_nodes}",
        "memories": f"id AS memory_id, name AS content, TIMESTAMP '2026-01-01' AS created_at {from_nodes}",
        "edges_about": f"id AS edge_id, id AS src, id AS dst {from_nodes}",
        "edges_relates": f"row_number() OVER () AS edge_id, src, dst, predicate::VARCHAR AS rel_kind"
        f" FROM read_csv('{edges}', names=['src', 'dst', 'predicate'])",
    }
    for table, wanted in columns.items():
        made.execute(f"COPY (SELECT {MOMENT}, {wanted}) TO '{tables / table}.parquet'")
    with Anatid.open(str(folder / "graph.anatid"), tenant=1, embedding_dim=8) as graph:
        loaded("anatid", lambda: graph.load_parquet(tables, rebuild_fts=False))
        timed("anatid", lambda start: graph.recall_2hop_ids(start, limit=10**9), starts)


def main() -> None:
    """Load and ask both."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    edges, chance = power_law_edges(size)
    ends = sorted({node for subject, _, other in edges for node in (subject, other)})
    starts = [chance.choice(ends) for _ in range(QUESTIONS)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "nodes.csv").open("w", newline="") as file:
            csv.writer(file).writerows((node, f"entity {node}") for node in ends)
        with (folder / "edges.csv").open("w", newline="") as file:
            csv.writer(file).writerows((subject, other, predicate) for subject, predicate, other in edges)
        for ask in (ask_ladybug, ask_anatid):
            ask(folder, folder / "nodes.csv", folder / "edges.csv", starts)


if __name__ == "__main__":
    main()
