"""Kill -9 in the middle of acknowledged writes: python tests/bench/kill.py [CALLS] [ROUNDS]

A real client calls add_triples CALLS times (default 1,000) over stdio; at a random moment the server is killed. Then
the file is opened again and every acknowledged triple must be there. POSIX only.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters

from mcp_graphrag.graph import Graph
from mcp_graphrag.lookup.query_triples import TripleQuery
from mcp_graphrag.settings import Settings

PAGE = 10_000


async def write_until_killed(db: Path, calls: int, kill_after: int) -> list[str]:
    """The subjects of all triples that were acknowledged before the server died."""
    acknowledged: list[str] = []
    parameters = StdioServerParameters(command=sys.executable, args=["-m", "mcp_graphrag", "serve", "--db", str(db)])
    try:
        async with Client(parameters, read_timeout_seconds=20) as client:
            for number in range(calls):
                triple = {"subject": f"subject {number}", "predicate": "counts", "object": f"object {number}"}
                if number == kill_after:
                    threading.Timer(random.random() / 50, kill_servers, [db]).start()  # noqa: S311
                result = await client.call_tool("add_triples", {"triples": [triple]})
                if result.is_error:
                    break
                acknowledged.append(triple["subject"])
    except BaseException as error:  # noqa: BLE001  (the client reports the death in many ways; each is expected here)
        print(f"  the client saw {type(error).__name__}")
    return acknowledged


def kill_servers(db: Path) -> None:
    """Kill every process that serves the file."""
    found = subprocess.run(["pgrep", "-f", str(db)], capture_output=True, text=True, check=False).stdout.split()
    for pid in found:
        if int(pid) != os.getpid():
            os.kill(int(pid), signal.SIGKILL)


def main() -> None:
    """Run the rounds; exit 1 if anything acknowledged is missing."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    for number in range(int(sys.argv[2]) if len(sys.argv) > 2 else 3):
        with tempfile.TemporaryDirectory() as folder:
            db = Path(folder, "kill.duckdb")
            kill_after = random.randrange(calls // 4, calls * 3 // 4)  # noqa: S311
            acknowledged = anyio.run(write_until_killed, db, calls, kill_after)
            graph = Graph(Settings(db=db))
            page = graph.query_triples(TripleQuery(predicate="counts", limit=PAGE))
            graph.close()
            stored = {triple.subject for triple in page.triples}
            missing = set(acknowledged) - stored
            print(f"round {number}: {len(acknowledged)} acknowledged, {len(stored)} stored, {len(missing)} missing")
            if missing:
                raise SystemExit(1)


if __name__ == "__main__":
    main()
