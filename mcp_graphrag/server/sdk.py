"""The one place that uses names the MCP SDK keeps private, each with a test, so that its bound can widen knowingly."""

import logging
import math
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
from mcp.server import MCPServer
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from mcp.server.runner import serve_dual_era_loop
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared._context_streams import create_context_streams
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest

LISTEN = "subscriptions/listen"  # a request whose answer ends only with the client or the server
CANCELLED_BY_CLOSING = "2026-07-28"  # the first protocol in which closing a connection of HTTP cancels its request

# At INFO it logs what failed with the words of the error, which may quote names, arguments and paths.
logging.getLogger("mcp.server.mcpserver.server").setLevel(logging.WARNING)


def registered_tools(server: MCPServer[Any]) -> list[Tool]:
    """The tools of a server, as objects whose argument model and schema can be tightened."""
    return server._tool_manager.list_tools()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def lowlevel(server: MCPServer[Any]) -> Server[Any]:
    """The protocol server inside."""
    return server._lowlevel_server  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def lifespan(server: Server[Any]) -> AbstractAsyncContextManager[Any]:
    """The server's lifespan, entered by whoever drives it."""
    return server.lifespan(server)


class SessionManager(StreamableHTTPSessionManager):
    """Serves HTTP; at its limit of sessions it ends the one that was idle for the longest, not the newcomer.

    Legacy clients seldom end their sessions, and each counts until it was idle for half an hour.
    """

    def _admit_session(self, requestor: Any) -> StreamableHTTPServerTransport | None:
        if self.max_sessions is not None and len(self._server_instances) >= self.max_sessions:
            scopes = {each: served.idle_scope for each, served in self._server_instances.items()}
            idle = {each: scope for each, scope in scopes.items() if scope and math.isfinite(scope.deadline)}
            if idle:
                longest = min(idle, key=lambda each: idle[each].deadline)
                idle[longest].cancel()
                del self._server_instances[longest]
        return super()._admit_session(requestor)


def client_name(context: Context[Any, Any]) -> str:
    """The name under which the client introduced itself, "" where it did not."""
    parameters = context.session.client_params
    return parameters.client_info.name if parameters is not None else ""


def was_cancelled(context: Context[Any, Any]) -> bool:
    """Whether the client has cancelled the request, whose handler was cancelled; False where the client is gone.

    It says so by a notification; over HTTP, from protocol 2026-07-28 on, by closing the connection of the request.
    """
    if context.headers is not None and (context.protocol_version or "") >= CANCELLED_BY_CLOSING:
        return True
    return context.session._request_outbound.cancel_requested.is_set()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def is_request(message: object, method: str | None = None) -> bool:
    """Whether a frame of the stream is a request, of that method if given."""
    if not isinstance(message, SessionMessage) or not isinstance(message.message, JSONRPCRequest):
        return False
    return method is None or message.message.method == method


async def serve_streams(server: Server[Any], read: Any, write: Any, state: Any) -> None:
    """Serve one connection; its first request other than `server/discover` picks the protocol era.

    A host may probe with `server/discover` and still fall back to `initialize` on the same pipe when it gave up
    waiting; the stock loop takes the probe for the choice and refuses the handshake for good.
    """
    forward_send, forward_receive = create_context_streams[SessionMessage | Exception](0)

    async def feed() -> None:
        async with forward_send:
            opened = False
            async for frame in read:
                if not opened and is_request(frame, "server/discover"):
                    await _answer_probe(server, state, frame, write)
                    continue
                opened = opened or is_request(frame)
                await forward_send.send(frame)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(feed)
        options = server.create_initialization_options()
        await serve_dual_era_loop(server, forward_receive, write, lifespan_state=state, init_options=options)
        tasks.cancel_scope.cancel()


async def _answer_probe(server: Server[Any], state: Any, frame: Any, write: Any) -> None:
    """Answer one probe on a connection of its own that nobody remembers."""
    in_send, in_receive = create_context_streams[SessionMessage | Exception](1)
    out_send, out_receive = create_context_streams[SessionMessage](8)

    async def serve() -> None:
        await serve_dual_era_loop(server, in_receive, out_send, lifespan_state=state)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(serve)
        await in_send.send(frame)
        await write.send(await out_receive.receive())
        await in_send.aclose()
        await out_receive.aclose()
