"""Start to first answer over stdio: python tests/bench/start.py [RUNS]

Starts `mcp-graphrag serve` RUNS times (default 5) and prints the seconds until the answers of `server/discover` and
of a first `describe_graph`: as the first server of a new file, beside another server of it, and alone with --no-daemon;
beside those of the bare SDK with one empty tool. The four take turns.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
BARE = """
from mcp.server import MCPServer
server = MCPServer("bare")
@server.tool()
def describe_graph() -> str:
    "Nothing."
    return ""
server.run()
"""


def answered_after(command: list[str]) -> tuple[float, float]:
    """Seconds until the answer of the probe and until that of the first call."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin is not None
    assert process.stdout is not None
    seconds: list[float] = []
    call: dict[str, object] = {"name": "describe_graph", "arguments": {}}
    requests: tuple[tuple[str, dict[str, object]], ...] = (("server/discover", {}), ("tools/call", call))
    for number, (method, given) in enumerate(requests):
        frame = {"jsonrpc": "2.0", "id": number, "method": method, "params": {**given, "_meta": META}}
        process.stdin.write(json.dumps(frame).encode() + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        seconds.append(time.perf_counter() - started)
    process.stdin.close()
    process.wait()
    process.stdout.close()
    return seconds[0], seconds[1]


def main() -> None:
    """Print the medians."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    rows: dict[str, list[tuple[float, float]]] = {"first": [], "beside another": [], "--no-daemon": [], "bare SDK": []}
    with tempfile.TemporaryDirectory() as folder:
        for run in range(runs):
            served = [sys.executable, "-m", "mcp_graphrag", "serve", "--db", str(Path(folder, f"{run}.duckdb"))]
            rows["first"].append(answered_after(served))
            rows["beside another"].append(answered_after(served))
            rows["--no-daemon"].append(
                answered_after([*served[:-1], str(Path(folder, f"{run}a.duckdb")), "--no-daemon"])
            )
            rows["bare SDK"].append(answered_after([sys.executable, "-c", BARE]))
    for name, seconds in rows.items():
        probe, call = (statistics.median(row[at] for row in seconds) for at in (0, 1))
        print(f"{name:20s} first answer {probe:5.2f} s   first call {call:5.2f} s   (median of {runs})")


if __name__ == "__main__":
    main()
