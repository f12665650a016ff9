"""A server of HTTP in a process of its own, spoken to by the SDK's client or request by request."""

import contextlib
import json
import queue
import subprocess
import threading
from collections.abc import AsyncGenerator, Generator, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx2
from forked import FRESH, command, own_environment
from frames import MODERN, SECONDS
from mcp.client.streamable_http import streamable_http_client
from served import serve_words

ANNOUNCED = "Serving MCP at "
HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28"}


@dataclass
class HttpServed:
    """A running server: its address, its process and the lines that it wrote to stderr."""

    process: "subprocess.Popen[str]"
    lines: list[str] = field(default_factory=list[str])
    url: str = ""

    def request(self, verb: str = "POST", path: str = "/mcp", *, token: str = "", **given: Any) -> httpx2.Response:
        """The response to one request."""
        headers = dict(given.pop("headers", {})) | ({"Authorization": f"Bearer {token}"} if token else {})
        with httpx2.Client(trust_env=False, timeout=SECONDS) as client:
            return client.request(verb, self.url.removesuffix("/mcp") + path, headers=headers, **given)

    def call(self, tool: str, *, token: str = "", **arguments: Any) -> httpx2.Response:
        """The response to one call of a tool in the modern era."""
        headers, frame = modern_call(tool, arguments)
        return self.request(token=token, headers=headers, json=frame)

    def begin_call(self, tool: str, **arguments: Any) -> HTTPConnection:
        """A connection on which a call in the modern era was sent; to close it is to cancel the call."""
        headers, frame = modern_call(tool, arguments)
        address = httpx2.URL(self.url)
        connection = HTTPConnection(address.host, address.port, timeout=SECONDS)
        connection.request("POST", "/mcp", json.dumps(frame), {**headers, "Content-Type": "application/json"})
        return connection

    def structured(self, tool: str, *, token: str = "", **arguments: Any) -> dict[str, Any]:
        """The structured content of a call that succeeds."""
        response = self.call(tool, token=token, **arguments)
        # A call that lasts is answered as a stream of events, with pings before the answer.
        answer = next(line for line in response.text.splitlines() if line.startswith(("{", "data:")))
        result = json.loads(answer.removeprefix("data:"))["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]

    @contextlib.asynccontextmanager
    async def transport(self, token: str) -> AsyncGenerator[Any]:
        """What the SDK's client connects to, with a token."""
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers, trust_env=False, timeout=SECONDS) as client,
            streamable_http_client(self.url, http_client=client) as streams,
        ):
            yield streams


def modern_call(tool: str, arguments: dict[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """The headers and the frame of a call of a tool in the modern era."""
    params = {"name": tool, "arguments": arguments, "_meta": MODERN}
    frame = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return HEADERS | {"Mcp-Method": "tools/call", "Mcp-Name": tool}, frame


def http_words(db: Path, *flags: str, start: Sequence[str] = FRESH) -> list[str]:
    """The words of a command that serves a file at any free port, whatever settings the user of this machine has."""
    return serve_words(db, "--http", "--port", "0", *flags, start=start)


@contextlib.contextmanager
def http_served(db: Path, *flags: str, start: Sequence[str] = FRESH, **variables: str) -> Generator[HttpServed]:
    """A server of the file, killed at the end of the block."""
    with announced(http_words(db, *flags, start=start), own_environment() | variables) as served:
        yield served


@contextlib.contextmanager
def announced(words: Sequence[str], environment: dict[str, str]) -> Generator[HttpServed]:
    """The server that a command starts, as soon as it has said where it is."""
    process = subprocess.Popen(words, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment, text=True)
    served = HttpServed(process)
    said: queue.Queue[str] = queue.Queue()

    def read() -> None:
        assert process.stderr is not None
        for line in process.stderr:
            served.lines.append(line.rstrip())
            said.put(line)
        said.put("")

    with process:
        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        try:
            while not (line := said.get(timeout=SECONDS)).startswith(ANNOUNCED):
                assert line, served.lines
            served.url = line.removeprefix(ANNOUNCED).split()[0]
            yield served
        finally:
            process.kill()
            reader.join(SECONDS)


def run_refused(db: Path, *flags: str, **variables: str) -> tuple[int, str]:
    """The exit code and the words on stderr of a server that does not start."""
    words, given = http_words(db, *flags, start=command()), own_environment() | variables
    ended = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=given, check=False, timeout=SECONDS
    )
    return ended.returncode, ended.stderr.strip()
