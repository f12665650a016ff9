"""A fake Claude API on loopback for the real SDK: complete answers, streams and errors."""

import json
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Response = Callable[["Connection", dict[str, Any]], None]
Event = tuple[str, dict[str, Any]]
KEY = "sk-ant-very-secret"


class Connection(BaseHTTPRequestHandler):
    """One connection of a client."""

    api: "ClaudeServer"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/v1/messages":
            self.api.requests.append(body)
        self.api.headers.append({name.lower(): value for name, value in self.headers.items()})
        if self.path == "/v1/messages/batches":
            self.api.batches.start(self, body)
            return
        assert self.path == "/v1/messages"
        (self.api.queue.pop(0) if self.api.queue else self.api.default)(self, body)

    def do_GET(self) -> None:
        self.api.batches.answer(self)

    def send(self, content: bytes, kind: str = "application/json", status: int = 200, **headers: str) -> None:
        """Send a complete HTTP response."""
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (as http.server names it)
        """Log nothing to stderr."""


class ClaudeServer:
    """The server. `queue` holds its next responses, `default` is used after them; `requests` are the request bodies."""

    def __init__(self) -> None:
        self.queue: list[Response] = []
        self.default: Response = text_response("Hello.")
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.batches = Batches(self)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("ApiConnection", (Connection,), {"api": self}))
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def enqueue(self, *responses: Response) -> None:
        """Set the next responses."""
        self.queue += responses

    @property
    def prompts(self) -> list[str]:
        """The user messages received, without the system prompts."""
        return [body["messages"][0]["content"] for body in self.requests]

    @property
    def settings(self) -> dict[str, str]:
        """The settings that select this server."""
        return {"claude_key": KEY, "claude_url": self.url}

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that select this server."""
        return {f"MCP_GRAPHRAG_{name.upper()}": value for name, value in self.settings.items()}


class Batches:
    """The message batches of a server. `open` ends them: before, they are in progress.

    Their requests are answered, in reversed order, as single ones are: `queue` and `default` of the server. `accepted`
    is called before the answer to a submission is sent, and may prevent it by False.
    """

    def __init__(self, api: ClaudeServer) -> None:
        self.api = api
        self.submitted: list[dict[str, dict[str, Any]]] = []  # by custom id
        self.open = threading.Event()
        self.open.set()
        self.polled = threading.Event()
        self.accepted: Callable[[], bool] = lambda: True
        self.created_at = datetime.now(UTC).isoformat()
        self.lost: set[int] = set()  # batches that the server no longer has

    def start(self, connection: Connection, body: dict[str, Any]) -> None:
        """Accept a batch."""
        self.submitted.append({each["custom_id"]: each["params"] for each in body["requests"]})
        if self.accepted():
            connection.send(json.dumps(self._status(len(self.submitted) - 1, ended=False)).encode())

    def answer(self, connection: Connection) -> None:
        """Tell all batches, the latest first, the status of a batch, or its results."""
        if "batch_" not in connection.path:
            listed = [self._status(number, ended=self.open.is_set()) for number in range(len(self.submitted))]
            page = {"data": listed[::-1], "has_more": False, "first_id": None, "last_id": None}
            connection.send(json.dumps(page).encode())
            return
        number = int(connection.path.split("batch_")[1].split("/")[0])
        if number in self.lost:
            connection.send(_error("not_found_error", "no"), status=404)
        elif connection.path.endswith("/results"):
            lines = [self._result(*each) for each in reversed(self.submitted[number].items())]
            connection.send("".join(f"{json.dumps(line)}\n" for line in lines).encode(), "application/x-jsonl")
        else:
            self.polled.set()
            connection.send(json.dumps(self._status(number, ended=self.open.is_set())).encode())

    def _result(self, name: str, body: dict[str, Any]) -> dict[str, Any]:
        sent = _Sent()
        self.api.requests.append(body)
        (self.api.queue.pop(0) if self.api.queue else self.api.default)(sent, body)  # pyright: ignore[reportArgumentType]
        answer = json.loads(sent.content)
        if sent.status == 200:
            return {"custom_id": name, "result": {"type": "succeeded", "message": answer}}
        error = {"type": "error", "error": answer["error"], "request_id": None}
        return {"custom_id": name, "result": {"type": "errored", "error": error}}

    def _status(self, number: int, *, ended: bool) -> dict[str, Any]:
        counts = {"processing": 0, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0}
        counts["succeeded" if ended else "processing"] = len(self.submitted[number])
        return {
            "id": f"batch_{number}",
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts,
            "created_at": self.created_at,
            "expires_at": self.created_at,
            "ended_at": None,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"{self.api.url}/v1/messages/batches/batch_{number}/results" if ended else None,
        }


class _Sent:
    """What a response sends, to be put into the results of a batch."""

    content = b""
    status = 200

    def send(self, content: bytes, kind: str = "", status: int = 200, **headers: str) -> None:
        """Take a response."""
        del kind, headers
        self.content, self.status = content, status


@contextmanager
def run_claude_server() -> Generator[ClaudeServer]:
    """A running server."""
    api = ClaudeServer()
    thread = threading.Thread(target=api.server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield api
    finally:
        api.server.shutdown()
        thread.join()
        api.server.server_close()


def text_response(*pieces: str, stop: str = "end_turn", complete: bool = True) -> Response:
    """Answer a text, in pieces if streamed; with `complete=False` the stream breaks off after them."""

    def respond(connection: Connection, body: dict[str, Any]) -> None:
        if not body.get("stream"):
            connection.send(json.dumps(_message(body, "".join(pieces), stop)).encode())
            return
        events: list[Event] = [*_begun(body, pieces), ("ping", {}), ("content_block_stop", {"index": 0})]
        if complete:
            events += [("message_delta", {"delta": {"stop_reason": stop}, "usage": {"output_tokens": 5}})]
            events += [("message_stop", {})]
        connection.send(_stream(events), "text/event-stream")

    return respond


def error_response(status: int, kind: str = "api_error", message: str = "no", **headers: str) -> Response:
    """Answer an error immediately."""

    def respond(connection: Connection, _: dict[str, Any]) -> None:
        connection.send(_error(kind, message), status=status, **headers)

    return respond


def stream_error(*pieces: str, kind: str = "overloaded_error") -> Response:
    """Start a stream and end it with an error."""

    def respond(connection: Connection, body: dict[str, Any]) -> None:
        events = [*_begun(body, pieces), ("error", {"error": {"type": kind, "message": "no"}})]
        connection.send(_stream(events), "text/event-stream")

    return respond


def no_response(seconds: float) -> Response:
    """Send nothing for some time, then close the connection."""

    def respond(connection: Connection, _: dict[str, Any]) -> None:
        time.sleep(seconds)
        connection.close_connection = True

    return respond


def raw_response(content: bytes, kind: str = "text/html") -> Response:
    """Answer exactly these bytes with HTTP 200."""

    def respond(connection: Connection, _: dict[str, Any]) -> None:
        connection.send(content, kind)

    return respond


def _message(body: dict[str, Any], text: str, stop: str | None) -> dict[str, Any]:
    content = [{"type": "thinking", "thinking": "hm", "signature": ""}, {"type": "text", "text": text}] if text else []
    usage = {"input_tokens": 10, "output_tokens": 5}
    named = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"]}
    return {**named, "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage}


def _begun(body: dict[str, Any], pieces: Sequence[str]) -> Iterator[Event]:
    """The first events of a stream, with these pieces of text."""
    yield "message_start", {"message": _message(body, "", None)}
    yield "content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}
    yield from (("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": each}}) for each in pieces)


def _stream(events: list[Event]) -> bytes:
    lines = [f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n" for name, fields in events]
    return "".join(lines).encode()


def _error(kind: str, message: str) -> bytes:
    return json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()
