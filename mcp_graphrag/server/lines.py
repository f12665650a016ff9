"""A connection of lines, each a JSON-RPC message, as the streams that the SDK serves."""

import json
from collections import deque
from contextlib import suppress
from typing import Any

import anyio
from anyio.abc import ByteStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp.types import (
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from mcp_graphrag.relay.hello import GOODBYE
from mcp_graphrag.server.frames import LineBuffer, Refusal, read_frame
from mcp_graphrag.server.sdk import create_context_streams, serve_streams

FINISH_SECONDS = 30.0


class LineStream:
    """Lines over a byte stream. Raises EndOfStream at its end."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._buffer = LineBuffer()
        self._lines: deque[bytes | Refusal] = deque()
        self._sending = anyio.Lock()

    async def receive(self) -> bytes | Refusal:
        """The next line without its end, or the refusal of one that is too long."""
        while not self._lines:
            self._lines.extend(self._buffer.feed(await self._stream.receive()))
        return self._lines.popleft()

    async def receive_json(self) -> Any:
        """The JSON of the next line. Raises ValueError if it is none."""
        line = await self.receive()
        if isinstance(line, Refusal):
            raise ValueError(line.message)
        return json.loads(line)

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
            line = None
            with receiving, suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
                line = await lines.receive()
            if line is None:
                break
            frame = read_frame(line) if isinstance(line, bytes) else line
            if isinstance(frame, Refusal):
                await out_send.send(SessionMessage(frame.answer))
            elif frame is not None:
                calls.note(frame)
                await in_send.send(SessionMessage(frame))
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
