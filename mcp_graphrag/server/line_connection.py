"""A connection of lines, each a JSON-RPC message, as the streams that the SDK serves."""

import json
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

import anyio
from anyio.abc import ByteStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from mcp_graphrag.relay.hello import GOODBYE
from mcp_graphrag.relay.open_requests import LAST_ANSWERS_SECONDS, UNFINISHED, Request
from mcp_graphrag.server.frames import LineBuffer, Refusal, read_frame
from mcp_graphrag.server.sdk import LISTEN, create_context_streams, serve_streams

FINISH_SECONDS = 30.0  # when the owner ends; what is not answered then is for the next one
LAST_WORDS_SECONDS = 2.0  # for a client that may not read any more
HANDSHAKE = frozenset({"server/discover", "initialize", "notifications/initialized", "ping"})


class LineStream:
    """Lines over a byte stream. Raises EndOfStream at its end."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._buffer = LineBuffer()
        self._lines: deque[bytes | Refusal] = deque()
        self._sending = anyio.Lock()

    async def receive(self) -> bytes | Refusal:
        """The next line without its end, or the refusal of one that is too long. The last one may have no end."""
        while not self._lines:
            try:
                self._lines.extend(self._buffer.feed(await self._stream.receive()))
            except anyio.EndOfStream:
                self._lines.extend(self._buffer.end())
                if not self._lines:
                    raise
        return self._lines.popleft()

    async def receive_json(self) -> Any:
        """The JSON of the next line. Raises ValueError if it is none."""
        line = await self.receive()
        if isinstance(line, Refusal):
            raise ValueError(line.message)  # noqa: TRY004  (as json.loads does)
        return json.loads(line)

    async def send(self, line: bytes) -> None:
        """Send a line, with its end."""
        async with self._sending:
            await self._stream.send(line)


def is_handshake(frame: object) -> bool:
    """Whether a message is one of those that open a connection."""
    return isinstance(frame, JSONRPCRequest | JSONRPCNotification) and frame.method in HANDSHAKE


class OpenCalls:
    """The requests of a connection that are not answered yet, but for those that last as long as it does."""

    def __init__(self) -> None:
        self._open: dict[Any, JSONRPCRequest] = {}
        self._given_up = frozenset[Any]()
        self._changed = anyio.Event()

    def note(self, message: object) -> None:
        """Note what was received or sent."""
        if isinstance(message, JSONRPCRequest):
            if message.method != LISTEN:
                self._open[message.id] = message
            return
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._open.pop(message.id, None)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._open.pop((message.params or {}).get("requestId"), None)
        self._changed.set()
        self._changed = anyio.Event()

    async def wait(self) -> None:
        """Wait until all are answered."""
        while self._open:
            await self._changed.wait()

    def give_up(self) -> Sequence[JSONRPCRequest]:
        """Those that are answered otherwise from now on."""
        self._given_up = frozenset(self._open)
        return list(self._open.values())

    def is_given_up(self, message: object) -> bool:
        """Whether a message answers one that was given up."""
        return isinstance(message, JSONRPCResponse | JSONRPCError) and message.id in self._given_up


class Connection:
    """One client on a stream of lines, served as MCP until it ends the stream.

    Requests under way are answered first, within LAST_ANSWERS_SECONDS. From `ending` on nothing more is read; what was
    read is answered within FINISH_SECONDS, then the client is told. `prepare` makes the server ready for more than a
    handshake: it is awaited before the first other message.
    """

    def __init__(
        self, lines: LineStream, ending: anyio.Event, prepare: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._lines = lines
        self._ending = ending
        self._prepare = prepare
        self._calls = OpenCalls()
        self._all_sent = anyio.Event()
        self._receiving = anyio.CancelScope()
        self._received, self._to_serve = create_context_streams[SessionMessage | Exception](0)
        self._answers, self._to_send = create_context_streams[SessionMessage](0)

    async def serve(self, server: Server[Any], state: Any) -> None:
        """Serve it."""
        async with self._to_serve, self._to_send, anyio.create_task_group() as tasks:
            for task in (self._receive, self._send, self._stop_receiving):
                tasks.start_soon(task)
            await serve_streams(server, self._to_serve, self._answers, state)
            with anyio.move_on_after(LAST_WORDS_SECONDS):
                await self._all_sent.wait()
            tasks.cancel_scope.cancel()

    async def _receive(self) -> None:
        while (line := await self._next_line()) is not None:
            frame = read_frame(line) if isinstance(line, bytes) else line
            if isinstance(frame, Refusal):
                await self._write(frame.answer)
            elif frame is not None:
                self._calls.note(frame)
                if self._prepare is not None and not is_handshake(frame):
                    await self._prepare()
                    self._prepare = None
                await self._received.send(SessionMessage(frame))
        await self._finish()
        await self._received.aclose()

    async def _finish(self) -> None:
        """Wait for the answers to what was read."""
        is_ending = self._ending.is_set()
        with anyio.move_on_after(FINISH_SECONDS if is_ending else LAST_ANSWERS_SECONDS):
            await self._calls.wait()
        if is_ending:
            await self._lines.send(GOODBYE)
            return
        # The SDK would answer "Connection closed" for a call that goes on in its thread.
        with anyio.move_on_after(LAST_WORDS_SECONDS):
            for request in self._calls.give_up():
                frame = request.model_dump(by_alias=True, exclude_unset=True)
                await self._lines.send(Request(b"", frame).failed(UNFINISHED))

    async def _next_line(self) -> bytes | Refusal | None:
        """The next line, None where there is none or none is read any more."""
        with self._receiving, suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return await self._lines.receive()
        return None

    async def _send(self) -> None:
        async for sent in self._to_send:
            if self._calls.is_given_up(sent.message):
                continue
            await self._write(sent.message)
            self._calls.note(sent.message)
        self._all_sent.set()

    async def _write(self, message: JSONRPCMessage) -> None:
        await self._lines.send(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")

    async def _stop_receiving(self) -> None:
        await self._ending.wait()
        self._receiving.cancel()
