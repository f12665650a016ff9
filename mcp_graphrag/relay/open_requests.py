"""The requests of a client that wait for their answers, and what becomes of them when the owner ends."""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from mcp_graphrag.relay.hello import Sent

MAX_SENT = 3  # a request that ends the owner each time must not do so forever
LAST_ANSWERS_SECONDS = 45.0  # for the calls under way when a client ends its input; hosts wait a minute at most
UNFINISHED = (
    f"This call was not finished {LAST_ANSWERS_SECONDS:.0f} seconds after the client had ended its input. "
    "It may still be stored: look before you call again."
)
MODERN = "io.modelcontextprotocol/protocolVersion"


@dataclass
class Request:
    """One request that was passed on; `sent` counts how often."""

    line: bytes
    frame: Mapping[str, Any]
    since: datetime = field(default_factory=lambda: datetime.now(UTC).replace(tzinfo=None))
    sent: int = 1

    @property
    def id(self) -> Any:
        """The id that the client gave it."""
        return self.frame["id"]

    @property
    def tool(self) -> str:
        """The tool that it calls, "" where it calls none."""
        return str(_params_of(self.frame).get("name")) if self.frame["method"] == "tools/call" else ""

    @property
    def goes_elsewhere(self) -> bool:
        """Whether it is for another graph, of which the log of this one knows nothing."""
        arguments = _params_of(self.frame).get("arguments")
        return isinstance(arguments, dict) and bool(cast("dict[str, Any]", arguments).get("project"))

    def failed(self, text: str) -> bytes:
        """The answer that its tool failed."""
        result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": True}
        if MODERN in str(_params_of(self.frame).get("_meta")):
            result["resultType"] = "complete"
        frame: dict[str, Any] = {"jsonrpc": "2.0", "id": self.id}
        if self.tool:
            frame["result"] = result
        else:
            frame["error"] = {"code": -32603, "message": text}
        return json.dumps(frame).encode() + b"\n"


class OpenRequests:
    """What a client has asked and not been answered, and the handshake that a new owner must hear again.

    One thread adds what the client sends, another takes away what the owner answers.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, Request] = {}
        self._initialize: bytes = b""
        self._initialized: bytes = b""

    def add(self, line: bytes) -> None:
        """Note a line of the client."""
        frame = _frame_of(line)
        method = frame.get("method")
        with self._lock:
            if method == "notifications/initialized":
                self._initialized = line
            elif method == "notifications/cancelled":  # it is not answered, so the next owner must not hear it
                self._open.pop(json.dumps(_params_of(frame).get("requestId")), None)
            elif isinstance(method, str) and type(frame.get("id")) in {str, int}:
                self._open[json.dumps(frame["id"])] = Request(line, frame)

    def answered(self, line: bytes) -> None:
        """Note a line of the owner."""
        frame = _frame_of(line)
        if "method" in frame or "id" not in frame:
            return
        with self._lock:
            request = self._open.pop(json.dumps(frame["id"]), None)
            if request is not None and request.frame["method"] == "initialize" and "result" in frame:
                self._initialize = request.line

    def handshake(self) -> tuple[bytes, bytes]:
        """The lines `initialize` and `notifications/initialized` that a new owner must hear, empty for none."""
        with self._lock:
            return self._initialize, self._initialized

    def waiting(self) -> Sequence[Request]:
        """The requests without an answer, the oldest first."""
        with self._lock:
            return list(self._open.values())

    def remove(self, request: Request) -> None:
        """Forget a request that was answered here."""
        with self._lock:
            self._open.pop(json.dumps(request.id), None)

    def lost_calls(self) -> Sequence[Sent]:
        """The calls of tools that may have written, which the change log knows."""
        return [Sent(str(request.id), request.since.isoformat()) for request in self.waiting() if request.tool]


def _frame_of(line: bytes) -> Mapping[str, Any]:
    """The JSON object in a line, empty for anything else, which is passed on as it is."""
    try:
        frame = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return cast("Mapping[str, Any]", frame) if isinstance(frame, dict) else {}


def _params_of(frame: Mapping[str, Any]) -> Mapping[str, Any]:
    params = frame.get("params")
    return cast("Mapping[str, Any]", params) if isinstance(params, dict) else {}
