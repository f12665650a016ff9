"""The file that a process owns: the app of the process, and those of its clients over the one store."""

from contextlib import AbstractAsyncContextManager
from datetime import datetime

import anyio

from mcp_graphrag.graph import Graph
from mcp_graphrag.relay.hello import Hello, settings_from_json
from mcp_graphrag.server.app import add_tools, create_server, running
from mcp_graphrag.server.commands.serve_command_line import serve_command
from mcp_graphrag.server.context import App
from mcp_graphrag.server.graph_server import GraphServer
from mcp_graphrag.server.line_connection import LineStream
from mcp_graphrag.server.ownership import Ownership
from mcp_graphrag.server.tools import TOOLS, make_app
from mcp_graphrag.settings import Settings


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

    def create_server(self, app: App, client: str) -> GraphServer:
        """The MCP server of a client."""
        return create_server(app, client)

    def add_tools(self, server: GraphServer, hello: Hello) -> None:
        """Give the server of a client its tools. Raises GraphragError for settings that do not fit."""
        add_tools(server, self.client_app(hello), hello.client)

    async def serve_command(self, app: App, client: str, lines: LineStream, ending: anyio.Event) -> None:
        """Run the one command of a client."""
        await serve_command(app, client, lines, ending)

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
