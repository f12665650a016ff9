"""A writer beside queries that would run away: python tests/bench/runaway.py [SECONDS]

One thread adds a triple every 20 ms, alone at first, then beside another that asks one endless query after the other.
Prints p50 and p95 of the writes in milliseconds, and how late the queries were ended.
"""

import statistics
import sys
import threading
import time

from measure import machine_speed, scratch_graph

from mcp_graphrag.errors import GraphragError
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate, Origin
from mcp_graphrag.query.asked import GraphQuery

PAUSE, WITHIN = 0.02, 2.0  # seconds
QUERIES = (
    "MATCH (a), (b), (c), (d), (e) WHERE a.name < b.name AND c.name < d.name RETURN count(*)",
    "MATCH (a)-[:leads_to*1..12]->(b) RETURN count(*)",
    "UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b WITH collect(a * b) AS l RETURN size(l)",
    "UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b RETURN DISTINCT toString(a) + toString(b)",
)


def writes(graph: Graph, seconds: float, label: str) -> str:
    """p50 and p95 of adding a triple, for some seconds."""
    walls, end = list[float](), time.monotonic() + seconds
    while time.monotonic() < end:
        started = time.perf_counter()
        graph.add_triples([Candidate(f"{label} {len(walls)}", "leads_to", "hub")], origin=Origin("bench"))
        walls.append((time.perf_counter() - started) * 1000)
        time.sleep(PAUSE)
    p95 = statistics.quantiles(walls, n=20)[18]
    return f"p50 {statistics.median(walls):7.1f}   p95 {p95:7.1f}   of {len(walls)} writes"


def main() -> None:
    """Print the figures."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10.0
    with scratch_graph() as graph:
        made = [Candidate(f"node {a}", "leads_to", f"node {b}") for a in range(40) for b in range(40) if a != b]
        graph.add_triples(made, origin=Origin("bench"))
        print(f"machine speed {machine_speed():.2f} s")
        print(f"alone          {writes(graph, seconds, 'alone')}")
        late, is_over = list[float](), threading.Event()

        def ask() -> None:
            while not is_over.is_set():
                for query in QUERIES:
                    started = time.perf_counter()
                    try:
                        graph.query(GraphQuery(query, limit=1000, seconds=WITHIN))
                    except GraphragError:
                        late.append(time.perf_counter() - started - WITHIN)

        asking = threading.Thread(target=ask)
        asking.start()
        print(f"beside queries {writes(graph, seconds, 'beside')}")
        is_over.set()
        asking.join()
        print(f"{len(late)} queries were ended, the latest {max(late):.2f} s after its time")


if __name__ == "__main__":
    main()
