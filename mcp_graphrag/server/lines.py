"""A connection of lines, each a JSON-RPC message, as the streams that the SDK serves."""

from contextlib import suppress
from typing import Any

import anyio
from anyio.abc import ByteStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp.types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)

from mcp_graphrag.relay.hello import GOODBYE
from mcp_graphrag.server.sdk import create_context_streams, serve_streams

MAX_LINE = 64_000_000  # bytes
FINISH_SECONDS = 30.0


class LineStream:
    """Lines over a byte stream. Raises EndOfStream at its end or where a line is longer than MAX_LINE."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._received = bytearray()
        self._searched = 0
        self._sending = anyio.Lock()

    async def receive(self) -> bytes:
        """The next line, with its end."""
        while (end := self._received.find(b"\n", self._searched)) < 0:
            self._searched = len(self._received)
            if self._searched > MAX_LINE:
                raise anyio.EndOfStream
            self._received += await self._stream.receive()
        line = bytes(self._received[: end + 1])
        del self._received[: end + 1]
        self._searched = 0
        return line

    async def send(self, line: bytes) -> None:
        """Send a line, with its end."""
        async with self._sending:
            await self._stream.send(line)


class OpenCalls:
    """The requests of a connection that are not answered yet."""

    def __init__(self) -> None:
        self._ids: set[Any] = set()
        self._changed = anyio.Event()

    def note(self, message: object) -> None:
        """Note what was received or sent."""
        if isinstance(message, JSONRPCRequest):
            self._ids.add(message.id)
            return
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._ids.discard(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._ids.discard((message.params or {}).get("requestId"))
        self._changed.set()
        self._changed = anyio.Event()

    async def wait(self) -> None:
        """Wait until all are answered."""
        while self._ids:
            await self._changed.wait()


async def serve_lines(server: Server[Any], lines: LineStream, state: Any, ending: anyio.Event) -> None:
    """Serve a connection until its client ends it.

    From `ending` on nothing more is read; what was read is answered within FINISH_SECONDS, then the client is told.
    """
    in_send, in_receive = create_context_streams[SessionMessage | Exception](0)
    out_send, out_receive = create_context_streams[SessionMessage](0)
    calls = OpenCalls()
    receiving = anyio.CancelScope()

    async def receive() -> None:
        while True:
            line = b""
            with receiving, suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                line = await lines.receive()
            if not line:
                break
            message = message_of(line)
            calls.note(message)
            await in_send.send(message if isinstance(message, Exception) else SessionMessage(message))
        if ending.is_set():
            with anyio.move_on_after(FINISH_SECONDS):
                await calls.wait()
            await lines.send(GOODBYE)
        await in_send.aclose()

    async def send() -> None:
        async for sent in out_receive:
            text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
            await lines.send(text.encode() + b"\n")
            calls.note(sent.message)

    async def end() -> None:
        await ending.wait()
        receiving.cancel()

    async with anyio.create_task_group() as tasks:
        for task in (receive, send, end):
            tasks.start_soon(task)
        await serve_streams(server, in_receive, out_send, state)
        tasks.cancel_scope.cancel()


def message_of(line: bytes) -> JSONRPCMessage | Exception:
    """The message in a line, or what is wrong with it, which the server reports."""
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError as error:
        return error
