"""CPU and memory of ingesting hostile documents: python tests/bench/hostile_documents.py [--size N] [--only WORD …]

Each document is one pattern repeated up to N bytes (default 1,000,000) and is ingested into a new file by a process of
its own, as is an ordinary text of the same size. Prints one line a document (CPU seconds, megabytes above those of an
empty process, documents and triples), the costliest first at the end, and as the last line JSON with the counts of
those over --seconds (default 15) or --megabytes (default 500). With --growth each is also measured at a quarter of the
size, and the slope of its time is printed: 1 is linear, 2 quadratic; those over 1.1 that take a second are counted.
POSIX only.
"""

import argparse
import contextlib
import json
import math
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hostile_patterns import PATTERNS

from mcp_graphrag.edit.inputs import TextInput
from mcp_graphrag.errors import Unreadable
from mcp_graphrag.graph import Graph
from mcp_graphrag.settings import load_settings

MAX_SLOPE = 1.1


def ingest(name: str, size: int, folder: Path) -> dict[str, Any]:
    """Counts of ingesting one document into a new file, or the error."""
    media_type, make = PATTERNS[name]
    graph = Graph(load_settings({"db": folder / "graph.duckdb", "embedder": "wordllama"}, {}))
    try:
        report = graph.ingest_text(TextInput(make(size), "Hostile", uri="memory:a", media_type=media_type))
        return {"chunks": report.counts.chunks, "triples": report.counts.triples, "warnings": list(report.warnings)}
    except Unreadable:
        return {"refused": 1}
    except Exception as error:  # noqa: BLE001  a pattern that fails is a finding, not the end
        return {"error": f"{type(error).__name__}: {error}"[:200]}
    finally:
        graph.close()


def measured(work: Callable[[Path], dict[str, Any]], limit: float) -> dict[str, Any]:
    """What work in a forked process answers, with its CPU seconds and the megabytes that it needed at its peak."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.alarm(int(limit))
        began, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with tempfile.TemporaryDirectory() as folder:
            found = work(Path(folder))
        found["cpu"] = round(time.process_time() - began, 2)
        found["mb"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1000
        os.write(writing, json.dumps(found).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else {"error": f"over {limit:.0f} s", "cpu": limit, "mb": 0}


def main() -> None:
    """Measure the patterns."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--size", type=int, default=1_000_000)
    arguments.add_argument("--only", nargs="*", default=[""], help="words in the names of the patterns to measure")
    arguments.add_argument("--growth", action="store_true")
    arguments.add_argument("--seconds", type=float, default=15)
    arguments.add_argument("--megabytes", type=float, default=500)
    arguments.add_argument("--limit", type=float, default=60, help="seconds of wall time after which one is ended")
    given = arguments.parse_args()
    with contextlib.suppress(OSError):
        os.nice(5)
    with tempfile.TemporaryDirectory() as folder:
        # Warms up what all the forks share: models and tables.
        print("ordinary, small:", ingest("txt: an ordinary text", 20_000, Path(folder)), flush=True)
    found: dict[str, dict[str, Any]] = {}
    for name in PATTERNS:
        if any(word in name for word in given.only) or name == "txt: an ordinary text":
            found[name] = measured(lambda folder, name=name: ingest(name, given.size, folder), given.limit)
            if given.growth:
                small = measured(lambda folder, name=name: ingest(name, given.size // 4, folder), given.limit)
                found[name]["slope"] = round(math.log(found[name]["cpu"] / max(small["cpu"], 0.01), 4), 2)
            print(f"{found[name]['cpu']:7.2f} s {found[name]['mb']:6d} MB  {name}  {_rest(found[name])}", flush=True)
    print("\nThe costliest:")
    for name in sorted(found, key=lambda each: -found[each]["cpu"])[:20]:
        print(f"{found[name]['cpu']:7.2f} s {found[name]['mb']:6d} MB  {name}")
    counts = {
        "patterns": len(found),
        "slow": sum(each["cpu"] > given.seconds for each in found.values()),
        "large": sum(each["mb"] > given.megabytes for each in found.values()),
        "steep": sum(each.get("slope", 0) > MAX_SLOPE and each["cpu"] > 1 for each in found.values()),
        "errors": sum("error" in each for each in found.values()),
        "ordinary_seconds": found["txt: an ordinary text"]["cpu"],
        "most_seconds": max(each["cpu"] for each in found.values()),
        "most_megabytes": max(each["mb"] for each in found.values()),
    }
    print(json.dumps(counts))
    sys.exit(1 if any(counts[each] for each in ("slow", "large", "steep", "errors")) else 0)


def _rest(found: Mapping[str, Any]) -> str:
    return " ".join(f"{key}={value}" for key, value in found.items() if key not in {"cpu", "mb"} and value)


if __name__ == "__main__":
    main()
