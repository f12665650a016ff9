"""Each private name of the MCP SDK that server/sdk.py leans on, so that a new release is adopted knowingly."""

import inspect
from typing import Any

import anyio
import httpx2
import pytest
from mcp.server import MCPServer
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.runner import serve_dual_era_loop
from mcp.server.session import ServerSession
from mcp.shared._context_streams import create_context_streams
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


def test_the_tool_manager_gives_tools_whose_arguments_can_be_tightened(server: MCPServer[Any]) -> None:
    (tool,) = sdk.registered_tools(server)
    assert tool.name == "add"
    assert set(tool.fn_metadata.arg_model.model_fields) == {"one", "other"}
    tool.parameters = {"type": "object"}
    assert sdk.registered_tools(server)[0].parameters == {"type": "object"}


def test_the_protocol_server_inside_has_a_lifespan(server: MCPServer[Any]) -> None:
    inside = sdk.lowlevel(server)
    assert isinstance(inside, Server)

    async def enter() -> None:
        async with sdk.lifespan(inside):
            assert inside.create_initialization_options().server_name == "stock"

    anyio.run(enter)


def test_the_dual_era_loop_takes_what_it_is_given() -> None:
    taken = inspect.signature(serve_dual_era_loop).parameters
    assert list(taken)[:3] == ["server", "read_stream", "write_stream"]
    assert {"lifespan_state", "init_options"} <= set(taken)


def test_context_streams_carry_frames_and_end_with_their_sender() -> None:
    async def story() -> list[object]:
        send, receive = create_context_streams[SessionMessage | Exception](1)
        async with receive:
            async with send:
                await send.send(ValueError("a"))
            return [str(each) async for each in receive]

    assert anyio.run(story) == ["a"]


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
