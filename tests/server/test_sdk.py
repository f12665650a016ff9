"""Private names of the MCP SDK that server/sdk.py leans on, so that a new release is adopted knowingly.

Without the tool manager, the protocol server inside, its lifespan and the streams no test of a server would pass.
"""

import inspect
from typing import Any

import anyio
import httpx2
import pytest
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.session import ServerSession
from mcp.shared.dispatcher import DispatchContext
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest
from pydantic import ValidationError

from mcp_graphrag.server import sdk


def add(one: int, other: int = 1) -> int:
    """Add."""
    return one + other


@pytest.fixture
def server() -> MCPServer[Any]:
    """A stock server with one tool."""
    made: MCPServer[Any] = MCPServer("stock")
    made.tool()(add)
    return made


def test_a_session_knows_the_client_that_introduced_itself() -> None:
    assert isinstance(inspect.getattr_static(ServerSession, "client_params"), property)
    assert isinstance(inspect.getattr_static(Context, "session"), property)


def test_a_session_has_the_request_that_its_client_may_cancel() -> None:
    assert "self._request_outbound = request_outbound" in inspect.getsource(ServerSession.__init__)
    assert "cancel_requested" in vars(DispatchContext)


def test_a_tools_error_keeps_its_cause(server: MCPServer[Any]) -> None:
    nothing: dict[str, Any] = {}
    with pytest.raises(ToolError) as caught:
        anyio.run(server.call_tool, "add", nothing)
    assert isinstance(caught.value.__cause__, ValidationError)

    def fail() -> None:
        raise ToolError("no")

    server.tool()(fail)
    with pytest.raises(ToolError) as caught:
        anyio.run(server.call_tool, "fail", nothing)
    assert str(caught.value.__cause__) == "no"


def test_a_request_is_told_from_other_frames() -> None:
    frame = SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=1, method="ping"))
    assert sdk.is_request(frame)
    assert sdk.is_request(frame, "ping")
    assert not sdk.is_request(frame, "server/discover")
    assert not sdk.is_request(ValueError("no frame"))


def test_at_the_limit_of_sessions_the_one_that_was_idle_for_the_longest_ends(server: MCPServer[Any]) -> None:
    anyio.run(_open_and_list_sessions, sdk.SessionManager(sdk.lowlevel(server), max_sessions=2))


async def _open_and_list_sessions(manager: sdk.SessionManager) -> None:
    async def ask(method: str, session: str = "") -> httpx2.Response:
        client = {"name": "t", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        headers = {"Accept": "application/json, text/event-stream"} | ({"Mcp-Session-Id": session} if session else {})
        frame = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params if method == "initialize" else {}}
        return await web.post("http://127.0.0.1/mcp", headers=headers, json=frame)

    transport = httpx2.ASGITransport(manager.handle_request)
    async with manager.run(), httpx2.AsyncClient(transport=transport) as web:
        first, second = [(await ask("initialize")).headers["mcp-session-id"] for _ in range(2)]
        assert (await ask("ping", first)).status_code == 200
        third = (await ask("initialize")).headers["mcp-session-id"]
        assert [(await ask("ping", each)).status_code for each in (first, second, third)] == [200, 404, 200]
