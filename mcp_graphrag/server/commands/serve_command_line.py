"""One command of the command line, run in the process that owns the file."""

import json
import threading
from dataclasses import asdict
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread

from mcp_graphrag.errors import GraphragError
from mcp_graphrag.server.call_by_name import Failure, run_by_name
from mcp_graphrag.server.commands import CALLABLE
from mcp_graphrag.server.context import ALL_TOKENS, App, Call
from mcp_graphrag.server.line_connection import LineStream


async def serve_command(app: App, client: str, lines: LineStream, ending: anyio.Event) -> None:
    """Run the one call in the next line; its progress, a model's words and its answer or error are sent as lines.

    It is told to stop where the client is gone or the owner ends.
    """
    asked = await lines.receive_json()
    tool = CALLABLE[asked["tool"]]
    stopped = threading.Event()

    async def send(**fields: Any) -> None:
        if not stopped.is_set():
            await lines.send(json.dumps(fields).encode() + b"\n")

    def progress(done: float, total: float | None, message: str) -> None:
        anyio.from_thread.run(lambda: send(progress=[done, total, message]))

    def stream(piece: str) -> None:
        anyio.from_thread.run(lambda: send(stream=piece))

    async def stop_when_gone() -> None:
        try:
            await lines.receive()
        except (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            stopped.set()

    async def stop_when_ending() -> None:
        await ending.wait()
        stopped.set()

    call = Call(
        app, ALL_TOKENS, f"cli/{client}", "1", progress, stream=stream if asked["streams"] else None,
        stopped=stopped.is_set,
    )  # fmt: skip
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(stop_when_gone)
        tasks.start_soon(stop_when_ending)
        try:
            answer = await anyio.to_thread.run_sync(run_by_name, tool, call, asked["arguments"])
            last = {"answer": answer.model_dump(mode="json")}
        except GraphragError as error:
            last = {"error": asdict(Failure.of(error))}
        await lines.send(json.dumps(last).encode() + b"\n")
        tasks.cancel_scope.cancel()
