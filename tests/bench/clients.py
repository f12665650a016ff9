"""Several stdio servers on one file: python tests/bench/clients.py [--clients 2,4,8] [--writes 50] [--megabytes 5]

For each number of clients: each writes so many triples, all in flight at once; then every acknowledged triple is looked
for. Then one call at a time, through the owner of the file and with --no-daemon. Then two clients read and write while
a third ingests so many megabytes of text. Prints counts and milliseconds as JSON.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
SENTENCE = "The signal box at Aldergate was rebuilt in 1931 and the branch line reopened to goods traffic. "


class Server:
    """A `serve` process, spoken to in JSON-RPC lines."""

    def __init__(self, db: Path, *flags: str) -> None:
        words = [sys.executable, "-m", "mcp_graphrag", "serve", "--db", str(db), "--embedder", "wordllama", *flags]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.seconds: dict[int, float] = {}
        self.answers: dict[int, Any] = {}
        self._sent: dict[int, float] = {}
        self._number = 0
        self._answered = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()
        self.wait(self.send("initialize", INITIALIZE))
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, method: str, params: dict[str, Any]) -> int:
        """Send a request; its number."""
        self._number += 1
        self._sent[self._number] = time.perf_counter()
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        return self._number

    def call(self, tool: str, **arguments: Any) -> int:
        """Send a call of a tool; its number."""
        return self.send("tools/call", {"name": tool, "arguments": arguments})

    def wait(self, number: int) -> Any:
        """The result of a request."""
        with self._answered:
            assert self._answered.wait_for(lambda: number in self.answers, timeout=600)
        return self.answers[number]

    def end(self) -> None:
        """Close stdin and wait for the end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()

    def _write(self, frame: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(frame).encode() + b"\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            frame = json.loads(line)
            if "id" in frame:
                with self._answered:
                    self.seconds[frame["id"]] = time.perf_counter() - self._sent[frame["id"]]
                    self.answers[frame["id"]] = frame.get("result", {"isError": True, "error": frame.get("error")})
                    self._answered.notify_all()


def fact(name: str) -> list[dict[str, str]]:
    """One triple."""
    return [{"subject": name, "predicate": "knows", "object": "Everybody"}]


def milliseconds(seconds: Sequence[float]) -> dict[str, float]:
    """p50, p95 and the worst."""
    ordered = sorted(seconds)
    found = {"p50": statistics.median(ordered), "p95": ordered[int(len(ordered) * 0.95)], "max": ordered[-1]}
    return {name: round(value * 1000, 1) for name, value in found.items()}


def writes_at_once(folder: Path, clients: int, writes: int) -> dict[str, Any]:
    """What became of the writes of several clients, all in flight at once."""
    db = folder / f"{clients}.duckdb"
    servers = [Server(db) for _ in range(clients)]
    calls = [
        (server, f"Client {at} write {number}", server.call("add_triples", triples=fact(f"Client {at} write {number}")))
        for number in range(writes)
        for at, server in enumerate(servers)
    ]
    acknowledged = {name for server, name, number in calls if not server.wait(number).get("isError")}
    stored: list[str] = []
    cursor = ""
    while True:
        page = servers[0].wait(
            servers[0].call("query_triples", object="Everybody", limit=100, **({"cursor": cursor} if cursor else {}))
        )["structuredContent"]
        stored += [each["subject"] for each in page["triples"]]
        cursor = page.get("next_cursor", "")
        if not cursor:
            break
    for server in servers:
        server.end()
    return {
        "clients": clients,
        "writes": len(calls),
        "acknowledged": len(acknowledged),
        "acknowledged_and_lost": len(acknowledged - set(stored)),
        "stored_twice": len(stored) - len(set(stored)),
        "ms": milliseconds([server.seconds[number] for server, _, number in calls]),
    }


def one_at_a_time(folder: Path, calls: int) -> dict[str, Any]:
    """Milliseconds of a call through the owner and without one, alternating."""
    servers = {"relay": Server(folder / "relay.duckdb"), "no_daemon": Server(folder / "alone.duckdb", "--no-daemon")}
    seconds: dict[str, list[float]] = {f"{name}_{kind}": [] for name in servers for kind in ("read", "write")}
    for number in range(calls):
        for name, server in servers.items():
            for kind, tool, arguments in (
                ("write", "add_triples", {"triples": fact(f"Subject {number}")}),
                ("read", "query_triples", {"subject": f"Subject {number}"}),
            ):
                sent = server.call(tool, **arguments)
                assert not server.wait(sent).get("isError")
                seconds[f"{name}_{kind}"].append(server.seconds[sent])
    for server in servers.values():
        server.end()
    return {name: milliseconds(each[5:]) for name, each in seconds.items()}


def beside_an_ingest(folder: Path, megabytes: float) -> dict[str, Any]:
    """Milliseconds of reads and small writes of two clients while another one ingests."""
    db = folder / "beside.duckdb"
    corpus = folder / "corpus"
    corpus.mkdir()
    documents = int(megabytes * 1_000_000 / 10_000)
    for number in range(documents):
        text = f"# Station {number}\n\n" + "\n\n".join(f"Platform {each}. {SENTENCE * 4}" for each in range(25))
        (corpus / f"{number}.md").write_text(text, encoding="utf-8")
    ingesting, reader, writer = Server(db, "--root", str(corpus)), Server(db), Server(db)
    job = ingesting.call("ingest", paths=[str(corpus)])
    reads, writes, number = list[int](), list[int](), 0
    begun = time.perf_counter()
    while True:
        number += 1
        reads.append(reader.call("search", query="rebuilt signal box", mode="keyword", limit=3))
        writes.append(writer.call("add_triples", triples=fact(f"Beside {number}")))
        reader.wait(reads[-1])
        writer.wait(writes[-1])
        if job in ingesting.answers:
            state = ingesting.answers[job]["structuredContent"]
            if state["state"] != "running":
                break
            job = ingesting.call("get_job", job=state["job"], wait=1)
        time.sleep(0.05)
    errors = sum(
        bool(server.answers[each].get("isError"))
        for server, sent in ((reader, reads), (writer, writes))
        for each in sent
    )
    found = {
        "megabytes": megabytes,
        "documents": state["documents"],
        "seconds": round(time.perf_counter() - begun, 1),
        "calls": len(reads) + len(writes),
        "errors": errors,
        "read_ms": milliseconds([reader.seconds[each] for each in reads]),
        "write_ms": milliseconds([writer.seconds[each] for each in writes]),
    }
    for server in (ingesting, reader, writer):
        server.end()
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", default="2,4,8")
    parser.add_argument("--writes", type=int, default=50)
    parser.add_argument("--megabytes", type=float, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = {
            "at_once": [writes_at_once(folder, int(each), given.writes) for each in given.clients.split(",")],
            "one_at_a_time_ms": one_at_a_time(folder, 60),
            "beside_an_ingest": beside_an_ingest(folder, given.megabytes),
            "cpus": os.cpu_count(),
        }
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
