"""The body of a POST: bounded before it is parsed, as a line of stdio is, and refused with the same words."""

from mcp.types import INVALID_REQUEST, JSONRPCMessage
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mcp_graphrag.server.frames import Refusal, read_frame

NO_MESSAGE = Refusal(None, INVALID_REQUEST, "The body is no JSON-RPC message. Send one message in each request.")


class CheckedBodies:
    """The ASGI app in front of an MCP server, behind one that hands over each body as a whole."""

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
