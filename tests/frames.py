"""A served process spoken to frame by frame, for what a well-behaved client never sends."""

import contextlib
import json
import queue
import subprocess
import threading
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

from forked import FRESH
from served import environment, serve_words

MODERN: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "frames", "version": "1"},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
SECONDS = 100  # until a server that does not answer fails its test


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    """One request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def discover(number: int) -> dict[str, Any]:
    """The probe of the modern era."""
    return request(number, "server/discover", _meta=MODERN)


def initialize(number: int, version: str = "2025-11-25") -> dict[str, Any]:
    """The handshake of the legacy era."""
    client = {"name": "frames", "version": "1"}
    return request(number, "initialize", protocolVersion=version, capabilities={}, clientInfo=client)


def call(number: int, tool: str = "brief", meta: Any = None, **arguments: Any) -> dict[str, Any]:
    """A call of a tool; with MODERN as `meta` it is one of the modern era."""
    params = {"name": tool, "arguments": arguments}
    return request(number, "tools/call", **params, **({"_meta": meta} if meta else {}))


class Frames:
    """The server's pipes. `lines` holds every line that it wrote to stdout, as bytes."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self.lines: list[bytes] = []
        self._answers: queue.Queue[bytes | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def write(self, frame: dict[str, Any] | bytes) -> None:
        """Write one frame, or one line whatever it holds."""
        assert self.process.stdin is not None
        line = frame if isinstance(frame, bytes) else json.dumps(frame).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """The next frame with an id that the server writes."""
        while (line := self._answers.get(timeout=SECONDS)) is not None:
            frame = json.loads(line)
            if "id" in frame:
                return frame
        raise EOFError

    def ask(self, frame: dict[str, Any] | bytes) -> dict[str, Any]:
        """The answer to a request."""
        self.write(frame)
        return self.answer()

    def opened(self) -> "Frames":
        """These pipes after the legacy handshake."""
        self.ask(initialize(0))
        self.write(INITIALIZED)
        return self

    def wait_closed(self) -> None:
        """Wait until the server has closed its stdout, which it does by ending."""
        while self._answers.get(timeout=SECONDS) is not None:
            pass

    def end(self) -> int:
        """Close stdin and answer the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(SECONDS)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            self._answers.put(line)
        self._answers.put(None)


@contextlib.contextmanager
def framed(
    db: Path, *flags: str, before: tuple[str, ...] = (), start: Sequence[str] = FRESH, **variables: str
) -> Generator[Frames]:
    """A server of the file, started by the command `before` if given; killed at the end of the block."""
    words = [*before, *serve_words(db, *flags, start=start)]
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(**variables), cwd=db.parent
    )
    with process:
        try:
            yield Frames(process)
        finally:
            # stdin first: it ends a server that outlived its parent, and whoever still reads its stdout.
            with contextlib.suppress(OSError):
                process.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
            process.kill()
