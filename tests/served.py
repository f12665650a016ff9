"""A server in a process of its own or in this one, and a client of it that is asked in plain calls."""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from anyio.from_thread import BlockingPortal, start_blocking_portal
from forked import FRESH, command, own_environment
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from mcp_graphrag.graph import Graph
from mcp_graphrag.server.app import create_server
from mcp_graphrag.server.tools import make_app
from mcp_graphrag.settings import make_settings

ERAS = ("auto", "legacy")
PROTOCOLS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


def environment(**given: str) -> dict[str, str]:
    """The environment of a server, with the given variables."""
    return own_environment() | given


def serve_words(db: Path, *flags: str, start: Sequence[str] = FRESH) -> list[str]:
    """The words of a command that serves a file, whatever settings the user of this machine has."""
    config = db.with_name("no-settings.toml")
    config.touch()
    return [*start, "serve", "--db", str(db), "--config", str(config), *flags]


@dataclass(frozen=True)
class Asked:
    """A client of a running server."""

    client: Client
    portal: BlockingPortal

    def __call__(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The structured content of a call that succeeds, without the name of its graph."""
        result = self.result(tool, arguments)
        assert not result.is_error, text_of(result)
        fields = cast("dict[str, Any]", result.structured_content)
        return {name: value for name, value in fields.items() if name != "graph"}

    def refused(self, tool: str, /, **arguments: Any) -> str:
        """What the model reads of a call that fails."""
        result = self.result(tool, arguments)
        assert result.is_error, result.structured_content
        return text_of(result)

    def result(self, tool: str, arguments: Mapping[str, Any], progress: Any = None) -> CallToolResult:
        """The result of a call as the client sees it."""

        async def call() -> Any:
            return await self.client.call_tool(tool, dict(arguments), progress_callback=progress)

        return cast("CallToolResult", self.portal.call(call))

    def tools(self) -> list[str]:
        """The names of the tools on offer."""
        return [tool.name for tool in self.portal.call(self.client.list_tools).tools]


def text_of(result: CallToolResult) -> str:
    """The text of a result."""
    return "".join(part.text for part in result.content if isinstance(part, TextContent))


@contextmanager
def connected(server: Any, mode: str = "auto") -> Generator[Asked]:
    """A client of anything that the SDK's client connects to."""
    with start_blocking_portal() as portal:
        connection = portal.wrap_async_context_manager(Client(server, mode=mode))
        client = connection.__enter__()
        try:
            yield Asked(client, portal)
        finally:
            # A failed assertion is none of the connection's business: told of it, it would wrap it in its own groups.
            connection.__exit__(None, None, None)


@contextmanager
def served(db: Path, *flags: str, mode: str = "auto", **variables: str) -> Generator[Asked]:
    """A client of a server in a process of its own."""
    program, *args = serve_words(db, *flags, start=command())
    parameters = StdioServerParameters(command=program, args=args, env=environment(**variables), cwd=db.parent)
    with connected(parameters, mode) as asked:
        yield asked


@contextmanager
def served_here(db: Path, **settings: Any) -> Generator[Asked]:
    """A legacy client of a server in this process, with static vectors and structured answers."""
    given = {"embedder": "wordllama", "structured": True, **settings}
    with connected(create_server(make_app(Graph(make_settings(db=db, **given)))), "legacy") as asked:
        yield asked


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def settled(answer: Any) -> Any:
    """An answer without what differs from run to run or with a tuned weight: times and scores."""
    if isinstance(answer, dict):
        fields = cast("dict[str, Any]", answer)
        return {key: settled(value) for key, value in fields.items() if key not in {"recorded_at", "score", "scores"}}
    return [settled(each) for each in cast("list[Any]", answer)] if isinstance(answer, list) else answer
