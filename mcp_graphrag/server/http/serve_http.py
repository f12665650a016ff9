"""Serving streamable HTTP: both protocol eras at one address, for clients that read and write and those that only read.

Stopping it is graceful: no new connection is taken, streams end, and calls under way are answered.
"""

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from types import FrameType

import anyio
import anyio.to_thread
import uvicorn
from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.types import ASGIApp

from mcp_graphrag.server.app import create_server, running
from mcp_graphrag.server.context import App
from mcp_graphrag.server.graph_server import GraphServer
from mcp_graphrag.server.http.http_access import Access, Listener, Tokens
from mcp_graphrag.server.http.http_connection import BoundedConnection
from mcp_graphrag.server.http.http_gate import CheckedBodies, Gate, Route, one_graph
from mcp_graphrag.server.sdk import SessionManager, lowlevel

STOP_SECONDS = 10
MAX_SESSIONS = 1000
TO_WRITE = "connect with the read-write token"


async def serve_http(app: App, listener: Listener, announce: Callable[[], None] = lambda: None) -> None:
    """Serve HTTP until SIGINT or SIGTERM (on Windows Ctrl-C or Ctrl-Break), then close the file.

    `announce` is called when a signal would end it so.
    """
    stop = anyio.Event()

    async def end_jobs() -> None:
        await stop.wait()
        # Calls that wait for a job are answered when it has been interrupted.
        await anyio.to_thread.run_sync(app.background.stop)

    async with running(app), anyio.create_task_group() as tasks:
        tasks.start_soon(end_jobs)
        with on_signal(stop.set):
            announce()
            await run_http(app, listener, stop)


async def run_http(app: App, listener: Listener, stop: anyio.Event) -> None:
    """Serve HTTP until `stop` is set or the task is cancelled, then for as long as calls run, at most STOP_SECONDS.

    The app is one that somebody keeps `running`.
    """
    await run_servers(servers_of(app, listener.tokens), listener, stop)


def servers_of(app: App, tokens: Tokens) -> Mapping[Access, GraphServer]:
    """The servers of an app, one for each kind of access that the tokens give."""
    servers: dict[Access, GraphServer] = {}
    if tokens.read_write or not tokens.required:
        servers["read-write"] = create_server(app)
    if tokens.read_only:
        names = app.names if app.names.read_only else app.names.without_writing(TO_WRITE)
        servers["read-only"] = create_server(replace(app, names=names))
    return servers


async def run_servers(servers: Mapping[Access, GraphServer], listener: Listener, stop: anyio.Event) -> None:
    """Serve these servers as `run_http` does, each to the clients with that access."""
    async with handlers(servers, listener) as found:
        await run_routed(one_graph(found, listener.tokens), listener, stop)


@asynccontextmanager
async def handlers(
    servers: Mapping[Access, GraphServer], listener: Listener
) -> AsyncGenerator[Mapping[Access, ASGIApp]]:
    """What answers the requests to each server, for the block."""
    found: dict[Access, ASGIApp] = {}
    async with AsyncExitStack() as stack:
        for access, server in servers.items():
            manager = SessionManager(
                lowlevel(server),
                security_settings=listener.security,
                max_request_body_size=listener.max_bytes,
                max_sessions=MAX_SESSIONS,
            )
            await stack.enter_async_context(manager.run())
            found[access] = RequestBodyLimitMiddleware(CheckedBodies(manager.handle_request), listener.max_bytes)
        yield found


async def run_routed(route: Route, listener: Listener, stop: anyio.Event) -> None:
    """Answer requests as `run_http` does, each by what the route leads to."""
    stopping = anyio.Event()
    web = _Web(
        uvicorn.Config(
            Gate(route, listener, stopping),
            http=BoundedConnection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=STOP_SECONDS,
        )
    )

    async def end() -> None:
        try:
            await stop.wait()
        finally:
            stopping.set()
            web.should_exit = True

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(end)
        with anyio.CancelScope(shield=True):  # `end` hears of a cancellation, and the calls under way do not
            await web.serve(sockets=[listener.socket])
        tasks.cancel_scope.cancel()


class _Web(uvicorn.Server):
    """A web server that leaves the signals to its caller."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Do nothing."""
        yield


@contextmanager
def on_signal(stop: Callable[[], None]) -> Generator[None]:
    """Call `stop` in the event loop when the process is asked to end."""
    loop = asyncio.get_running_loop()

    def handle(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(stop)

    names = ("SIGINT", "SIGBREAK") if sys.platform == "win32" else ("SIGINT", "SIGTERM")
    before = {number: signal.signal(number, handle) for number in (getattr(signal, name) for name in names)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
