import os
import signal
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from served import environment, serve_words

from mcp_graphrag import TripleQuery, open_graph

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
CALLS, KILLED_AFTER, CALLERS = 300, 60, 4
# Tells who it is, then becomes the server.
TELL_PID = "import os, runpy, sys; open(sys.argv.pop(1), 'w').write(str(os.getpid())); sys.argv[0] = sys.argv.pop(1)"
BECOME = f"{TELL_PID}; runpy.run_module('mcp_graphrag', run_name='__main__', alter_sys=True)"


def test_nothing_acknowledged_is_lost_when_the_server_is_killed_while_it_writes(tmp_path: Path) -> None:
    db, pid = tmp_path / "graph.duckdb", tmp_path / "pid"
    python, *words = serve_words(db)
    parameters = StdioServerParameters(
        command=python, args=["-c", BECOME, str(pid), *words[1:]], env=environment(), cwd=tmp_path
    )
    acknowledged: list[str] = []

    async def write(client: Any, names: list[str]) -> None:
        for name in names:
            fact = {"subject": name, "predicate": "follows", "object": "Start"}
            try:
                result = await client.call_tool("add_triples", {"triples": [fact]})
            except MCPError:
                return
            assert not result.is_error
            acknowledged.append(name)
            if len(acknowledged) == KILLED_AFTER:
                os.kill(int(pid.read_text(encoding="utf-8")), KILL)

    async def story() -> None:
        async with Client(parameters) as client, anyio.create_task_group() as tasks:
            for caller in range(CALLERS):
                tasks.start_soon(write, client, [f"Step {number}" for number in range(caller, CALLS, CALLERS)])

    anyio.run(story)
    assert KILLED_AFTER <= len(acknowledged) < CALLS
    with open_graph(db) as graph:
        kept = {each.subject for each in graph.query_triples(TripleQuery(limit=CALLS)).triples}
    assert kept >= set(acknowledged)
