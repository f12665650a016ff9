"""Export and import of a million triples: python tests/bench/export.py [TRIPLES]

Prints processor time, wall time and the most memory of each, in one process after the other.
"""

import multiprocessing
import resource
import sys
import tempfile
from pathlib import Path

from measure import spending
from power_law import power_law_edges

from mcp_graphrag import Candidate, open_graph
from mcp_graphrag.transfer.export_graph import ExportQuery, Form

FORMS: tuple[Form, ...] = ("jsonl", "graphml", "turtle", "cypher", "csv", "parquet")


def make(folder: Path, size: int) -> None:
    """Fill the graph."""
    edges, _ = power_law_edges(size)
    with open_graph(folder / "graph.duckdb") as graph:
        graph.add_triples([Candidate(f"entity {a}", f"predicate {r}", f"entity {b}") for a, r, b in edges])


def export(folder: Path, form: Form) -> None:
    """Write one form."""
    with open_graph(folder / "graph.duckdb") as graph, spending() as spent:
        done = graph.export(ExportQuery(folder / f"graph.{form}", form))
    _print(form, spent.cpu, spent.wall, done.bytes / 1e6)


def import_lines(folder: Path) -> None:
    """Read the JSON lines into another file."""
    with open_graph(folder / "copy.duckdb") as graph, spending() as spent:
        graph.import_lines(folder / "graph.jsonl")
    _print("import", spent.cpu, spent.wall, (folder / "copy.duckdb").stat().st_size / 1e6)


def _print(what: str, cpu: float, wall: float, megabytes: float) -> None:
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    spent = f"{cpu:.1f} s CPU, {wall:.1f} s wall"
    print(f"{what}: {spent}, {megabytes:.0f} MB written, {most:.0f} MB of memory", flush=True)


def main() -> None:
    """Run each in a process of its own."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for work, words in ((make, (size,)), *((export, (form,)) for form in FORMS), (import_lines, ())):
            process = multiprocessing.get_context("spawn").Process(target=work, args=(folder, *words))
            process.start()
            process.join()


if __name__ == "__main__":
    main()
