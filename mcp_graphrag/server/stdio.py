"""Serving over stdin and stdout: survives signals, closed pipes and a parent that died."""

import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from io import FileIO
from typing import cast

import anyio
import anyio.to_thread
from anyio.abc import ByteStream
from mcp.os.win32.utilities import rebind_std_handle_to_fd

from mcp_graphrag.server.app import App, create_server, running
from mcp_graphrag.server.line_connection import Connection, LineStream
from mcp_graphrag.server.other_graphs import others_of
from mcp_graphrag.server.sdk import lifespan, lowlevel

log = logging.getLogger(__name__)
WATCH_SECONDS = 2.0
CHUNK_BYTES = 65_536


async def run_stdio(app: App) -> None:
    """Serve one client until it closes stdin or stdout, a signal comes, or the parent process is gone.

    Ends the process itself: a thread that waits for stdin, works on a call or embeds cannot be ended otherwise.
    """
    server = lowlevel(create_server(app, others=others_of(app.graph.settings)))
    stopped = False
    async with anyio.create_task_group() as tasks:

        def stop() -> None:
            nonlocal stopped
            stopped = True
            tasks.cancel_scope.cancel()

        if sys.platform != "win32":
            tasks.start_soon(_stop_on_signal, stop)
            tasks.start_soon(_stop_without_parent, stop)
        try:
            async with running(app), lifespan(server) as state:
                await Connection(LineStream(_Pipes()), anyio.Event()).serve(server, state)
            stopped = True
        except* anyio.BrokenResourceError:
            stopped = True  # nobody listens any more
        finally:
            if stopped:
                log.info("stopped")
                sys.stderr.flush()
                os._exit(0)


class _Pipes(ByteStream):
    """The client's pipes under descriptors of their own.

    Tools and children that read stdin find its end; what they write to stdout is found on stderr.
    """

    def __init__(self) -> None:
        self._stdin = _claim(0, "rb", os.open(os.devnull, os.O_RDONLY))
        self._stdout = _claim(1, "wb", _stderr())

    async def receive(self, max_bytes: int = CHUNK_BYTES) -> bytes:
        """The next bytes from the client."""
        chunk = await anyio.to_thread.run_sync(self._stdin.read, max_bytes, abandon_on_cancel=True)
        if not chunk:
            raise anyio.EndOfStream
        return chunk

    async def send(self, item: bytes) -> None:
        """Send bytes to the client. Raises BrokenResourceError where it does not read any more."""
        await anyio.to_thread.run_sync(self._write, item, abandon_on_cancel=True)  # the pipe may be full for good

    def _write(self, item: bytes) -> None:
        left = memoryview(item)
        try:
            while left:
                left = left[self._stdout.write(left) :]
        except OSError as error:
            raise anyio.BrokenResourceError from error

    async def send_eof(self) -> None:
        """Do nothing: the process ends soon."""

    async def aclose(self) -> None:
        """Do nothing: the process ends soon."""


def _stderr() -> int:
    try:
        return os.dup(2)
    except OSError:  # it is closed
        return os.open(os.devnull, os.O_WRONLY)


def _claim(descriptor: int, mode: str, instead: int) -> FileIO:
    """A standard stream under another descriptor, and `instead` under its own."""
    private = os.fdopen(os.dup(descriptor), mode, buffering=0, closefd=False)
    os.dup2(instead, descriptor)
    os.close(instead)
    with suppress(OSError):
        rebind_std_handle_to_fd(descriptor)  # what children inherit on Windows
    return cast("FileIO", private)


async def _stop_on_signal(stop: Callable[[], None]) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            stop()


async def _stop_without_parent(stop: Callable[[], None]) -> None:
    parent = os.getppid()
    while os.getppid() == parent:
        await anyio.sleep(WATCH_SECONDS)
    stop()
