"""The owner of a file: it alone opens it, and serves all its clients from one store and one set of indexes.

It answers handshakes before what serves the tools is imported.
"""

import hmac
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_thread
from anyio.abc import SocketListener, SocketStream, TaskStatus

import mcp_graphrag
from mcp_graphrag.errors import GraphragError
from mcp_graphrag.relay.address import Address, Listed, unlist
from mcp_graphrag.relay.hello import PROTOCOL, SHARED, Hello, Welcome, hello_of, settings_from_json, to_line
from mcp_graphrag.server.graph_server import GraphServer, complete_instructions, server_without_tools
from mcp_graphrag.server.line_connection import Connection, LineStream
from mcp_graphrag.server.ownership import Ownership
from mcp_graphrag.server.sdk import lifespan, lowlevel
from mcp_graphrag.settings import Settings

if TYPE_CHECKING:
    from mcp_graphrag.server.context import App
    from mcp_graphrag.server.owned_file import OwnedFile

log = logging.getLogger(__name__)
HELLO_SECONDS = 10.0
CHECK_SECONDS = 0.2
HANDSHAKE_SECONDS = 0.3  # in which nothing else takes the processor from a client's first answer
MAX_THREADS = 100  # calls at work at once; others wait for their turn


class Owner:
    """Serves the clients of a file. With `lingers` it ends when it has had none for as long as the settings say."""

    def __init__(
        self,
        settings: Settings,
        address: Address,
        listener: socket.socket,
        listed: Listed,
        load: "Callable[[Settings, Ownership], OwnedFile]",
        *,
        lingers: bool = True,
    ) -> None:
        self._settings = settings
        self._address = address
        self._listener = listener
        self._token = listed.token
        self._load = load
        self._lingers = lingers
        self._ownership = Ownership(os.getpid(), str(address.lock))
        self._ending = anyio.Event()
        self._wanted = anyio.Event()
        self._loaded = anyio.Event()
        self._file: OwnedFile | None = None

    async def run(self, beside: "Callable[[App, anyio.Event], Coroutine[Any, Any, None]] | None" = None) -> None:
        """Serve until nobody needs it, a signal comes or a successor asks; what was begun is answered first.

        `beside` serves other clients from the same app, until the event is set; signals are heard before it is called.
        """
        anyio.to_thread.current_default_thread_limiter().total_tokens = MAX_THREADS
        async with anyio.create_task_group() as others:
            if sys.platform != "win32":
                await others.start(self._end_on_signal)
            others.start_soon(self._run_file)
            async with anyio.create_task_group() as connections:
                others.start_soon(self._end_when_unused)
                others.start_soon(self._end_jobs)
                if beside is not None:
                    connections.start_soon(self._serve_beside, beside)
                async with (
                    await SocketListener.from_socket(self._listener) as listener,
                    anyio.create_task_group() as new,
                ):
                    new.start_soon(listener.serve, self._serve, connections)
                    await self._ending.wait()
                    unlist(self._address)
                    new.cancel_scope.cancel()
            others.cancel_scope.cancel()

    async def _run_file(self) -> None:
        """Load what serves the file when it is wanted, or soon, and keep it at work."""
        with anyio.move_on_after(HANDSHAKE_SECONDS):
            await self._wanted.wait()
        self._file = await anyio.to_thread.run_sync(self._load, self._settings, self._ownership)
        async with self._file.running():
            self._loaded.set()
            await anyio.sleep_forever()

    async def _served(self) -> "OwnedFile":
        """What serves the file, once it is loaded."""
        self._wanted.set()
        await self._loaded.wait()
        assert self._file is not None  # noqa: S101  # a bug, not a caller's error
        return self._file

    async def _serve_beside(self, beside: "Callable[[App, anyio.Event], Coroutine[Any, Any, None]]") -> None:
        file = await self._served()
        await beside(file.app, self._ending)

    async def _end_when_unused(self) -> None:
        file = await self._served()
        unused_since = anyio.current_time()
        while self._lingers:
            await anyio.sleep(CHECK_SECONDS)
            if self._ownership.clients or file.app.background.busy:
                unused_since = anyio.current_time()
            elif anyio.current_time() - unused_since > self._settings.linger:
                self._ending.set()

    async def _end_jobs(self) -> None:
        """Interrupt jobs at the end: calls that wait for them are answered then."""
        await self._ending.wait()
        if self._file is not None:
            await anyio.to_thread.run_sync(self._file.app.background.stop)

    async def _end_on_signal(self, *, task_status: TaskStatus[None]) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            task_status.started()
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
            if not self._lingers:
                fact = f"The file is served over HTTP by process {os.getpid()}."
                await lines.send(to_line(Welcome(fact, "Connect to that server, or end it first.")))
                return
            await lines.send(to_line(self._welcome(hello)))
            self._ending.set()
        elif hello.role == "status":
            await lines.send(to_line(self._welcome(hello)))
        else:
            self._ownership.clients.append(hello.role)
            self._ownership.readers.append(hello.client)
            try:
                await self._serve_client(hello, lines)
            finally:
                self._ownership.clients.remove(hello.role)
                self._ownership.readers.remove(hello.client)

    async def _serve_client(self, hello: Hello, lines: LineStream) -> None:
        if hello.role == "edits":
            await lines.send(to_line(self._welcome(hello)))  # at once: a host waits for its hook
            edits = await lines.receive_json()
            file = await self._served()
            await anyio.to_thread.run_sync(file.ingest_edits, hello, Path(edits["root"]), edits["paths"])
            return
        if self._file is None and hello.role == "mcp" and not hello.lost:
            settings = settings_from_json(hello.settings, hello.origins)
            instructions = complete_instructions(settings)
            if instructions is not None:
                await self._serve_before_loading(hello, lines, server_without_tools(settings, instructions))
                return
        file = await self._served()
        try:
            app = await anyio.to_thread.run_sync(file.client_app, hello)
            landed = await anyio.to_thread.run_sync(file.landed, hello)
        except GraphragError as error:
            await lines.send(to_line(Welcome(error.fact, error.hint)))
            return
        if hello.role == "cli":
            await lines.send(to_line(self._welcome(hello, landed=landed)))
            await file.serve_command(app, hello.client, lines, self._ending)
            return
        server = lowlevel(await anyio.to_thread.run_sync(file.create_server, app, hello.client))
        await lines.send(to_line(self._welcome(hello, landed=landed)))
        async with lifespan(server) as state:
            await Connection(lines, self._ending).serve(server, state)

    async def _serve_before_loading(self, hello: Hello, lines: LineStream, server: GraphServer) -> None:
        """Serve a client whose handshake is answered at once, and whose other requests wait for the tools."""

        async def add_tools() -> None:
            file = await self._served()
            await anyio.to_thread.run_sync(file.add_tools, server, hello)

        await lines.send(to_line(self._welcome(hello)))
        async with lifespan(lowlevel(server)) as state:
            await Connection(lines, self._ending, add_tools).serve(lowlevel(server), state)

    def _welcome(self, hello: Hello, *, landed: dict[str, str] | None = None) -> Welcome:
        ours = self._settings
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
            pid=owned.pid,
            version=mcp_graphrag.__version__,
            reads=self._file.reads if self._file is not None else (),
            landed=landed or {},
            notes=notes,
            status={"uptime": owned.uptime, "clients": list(owned.clients), "lock": owned.lock},
        )
