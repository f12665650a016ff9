"""A stand-in for Claude's API on loopback, which the real SDK talks to: whole answers, streams and troubles."""

import json
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Plan = Callable[["Connection", dict[str, Any]], None]
Event = tuple[str, dict[str, Any]]
KEY = "sk-ant-very-secret"


class Connection(BaseHTTPRequestHandler):
    """One connection of a client."""

    api: "ClaudeServer"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.api.asked.append(body)
        self.api.headers.append({name.lower(): value for name, value in self.headers.items()})
        assert self.path == "/v1/messages"
        (self.api.plans.pop(0) if self.api.plans else self.api.otherwise)(self, body)

    def send(self, content: bytes, kind: str = "application/json", status: int = 200, **headers: str) -> None:
        """Send a whole answer."""
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (as http.server names it)
        """Say nothing on stderr."""


class ClaudeServer:
    """The server. `plans` are its next answers, `otherwise` all after them; `asked` are the bodies of the requests."""

    def __init__(self) -> None:
        self.plans: list[Plan] = []
        self.otherwise: Plan = saying("Hello.")
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), type("Mine", (Connection,), {"api": self}))
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def will(self, *plans: Plan) -> None:
        """Plan the next answers."""
        self.plans += plans

    @property
    def prompts(self) -> list[str]:
        """The texts that were asked, without the system's."""
        return [body["messages"][0]["content"] for body in self.asked]

    @property
    def settings(self) -> dict[str, str]:
        """The settings that lead a program here."""
        return {"claude_key": KEY, "claude_url": self.url}

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables that lead a process here."""
        return {f"MCP_GRAPHRAG_{name.upper()}": value for name, value in self.settings.items()}


@contextmanager
def claude_served() -> Generator[ClaudeServer]:
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


def saying(*pieces: str, stop: str = "end_turn", ends: bool = True, pauses: float = 0) -> Plan:
    """Answer a text after a pause, in pieces where a stream is asked for; `ends` False breaks it off after them."""

    def plan(to: Connection, body: dict[str, Any]) -> None:
        time.sleep(pauses)
        if not body.get("stream"):
            to.send(json.dumps(_message(body, "".join(pieces), stop)).encode())
            return
        events: list[Event] = [("message_start", {"message": _message(body, "", None)})]
        events += [("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}})]
        for piece in pieces:
            events += [("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": piece}})]
        events += [("ping", {}), ("content_block_stop", {"index": 0})]
        if ends:
            events += [("message_delta", {"delta": {"stop_reason": stop}, "usage": {"output_tokens": 5}})]
            events += [("message_stop", {})]
        to.send(_stream(events), "text/event-stream")

    return plan


def failing(status: int, kind: str = "api_error", said: str = "no", **headers: str) -> Plan:
    """Answer an error, at once."""

    def plan(to: Connection, _: dict[str, Any]) -> None:
        to.send(_error(kind, said), status=status, **headers)

    return plan


def failing_midway(*pieces: str, kind: str = "overloaded_error") -> Plan:
    """Begin a stream and end it with an error."""

    def plan(to: Connection, body: dict[str, Any]) -> None:
        events: list[Event] = [("message_start", {"message": _message(body, "", None)})]
        for piece in pieces:
            events += [("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": piece}})]
        events += [("error", {"error": {"type": kind, "message": "no"}})]
        to.send(_stream(events), "text/event-stream")

    return plan


def waiting(seconds: float) -> Plan:
    """Answer nothing for some time, then break off."""

    def plan(to: Connection, _: dict[str, Any]) -> None:
        time.sleep(seconds)
        to.close_connection = True

    return plan


def sending(content: bytes, kind: str = "text/html") -> Plan:
    """Answer just these bytes with HTTP 200."""

    def plan(to: Connection, _: dict[str, Any]) -> None:
        to.send(content, kind)

    return plan


def _message(body: dict[str, Any], text: str, stop: str | None) -> dict[str, Any]:
    content = [{"type": "thinking", "thinking": "hm", "signature": ""}, {"type": "text", "text": text}] if text else []
    usage = {"input_tokens": 10, "output_tokens": 5}
    named = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"]}
    return {**named, "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage}


def _stream(events: list[Event]) -> bytes:
    lines = [f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n" for name, fields in events]
    return "".join(lines).encode()


def _error(kind: str, said: str) -> bytes:
    return json.dumps({"type": "error", "error": {"type": kind, "message": said}}).encode()
