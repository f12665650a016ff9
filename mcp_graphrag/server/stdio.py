"""Serving over stdin and stdout: survives signals, closed pipes and a parent that died."""

import io
import logging
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable
from typing import BinaryIO

import anyio
import anyio.to_thread
from mcp.server.stdio import stdio_server

from mcp_graphrag.server.app import App, create_server, running
from mcp_graphrag.server.sdk import frames_of, lifespan, lowlevel, serve_streams

log = logging.getLogger(__name__)
WATCH_SECONDS = 2.0
CHUNK_BYTES = 65_536


async def run_stdio(app: App) -> None:
    """Serve one client until it closes stdin, a signal comes, or the parent process is gone.

    Ends the process itself when it was stopped from outside: a thread that waits for stdin cannot be ended otherwise.
    """
    server = lowlevel(create_server(app))
    stopped = False
    chunks = _chunks(_claim_stdin())
    # The SDK's reader holds lines of any length and drops what it cannot parse: it is given an empty stream.
    async with stdio_server(anyio.wrap_file(io.StringIO())) as (_, write), anyio.create_task_group() as tasks:

        def stop() -> None:
            nonlocal stopped
            stopped = True
            tasks.cancel_scope.cancel()

        if sys.platform != "win32":
            tasks.start_soon(_stop_on_signal, stop)
            tasks.start_soon(_stop_without_parent, stop)
        try:
            async with running(app), lifespan(server) as state:
                await serve_streams(server, frames_of(chunks, write), write, state)
        finally:
            if stopped:
                log.info("stopped")
                sys.stderr.flush()
                os._exit(0)
        tasks.cancel_scope.cancel()


def _claim_stdin() -> BinaryIO:
    """The client's bytes under a descriptor of their own; tools and children that read stdin find its end."""
    private = os.fdopen(os.dup(0), "rb", buffering=0, closefd=False)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    return private


async def _chunks(stdin: BinaryIO) -> AsyncGenerator[bytes]:
    while chunk := await anyio.to_thread.run_sync(stdin.read, CHUNK_BYTES, abandon_on_cancel=True):
        yield chunk


async def _stop_on_signal(stop: Callable[[], None]) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            stop()


async def _stop_without_parent(stop: Callable[[], None]) -> None:
    parent = os.getppid()
    while os.getppid() == parent:
        await anyio.sleep(WATCH_SECONDS)
    stop()
