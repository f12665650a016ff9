"""Serving over stdin and stdout: survives signals, closed pipes and a parent that died."""

import logging
import os
import signal
import sys
from collections.abc import Callable

import anyio
from mcp.server.stdio import stdio_server

from mcp_graphrag.server.app import App, create_server, opened
from mcp_graphrag.server.sdk import lifespan, lowlevel, serve_streams

log = logging.getLogger(__name__)
WATCH_SECONDS = 2.0


async def run_stdio(app: App) -> None:
    """Serve one client until it closes stdin, a signal comes, or the parent process is gone.

    Ends the process itself when it was stopped from outside: a thread that waits for stdin cannot be ended otherwise.
    """
    server = lowlevel(create_server(app))
    stopped = False
    async with stdio_server() as (read, write), anyio.create_task_group() as tasks:

        def stop() -> None:
            nonlocal stopped
            stopped = True
            tasks.cancel_scope.cancel()

        if sys.platform != "win32":
            tasks.start_soon(_stop_on_signal, stop)
            tasks.start_soon(_stop_without_parent, stop)
        try:
            async with opened(app), lifespan(server) as state:
                await serve_streams(server, read, write, state)
        finally:
            if stopped:
                log.info("stopped")
                sys.stderr.flush()
                os._exit(0)
        tasks.cancel_scope.cancel()


async def _stop_on_signal(stop: Callable[[], None]) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            stop()


async def _stop_without_parent(stop: Callable[[], None]) -> None:
    parent = os.getppid()
    while os.getppid() == parent:
        await anyio.sleep(WATCH_SECONDS)
    stop()
