"""The owner of a file: it alone opens it, and serves all its clients from one store and one set of indexes."""

import hmac
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Any

import anyio
import anyio.to_thread
from anyio.abc import SocketListener, SocketStream

import mcp_graphrag
from mcp_graphrag.errors import GraphragError
from mcp_graphrag.graph import Graph
from mcp_graphrag.relay.address import Address, Listed, unlist
from mcp_graphrag.relay.hello import PROTOCOL, SHARED, Hello, Welcome, hello_of, settings_from_json, to_line
from mcp_graphrag.server.app import create_server, running
from mcp_graphrag.server.commands.serve_command_line import serve_command
from mcp_graphrag.server.context import App, Ownership
from mcp_graphrag.server.line_connection import Connection, LineStream
from mcp_graphrag.server.sdk import lifespan, lowlevel
from mcp_graphrag.server.tools import TOOLS, make_app
from mcp_graphrag.settings import Settings

log = logging.getLogger(__name__)
HELLO_SECONDS = 10.0
CHECK_SECONDS = 0.2
MAX_THREADS = 100  # calls at work at once; others wait for their turn


class Owner:
    """Serves the clients of a file. With `lingers` it ends when it has had none for as long as the settings say."""

    def __init__(
        self, settings: Settings, address: Address, listener: socket.socket, listed: Listed, *, lingers: bool = True
    ) -> None:
        self._address = address
        self._listener = listener
        self._token = listed.token
        self._lingers = lingers
        self._ownership = Ownership(os.getpid(), str(address.lock))
        self._ending = anyio.Event()
        self.app = make_app(Graph(settings), ownership=self._ownership)

    async def run(self, beside: Callable[[App, anyio.Event], Coroutine[Any, Any, None]] | None = None) -> None:
        """Serve until nobody needs it, a signal comes or a successor asks; what was begun is answered first.

        `beside` serves other clients from the same app, until the event is set.
        """
        anyio.to_thread.current_default_thread_limiter().total_tokens = MAX_THREADS
        async with running(self.app), anyio.create_task_group() as others:
            async with anyio.create_task_group() as connections:
                others.start_soon(self._end_when_unused)
                others.start_soon(self._end_jobs)
                if beside is not None:
                    connections.start_soon(beside, self.app, self._ending)
                if sys.platform != "win32":
                    others.start_soon(self._end_on_signal)
                async with (
                    await SocketListener.from_socket(self._listener) as listener,
                    anyio.create_task_group() as new,
                ):
                    new.start_soon(listener.serve, self._serve, connections)
                    await self._ending.wait()
                    unlist(self._address)
                    new.cancel_scope.cancel()
            others.cancel_scope.cancel()

    async def _end_when_unused(self) -> None:
        unused_since = anyio.current_time()
        while self._lingers:
            await anyio.sleep(CHECK_SECONDS)
            if self._ownership.clients or self.app.background.busy:
                unused_since = anyio.current_time()
            elif anyio.current_time() - unused_since > self.app.graph.settings.linger:
                self._ending.set()

    async def _end_jobs(self) -> None:
        """Interrupt jobs at the end: calls that wait for them are answered then."""
        await self._ending.wait()
        await anyio.to_thread.run_sync(self.app.background.stop)

    async def _end_on_signal(self) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for _ in signals:
                self._ending.set()

    async def _serve(self, stream: SocketStream) -> None:
        """Serve one connection; what goes wrong in it ends it alone."""
        lines = LineStream(stream)
        try:
            async with stream:
                hello = await self._greeted(lines)
                if hello is not None:
                    await self._serve_role(hello, lines)
        except* (anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            log.info("a client left")
        except* Exception:
            # The other clients must be served on; the traceback is for whoever mends the defect.
            log.exception("a connection failed")

    async def _greeted(self, lines: LineStream) -> Hello | None:
        """The hello of a client that has the token, answered where it is refused."""
        with anyio.move_on_after(HELLO_SECONDS):
            try:
                hello = hello_of(await lines.receive_json())
            except (ValueError, TypeError, KeyError):
                return None
            if not hmac.compare_digest(hello.token.encode(), self._token.encode()):
                return None
            if hello.protocol == PROTOCOL:
                return hello
            fact = f"The file is served by mcp-graphrag {mcp_graphrag.__version__}, which this version cannot use."
            hint = "End the programs that use it, and start this one again."
            await lines.send(to_line(Welcome(fact, hint)))
        return None

    async def _serve_role(self, hello: Hello, lines: LineStream) -> None:
        if hello.role == "successor":
            refused = "" if self._lingers else f"The file is served over HTTP by process {os.getpid()}."
            await lines.send(to_line(self._welcome(hello, error=refused)))
            if not refused:
                self._ending.set()
        elif hello.role == "status":
            await lines.send(to_line(self._welcome(hello)))
        else:
            self._ownership.clients.append(hello.role)
            try:
                await self._serve_client(hello, lines)
            finally:
                self._ownership.clients.remove(hello.role)

    async def _serve_client(self, hello: Hello, lines: LineStream) -> None:
        try:
            app = await anyio.to_thread.run_sync(self._client_app, hello)
            landed = await anyio.to_thread.run_sync(self._landed, hello)
        except GraphragError as error:
            await lines.send(to_line(Welcome(error.fact, error.hint)))
            return
        if hello.role == "cli":
            await lines.send(to_line(self._welcome(hello, landed=landed)))
            await serve_command(app, hello.client, lines, self._ending)
            return
        server = lowlevel(await anyio.to_thread.run_sync(create_server, app, hello.client))
        await lines.send(to_line(self._welcome(hello, landed=landed)))
        async with lifespan(server) as state:
            await Connection(lines, self._ending).serve(server, state)

    def _client_app(self, hello: Hello) -> App:
        """The app of a client: its own settings over the one store."""
        settings = settings_from_json(hello.settings, hello.origins)
        graph = Graph(settings, shares=self.app.graph)
        if not settings.read_only:
            self.app.graph.store.allow_writing()
        return make_app(
            graph, background=self.app.background, ownership=self._ownership, as_commands=hello.role == "cli"
        )

    def _landed(self, hello: Hello) -> dict[str, str]:
        """What was stored of each request whose answer was lost."""
        return {each.request: self._said_of(hello.client, each.request, each.since) for each in hello.lost}

    def _said_of(self, client: str, request: str, since: str) -> str:
        operations = self.app.graph.operations_of(client, request, datetime.fromisoformat(since))
        if not operations:
            return ""
        ids = ", ".join(str(operation) for operation, _ in operations)
        if operations[0][1] == "ingest":
            return f"Part of it or all is stored (operation {ids}); the same call again does the rest."
        return f"It is stored (operation {ids}): do not call again."

    def _welcome(self, hello: Hello, *, error: str = "", landed: dict[str, str] | None = None) -> Welcome:
        ours = self.app.graph.settings
        notes: list[str] = []
        if hello.settings:
            theirs = settings_from_json(hello.settings, {})
            notes = [
                f"The setting {name} is {getattr(ours, name)} in the running server of this file: it was started so."
                for name in SHARED
                if getattr(theirs, name) != getattr(ours, name)
            ]
        if hello.version and hello.version != mcp_graphrag.__version__:
            notes.append(f"The running server of this file is mcp-graphrag {mcp_graphrag.__version__}.")
        owned = self._ownership
        return Welcome(
            error=error,
            pid=owned.pid,
            version=mcp_graphrag.__version__,
            reads=[tool.name for tool in TOOLS if tool.reads],
            landed=landed or {},
            notes=notes,
            status={"uptime": owned.uptime, "clients": list(owned.clients), "lock": owned.lock},
        )
