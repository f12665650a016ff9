"""What every HTTP request passes: Host and Origin, the bearer token, the access log, and the check of its body."""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import anyio
from mcp.server.transport_security import TransportSecurityMiddleware
from mcp.types import INVALID_REQUEST, JSONRPCMessage
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_graphrag.server.frames import Refusal, read_frame
from mcp_graphrag.server.http.http_access import PATH, Access, Listener, Tokens
from mcp_graphrag.server.sdk import LISTEN

log = logging.getLogger(__name__)
HEALTH = "/healthz"
NO_MESSAGE = Refusal(None, INVALID_REQUEST, "The body is no JSON-RPC message. Send one message in each request.")


@dataclass
class Exchange:
    """One request with its response as far as it was sent."""

    scope: Scope
    receive: Receive
    send: Send
    status: int = 0
    complete: bool = False
    access: str = "-"

    async def sent(self, message: Message) -> None:
        """Send a part of the response."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif message["type"] == "http.response.body":
            self.complete = not message.get("more_body", False)
        await self.send(message)

    async def respond(self, app: ASGIApp) -> None:
        """Have an app respond."""
        await app(self.scope, self.receive, self.sent)


# Of a path and an Authorization header: None without a token that opens something, else the access and what serves it.
Route = Callable[[str, str], "tuple[Access, ASGIApp | None] | None"]


def one_graph(servers: Mapping[Access, ASGIApp], tokens: Tokens) -> Route:
    """The route to the servers of one graph, one for each kind of access."""

    def route(path: str, authorization: str) -> tuple[Access, ASGIApp | None] | None:
        access = tokens.access(authorization)
        return access and (access, servers[access] if path == PATH else None)

    return route


class Gate:
    """The ASGI app in front of the MCP servers."""

    def __init__(self, route: Route, listener: Listener, stopping: anyio.Event) -> None:
        self._route = route
        self._security = TransportSecurityMiddleware(listener.security)
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        # Names of hosts have no case, and what checks them compares them as they are.
        headers = [(name, value.lower() if name == b"host" else value) for name, value in scope["headers"]]
        exchange = Exchange({**scope, "headers": headers}, receive, send)
        started = time.perf_counter()
        try:
            await self._answer(exchange)
        finally:
            # Neither query nor body, and no path of the client's invention: it may hold anything.
            path = scope["path"] if scope["path"] in {PATH, HEALTH} else "other"  # as of one graph of several
            spent = (time.perf_counter() - started) * 1000
            client = (scope.get("client") or ("-",))[0]
            log.info("%s %s %s %s %d %.0f ms", client, scope["method"], path, exchange.access, exchange.status, spent)

    async def _answer(self, exchange: Exchange) -> None:
        request = Request(exchange.scope)
        if request.url.path == HEALTH:  # probes come by address, and learn nothing of the graph
            return await exchange.respond(self._health(request.method))
        if refused := await self._security.validate_request(request):
            return await exchange.respond(refused)
        found = self._route(request.url.path, request.headers.get("authorization", ""))
        if found is None:
            return await exchange.respond(_unauthorized())
        exchange.access, server = found
        if server is None:
            return await exchange.respond(Response("Not found", status_code=404))
        if request.method == "GET" or request.headers.get("mcp-method") == LISTEN:
            return await self._stream(exchange, server)
        return await exchange.respond(server)

    def _health(self, method: str) -> Response:
        if method not in {"GET", "HEAD"}:
            return Response(status_code=405, headers={"Allow": "GET, HEAD"})
        if self._stopping.is_set():
            return JSONResponse({"status": "stopping"}, 503)
        return JSONResponse({"status": "ok"})

    async def _stream(self, exchange: Exchange, server: ASGIApp) -> None:
        """Answer until the server stops: no client ends such a stream while it has no reason to."""

        async def end() -> None:
            await self._stopping.wait()
            tasks.cancel_scope.cancel()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(end)
            await exchange.respond(server)
            tasks.cancel_scope.cancel()
        if not exchange.status:
            await exchange.respond(Response("Stopping", status_code=503))
        elif not exchange.complete:
            await exchange.sent({"type": "http.response.body", "body": b""})


def _unauthorized() -> Response:
    body = {"error": "invalid_token", "error_description": "A bearer token of this server is needed."}
    return JSONResponse(body, 401, {"WWW-Authenticate": 'Bearer error="invalid_token"'})


class CheckedBodies:
    """The ASGI app in front of an MCP server, behind one that hands over each body as a whole.

    A body is bounded before it is parsed, as a line of stdio is, and refused with the same words.
    """

    def __init__(self, server: ASGIApp) -> None:
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a body that is no message; pass on any other, in valid Unicode."""
        if scope["method"] != "POST":
            return await self._server(scope, receive, send)
        given = await receive()
        if given["type"] != "http.request" or given.get("more_body", False):  # the client went away
            return await self._server(scope, receive, send)
        frame = read_frame(given["body"]) or NO_MESSAGE
        if isinstance(frame, Refusal):
            refused = Response(_written(frame.answer), 400, media_type="application/json")
            return await refused(scope, receive, send)
        waiting: list[Message] = [{**given, "body": _written(frame)}]

        async def replayed() -> Message:
            return waiting.pop() if waiting else await receive()

        return await self._server(scope, replayed, send)


def _written(message: JSONRPCMessage) -> bytes:
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode()
