"""Many clients of one HTTP server, reading and writing at once: errors, latency and the server's memory, as JSON.

Run as `python tests/bench/http_clients.py [--clients 50] [--seconds 120] [--writes .3] [--pause 0]`. Half of them
speak each protocol era, and wait --pause seconds behind each call. Memory and the 95th percentile of reads and writes
are given at the end of each tenth of the time. Every acknowledged write is looked for at the end.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import anyio
from mcp import Client

sys.path.insert(0, str(Path(__file__).parents[1]))
from http_served import http_served

NAMES = [f"Service {number}" for number in range(200)]
READS = ("query_triples", "search", "get_neighbourhood", "brief")


class Load:
    """What the clients have seen."""

    def __init__(self, url: str, given: argparse.Namespace) -> None:
        self.url = url
        self.writes: float = given.writes
        self.pause: float = given.pause
        self.until = time.monotonic() + given.seconds
        self.milliseconds: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self.acknowledged: list[str] = []

    async def client(self, number: int) -> None:
        """One client until the time is over."""
        chance = random.Random(number)  # noqa: S311
        async with Client(self.url, mode="legacy" if number % 2 else "auto") as client:
            written = 0
            while time.monotonic() < self.until:
                if chance.random() < self.writes:
                    written += 1
                    await self._write(client, chance.choice(NAMES), f"Note {number} {written}")
                else:
                    await self._read(client, chance.choice(READS), chance.choice(NAMES))
                if self.pause:
                    await anyio.sleep(self.pause)

    async def _write(self, client: Client, subject: str, object: str) -> None:
        fact = {"subject": subject, "predicate": "documents", "object": object}
        if await self._timed(client, "add_triples", {"triples": [fact]}):
            self.acknowledged.append(object)

    async def _read(self, client: Client, tool: str, name: str) -> None:
        arguments = {
            "query_triples": {"subject": name},
            "search": {"query": f"What does {name} document?"},
            "get_neighbourhood": {"entity": name},
        }
        await self._timed(client, tool, arguments.get(tool, {}))

    async def _timed(self, client: Client, tool: str, arguments: dict[str, Any]) -> bool:
        started = time.perf_counter()
        try:
            result = await client.call_tool(tool, arguments)
        except Exception as error:  # noqa: BLE001  (whatever it is, it is counted)
            self.errors.append(f"{tool}: {type(error).__name__}: {error}")
            return False
        self.milliseconds[tool].append((time.perf_counter() - started) * 1000)
        if result.is_error:
            self.errors.append(f"{tool}: {result.content}")
        return not result.is_error


def memory_mb(pid: int) -> float:
    """The resident memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


def cpu_seconds(pid: int) -> float:
    """The processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def run(url: str, pid: int, given: argparse.Namespace) -> dict[str, Any]:
    """The figures of one run."""
    async with Client(url) as client:
        facts = [{"subject": name, "predicate": "part_of", "object": "Platform"} for name in NAMES]
        for start in range(0, len(facts), 50):
            await client.call_tool("add_triples", {"triples": facts[start : start + 50]})
        await client.call_tool("ingest", {"text": ". ".join(f"{name} documents Platform" for name in NAMES)})
    load = Load(url, given)
    p95 = list[dict[str, float]]()
    memory, cpu = [round(memory_mb(pid), 1)], cpu_seconds(pid)
    async with anyio.create_task_group() as tasks:
        for number in range(given.clients):
            tasks.start_soon(load.client, number)
        for _ in range(10):
            before = {tool: len(each) for tool, each in load.milliseconds.items()}
            await anyio.sleep(given.seconds / 10)
            late = {tool: each[before.get(tool, 0) :] for tool, each in load.milliseconds.items()}
            p95.append({tool: _quantiles(each)["p95"] for tool, each in sorted(late.items()) if each})
            memory.append(round(memory_mb(pid), 1))
    cpu, calls = cpu_seconds(pid) - cpu, sum(map(len, load.milliseconds.values()))
    stored = 0
    async with Client(url) as client:
        for object in load.acknowledged:
            result = await client.call_tool("query_triples", {"object": object, "limit": 1})
            stored += bool(result.structured_content and result.structured_content["triples"])
    return {
        "clients": given.clients,
        "seconds": given.seconds,
        "calls": calls,
        "cpu_ms_per_call": round(cpu / max(calls, 1) * 1000, 1),
        "errors": len(load.errors),
        "first_errors": load.errors[:5],
        "writes_acknowledged": len(load.acknowledged),
        "writes_stored": stored,
        "milliseconds": {tool: _quantiles(each) for tool, each in sorted(load.milliseconds.items())},
        "p95_by_tenth": p95,
        "memory_mb": memory,
    }


def _quantiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {
        "calls": len(ordered),
        "p50": round(ordered[len(ordered) // 2], 1),
        "p95": round(ordered[int(len(ordered) * 0.95)], 1),
        "max": round(ordered[-1], 1),
    }


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--writes", type=float, default=0.3, help="share of calls that write")
    parser.add_argument("--pause", type=float, default=0, help="seconds between the calls of a client")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder, "graph.duckdb")
        with http_served(db, MCP_GRAPHRAG_EMBEDDER="wordllama") as server:
            print(json.dumps(anyio.run(run, server.url, server.process.pid, given), indent=2))


if __name__ == "__main__":
    main()
