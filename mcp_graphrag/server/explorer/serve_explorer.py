"""The explorer over HTTP on loopback: the files of its page to anybody there, what is in the graph with the token."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import anyio
import anyio.to_thread
from mcp.server.transport_security import RequestBodyLimitMiddleware
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from mcp_graphrag.drawing.layout import lay_out
from mcp_graphrag.errors import BadInput, Defect, NotAllowed, as_graphrag_error
from mcp_graphrag.server.budget import wire
from mcp_graphrag.server.call_by_name import checked_arguments
from mcp_graphrag.server.commands import CALLABLE, EXPLORE
from mcp_graphrag.server.declaration import Tool
from mcp_graphrag.server.explorer_page.page_files import page_file
from mcp_graphrag.server.http.http_access import Access, Listener
from mcp_graphrag.server.http.serve_http import on_signal, run_routed
from mcp_graphrag.server.records import Answer

API = "/api/"
READS = (
    "search", "find_entities", "get_neighbourhood", "find_paths", "trace_impact", "query_graph", "review", "get_source",
    "history",
)  # fmt: skip
WRITES = ("resolve", "merge", "rebuild_communities")
MAX_NODES = 2_000  # drawn at once
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
Ask = Callable[[Tool, Mapping[str, Any]], Answer]


@dataclass(frozen=True)
class Explorer:
    """What the page may ask: `ask` has the tools answer, those that write only where it is `writable`."""

    ask: Ask
    writable: bool

    def route(self, listener: Listener) -> Callable[[str, str], tuple[Access, ASGIApp | None] | None]:
        """What answers a request: the files without a token, as they say nothing of the graph."""
        api = RequestBodyLimitMiddleware(self._api, listener.max_bytes)

        def route(path: str, authorization: str) -> tuple[Access, ASGIApp | None] | None:
            if not path.startswith(API):
                return "read-only", _file if page_file(path) else None
            access = listener.tokens.access(authorization)
            return access and (access, api)

        return route

    async def _api(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        name = request.url.path.removeprefix(API)
        try:
            given = _object(request, await request.body())
            answer = await anyio.to_thread.run_sync(self._answer, name, given)
            response: Response = JSONResponse(answer, headers=HEADERS)
        except Exception as error:  # noqa: BLE001  (as for tools: what is no defect says what is wrong)
            fault = as_graphrag_error(error)
            status = 500 if isinstance(fault, Defect) else 403 if isinstance(fault, NotAllowed) else 400
            response = JSONResponse({"error": fault.fact, "hint": fault.hint}, status, HEADERS)
        await response(scope, receive, send)

    def _answer(self, name: str, given: dict[str, Any]) -> Any:
        if name == "layout":
            return {"places": _places(given)}
        tool = OFFERED.get(name)
        if tool is None:
            raise BadInput(f"The explorer does not offer '{name[:40]}'.", "Use the command of that name.")
        if not tool.reads and not self.writable:
            raise NotAllowed("This graph is open read-only.", "Start the explorer without --read-only to decide.")
        if unknown := given.keys() - tool.parameters.keys():
            raise BadInput(f"{tool.name} has no argument '{min(unknown)[:40]}'.", "Reload the page.")
        checked_arguments(tool, given)
        return wire(self.ask(tool, given))


OFFERED = {each.name: each for each in (*EXPLORE, *(CALLABLE[name] for name in (*READS, *WRITES)))}
JSON = "application/json"


class Drawing(BaseModel):
    """A picture to lay out: how many nodes, the pairs of them that are linked, and those that have a place."""

    model_config = ConfigDict(extra="forbid")
    count: Annotated[int, Field(ge=0, le=MAX_NODES)]
    edges: Annotated[list[tuple[int, int]], Field(max_length=20_000)]
    placed: Annotated[list[tuple[float, float] | None], Field(max_length=MAX_NODES)] = []
    room: Annotated[float, Field(ge=0.2, le=5)] = 1.0


def _places(given: dict[str, Any]) -> list[list[float]]:
    try:
        asked = Drawing.model_validate(given)
    except ValidationError as error:
        raise BadInput("That is no picture that can be laid out.", error.errors()[0]["msg"]) from None
    edges = [each for each in asked.edges if 0 <= min(each) <= max(each) < asked.count]
    return lay_out(asked.count, edges, asked.placed, room=asked.room).round(1).tolist()


def _object(request: Request, body: bytes) -> dict[str, Any]:
    if request.method != "POST" or request.headers.get("content-type", "").partition(";")[0] != JSON:
        raise BadInput("The explorer answers POST with JSON.", "Open its page.")
    try:
        given = json.loads(body or b"{}")
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise BadInput("The body is no JSON object.", "Reload the page.")
    return given  # pyright: ignore[reportUnknownVariableType]


async def _file(scope: Scope, receive: Receive, send: Send) -> None:
    request = Request(scope)
    found = page_file(request.url.path)
    if found is None or request.method not in {"GET", "HEAD"}:
        response = Response(status_code=405, headers={"Allow": "GET, HEAD"})
    else:
        kind, content = found
        response = Response(content if request.method == "GET" else b"", media_type=kind, headers=HEADERS)
    await response(scope, receive, send)


async def serve_explorer(explorer: Explorer, listener: Listener, announce: Callable[[], None]) -> None:
    """Serve until a signal; `announce` is called when a browser can open the page."""
    stop = anyio.Event()
    with on_signal(stop.set):
        announce()
        await run_routed(explorer.route(listener), listener, stop)
