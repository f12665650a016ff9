"""The file that a process owns: the app of the process, those of its clients over the one store, and their commands."""

import json
import logging
import threading
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread

from mcp_graphrag.errors import GraphragError
from mcp_graphrag.graph import Graph
from mcp_graphrag.relay.hello import Hello, settings_from_json
from mcp_graphrag.server.app import add_tools, create_server, running
from mcp_graphrag.server.call_by_name import answer_as_json, error_as_json, run_by_name
from mcp_graphrag.server.commands import CALLABLE
from mcp_graphrag.server.context import ALL_TOKENS, App, Call
from mcp_graphrag.server.graph_server import GraphServer
from mcp_graphrag.server.line_connection import LineStream
from mcp_graphrag.server.other_graphs import others_of
from mcp_graphrag.server.ownership import Ownership
from mcp_graphrag.server.tools import TOOLS, make_app
from mcp_graphrag.settings import Settings

log = logging.getLogger(__name__)


class OwnedFile:
    """What the owner of a file serves. To import it takes a second, so the owner listens before."""

    reads = tuple(tool.name for tool in TOOLS if tool.reads)

    def __init__(self, settings: Settings, ownership: Ownership) -> None:
        self._ownership = ownership
        self.app = make_app(Graph(settings), ownership=ownership)

    def running(self) -> AbstractAsyncContextManager[App]:
        """The app of the process at work for a block."""
        return running(self.app)

    def client_app(self, hello: Hello) -> App:
        """The app of a client: its own settings over the one store. Raises GraphragError for those that do not fit."""
        settings = settings_from_json(hello.settings, hello.origins)
        graph = Graph(settings, shares=self.app.graph)
        if not settings.read_only:
            self.app.graph.store.allow_writing()
        return make_app(
            graph, background=self.app.background, ownership=self._ownership, as_commands=hello.role == "cli"
        )

    def ingest_edits(self, hello: Hello, root: Path, paths: Sequence[str]) -> None:
        """Ingest files below a root that a host has edited, after the caller has gone on."""
        try:
            self.app.background.ingest_edits(self.client_app(hello).graph, root, [Path(path) for path in paths])
        except GraphragError as error:
            log.warning("edits: %s", error.fact)

    def create_server(self, app: App, client: str) -> GraphServer:
        """The MCP server of a client."""
        return create_server(app, client, others_of(app.graph.settings))

    def add_tools(self, server: GraphServer, hello: Hello) -> None:
        """Give the server of a client its tools. Raises GraphragError for settings that do not fit."""
        app = self.client_app(hello)
        add_tools(server, app, hello.client, others_of(app.graph.settings))

    @staticmethod
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

        limits: dict[str, Any] = {"tokens": ALL_TOKENS, "time_limit": None, "client": "cli"}
        if asked.get("limits"):  # it came over MCP, to another server
            limits, app = asked["limits"], replace(app, names=replace(app.names, as_commands=False))
        call = Call(
            app, limits["tokens"], f"{limits['client']}/{client}", "1", progress, limits["time_limit"],
            stream=stream if asked["streams"] else None, stopped=stopped.is_set,
        )  # fmt: skip
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stop_when_gone)
            tasks.start_soon(stop_when_ending)
            try:
                answer = await anyio.to_thread.run_sync(run_by_name, tool, call, asked["arguments"])
                last = answer_as_json(answer)
            except GraphragError as error:
                last = {"error": error_as_json(error)}
            await lines.send(json.dumps(last).encode() + b"\n")
            tasks.cancel_scope.cancel()

    def landed(self, hello: Hello) -> dict[str, str]:
        """What was stored of each call whose answer was lost, "" for nothing."""
        return {each.request: self._said_of(hello.client, each.request, each.since) for each in hello.lost}

    def _said_of(self, client: str, request: str, since: str) -> str:
        operations = self.app.graph.operations_of(client, request, datetime.fromisoformat(since))
        if not operations:
            return ""
        ids = ", ".join(str(operation) for operation, _ in operations)
        if operations[0][1] == "ingest":
            return f"Part of it or all is stored (operation {ids}); the same call again does the rest."
        return f"It is stored (operation {ids}): do not call again."
