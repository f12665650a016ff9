"""Start to first answer over stdio: python tests/bench/start.py [RUNS] [FILE [ENTITY]]

Starts `mcp-graphrag serve` RUNS times (default 15) and prints the seconds until the answers of `server/discover` and
of a first `brief`, or `get_neighbourhood` of ENTITY: as the first server of a new file (or of FILE), beside
another server of it, and alone with --no-daemon; beside those of the bare SDK with one empty tool. The four take turns,
and all of them start from bytecode, as an installed package does. Of a large FILE the first run saves the indexes.
"""

import json
import os
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
def brief() -> str:
    "Nothing."
    return ""
server.run()
"""


def answered_after(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """Seconds until the answer of the probe and until that of the first call."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    )
    assert process.stdin is not None
    assert process.stdout is not None
    seconds: list[float] = []
    call: dict[str, object] = {"name": "brief", "arguments": {}}
    if len(sys.argv) > 3 and BARE not in command:
        call = {"name": "get_neighbourhood", "arguments": {"entity": sys.argv[3]}}
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
    """Print the medians: of the seconds, and of each run's ratio to the bare SDK."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    rows: dict[str, list[tuple[float, float]]] = {"first": [], "beside another": [], "--no-daemon": [], "bare SDK": []}
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder, "bytecode"))
        for run in range(-1, runs):  # the first run writes the bytecode
            db = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(folder, f"{run}.duckdb")
            served = [sys.executable, "-m", "mcp_graphrag", "serve", "--linger", "1", "--db", str(db)]
            commands = [served, served, [*served, "--no-daemon"], [sys.executable, "-c", BARE]]
            for name, command in zip(rows, commands, strict=True):
                if name == "--no-daemon":
                    time.sleep(2)  # until the owner has ended
                seconds = answered_after(command, environment)
                if run >= 0:
                    rows[name].append(seconds)
    medians = {name: [statistics.median(row[at] for row in seconds) for at in (0, 1)] for name, seconds in rows.items()}
    for name, (probe, call) in medians.items():
        ratio = statistics.median(row[0] / bare[0] for row, bare in zip(rows[name], rows["bare SDK"], strict=True))
        called = statistics.median(row[1] / bare[1] for row, bare in zip(rows[name], rows["bare SDK"], strict=True))
        first, then = f"first answer {probe:5.2f} s ({ratio:.2f} x bare)", f"first call {call:5.2f} s ({called:.2f} x)"
        print(f"{name:20s} {first}   {then}   (of {runs})")


if __name__ == "__main__":
    main()
