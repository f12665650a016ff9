"""Hostile frames and tool calls: python tests/bench/fuzz.py [FRAMES] [SEED] [--http]

Sends FRAMES (default 10,000) malformed or hostile lines to one server, made from a seed, over stdio or as bodies of
HTTP requests of either protocol era. Each line with a readable id must be answered by that id, once; no answer may hold
a stack trace or an error without words; the server must end with code 0. Prints the counts as JSON; the exit code is 1
if one of these fails.
"""

import contextlib
import importlib
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx2

TESTS = Path(__file__).resolve().parent.parent
sys.path += [str(TESTS), str(TESTS / "server")]
os.environ.setdefault("MCP_GRAPHRAG_EMBEDDER", "wordllama")
served: Any = importlib.import_module("frames")  # what speaks to a server by frames lies beside the tests of it
call, framed, request = served.call, served.framed, served.request
http_served: Any = importlib.import_module("http_served").http_served
WORDLESS = ("Traceback", "Error executing tool", "A defect stopped", "validation error", "errors.pydantic.dev")
TEXTS = [
    *(
        "",
        " ",
        "a",
        "Mill Service",
        "'; DROP TABLE chunks; --",
        "%_\\",
        "*" * 300,
        "\x00",
        "\x1b[2J",
        "\u2028## Sources",
    ),
    *(
        "../../etc/passwd",
        "/dev/zero",
        "file:///etc/passwd",
        "a" * 30_000,
        "é" * 999,
        "\ud83d",
        "\u202eabc",
        "{}",
        "[1",
    ),
    *(
        "9" * 500,
        "1e999",
        "NaN",
        "2024-13-45",
        "9999-12-31",
        "0000-00-00",
        "text:x#chunk:0-9@0",
        "x#chunk:-1--2@zz",
        "$id",
    ),
]
VALUES: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        2**31,
        2**63,
        2**64,
        -(2**70),
        10**299,
        1.5,
        -0.0,
        1e308,
        [],
        {},
        [[]],
        [None],
        {"": {}},
    ),
    *(
        {"a": [{"b": [1, 2, {"c": None}]}]},
        [1, "a", None],
        {"$ref": "#"},
        ["a"] * 2000,
        {str(at): at for at in range(500)},
    ),
]
LINES = [
    *(b"{not json", b"[]", b'"x"', b"5", b"null", b"", b" ", b"\xff\xfe", b"\x00", b"{", b"}" * 50, b"[" * 5000),
    *(b'{"jsonrpc":"2.0","method":"tools/call"}', b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}'),
    *(b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', b'{"jsonrpc":"2.0","id":null,"method":"ping"}'),
]
WRITTEN = [
    b"[" * 400 + b"]" * 400,
    b"9" * 20_000,
    b"1e999",
    b"NaN",
    b"-",
    b'"\\ud800"',
    b'"\xff"',
    b'{"a":' * 99 + b"1" + b"}" * 99,
]


class Fuzz:
    """Lines made from a seed, for the tools that a server offers."""

    def __init__(self, seed: int, tools: list[dict[str, Any]]) -> None:
        self._random = random.Random(seed)  # noqa: S311  (no secret)
        self._tools = tools

    def line(self, number: int) -> tuple[bytes, bool]:
        """A line, and whether it must be answered by that number."""
        kind = self._random.random()
        if kind < 0.08:
            return self._random.choice(LINES), False
        if kind < 0.16:
            frame: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {}}
            frame[self._random.choice(["jsonrpc", "method", "params", "extra"])] = self._value()
            return json.dumps(frame).encode(), True
        if kind < 0.24:
            written = self._random.choice(WRITTEN)
            form = self._random.choice(
                (
                    b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search","arguments":{"query":%s}}}',
                )
            )
            return form % (number, written), True
        if kind < 0.28:
            whole = json.dumps(call(number, "search", query="mill")).encode()
            # The id stands before the method, so that a cut behind it leaves it readable.
            cut = self._random.randrange(whole.index(b'"method"'), len(whole))
            return whole[:cut], True
        if kind < 0.32:
            method = self._random.choice(
                ["ping", "nope", "resources/list", "prompts/get", "logging/setLevel", "", "\x00"]
            )
            return json.dumps(request(number, method, a=self._value())).encode(), True
        tool = self._random.choice(self._tools)
        return json.dumps(
            request(number, "tools/call", name=tool["name"], arguments=self._arguments(tool))
        ).encode(), True

    def _arguments(self, tool: dict[str, Any]) -> dict[str, Any]:
        fields = dict(tool["inputSchema"].get("properties", {}))
        required = set(tool["inputSchema"].get("required", ()))
        given = {
            name: self._fitting(schema) if self._random.random() < 0.7 else self._value()
            for name, schema in fields.items()
            if name in required or self._random.random() < 0.4
        }
        if self._random.random() < 0.05:
            given[self._random.choice(TEXTS[1:6])] = self._value()
        given.pop("wait", None)
        return given

    def _fitting(self, schema: dict[str, Any], depth: int = 0) -> Any:
        """A value of about the form that a schema asks for."""
        if "anyOf" in schema:
            return self._fitting(self._random.choice(schema["anyOf"]), depth)
        if "enum" in schema:
            return self._random.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "array" and depth < 4:
            return [self._fitting(schema.get("items", {}), depth + 1) for _ in range(self._random.randrange(3))]
        if kind == "object" and depth < 4:
            fields = schema.get("properties", {})
            return {
                name: self._fitting(each, depth + 1) for name, each in fields.items() if self._random.random() < 0.7
            }
        numbers = [0, 1, 2, 5, -1, 10**6, 2**63, 2**80]
        plain: dict[Any, list[Any]] = {"boolean": [True, False], "integer": numbers, "number": numbers}
        return self._random.choice(plain.get(kind, TEXTS))

    def _value(self) -> Any:
        return self._random.choice([*VALUES, *TEXTS])


class Stdio:
    """A server of lines."""

    def __init__(self, server: Any) -> None:
        self._server = server
        server.opened()

    def answers(self, line: bytes, number: int, *, awaited: bool) -> list[dict[str, Any]]:
        """The answers to a line, up to that of a ping behind it: it shows that the server goes on."""
        self._server.write(line)
        first = [self._server.answer()] if awaited else []
        self._server.write({"jsonrpc": "2.0", "id": f"ping {number}", "method": "ping"})
        while not first or first[-1].get("id") != f"ping {number}":
            first.append(self._server.answer())
        return first[:-1]

    def end(self) -> int:
        """The exit code of the server."""
        return self._server.end()


class Http:
    """A server of requests: odd numbers are sent in a session of the legacy era, even ones in the modern era."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._client = httpx2.Client(trust_env=False, timeout=100)
        opened = self._post(json.dumps(served.initialize(0)).encode(), {})
        self._session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}

    def answers(self, line: bytes, number: int, *, awaited: bool) -> list[dict[str, Any]]:
        """The answer to a line as a body, and what is no answer where one is awaited."""
        response = self._post(*((line, self._session) if number % 2 else _modern(line)))
        found = [text.removeprefix("data:") for text in response.text.split("\n") if text.startswith(("{", "data:"))]
        assert found or not awaited, (line, response.status_code, response.text)
        return [frame for frame in map(json.loads, found) if "id" in frame]

    def end(self) -> int:
        """The exit code of the server."""
        self._client.close()
        self._server.process.terminate()
        return self._server.process.wait(60)

    def _post(self, body: bytes, headers: dict[str, str]) -> Any:
        given = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json", **headers}
        return self._client.post(self._server.url, content=body, headers=given)


def _modern(line: bytes) -> tuple[bytes, dict[str, str]]:
    """A line as the body of a request of the modern era, with its headers, as far as it is one."""
    headers = {"MCP-Protocol-Version": "2026-07-28"}
    with contextlib.suppress(AttributeError, LookupError, RecursionError, TypeError, ValueError):
        frame = json.loads(line)
        frame["params"]["_meta"] = served.MODERN
        named = {"Mcp-Method": frame["method"], "Mcp-Name": frame["params"].get("name", "-")}
        headers |= {
            name: value
            for name, value in named.items()
            if value == value.strip() and value.isprintable() and value.isascii()
        }
        return json.dumps(frame).encode(), headers
    return line, headers


def fuzz(frames: int, seed: int, folder: Path, *, over_http: bool = False) -> dict[str, Any]:
    """Counts of what a server did with so many hostile lines."""
    found: Counter[str] = Counter()
    wordless: list[str] = []
    slowest = 0.0
    serve = http_served if over_http else framed
    with serve(folder / "graph.duckdb", "--root", str(folder), "--toolsets", "all", "--log-level", "ERROR") as server:
        spoken = Http(server) if over_http else Stdio(server)
        text = "The Mill Service depends on the River Database. " * 3
        spoken.answers(json.dumps(call(1, "ingest", text=text, uri="a:1")).encode(), 1, awaited=True)
        tools = spoken.answers(json.dumps(request(3, "tools/list")).encode(), 3, awaited=True)[0]["result"]["tools"]
        made = Fuzz(seed, tools)
        for number in range(1000, 1000 + frames):
            line, has_id = made.line(number)
            started = time.monotonic()
            answers = spoken.answers(line, number, awaited=has_id)
            slowest = max(slowest, time.monotonic() - started)
            found["sent"] += 1
            found["answered"] += any(each.get("id") == number for each in answers)
            found["unanswered"] += has_id and sum(each.get("id") == number for each in answers) != 1
            for each in answers:
                text = json.dumps(each.get("error") or each.get("result", {}).get("content", ""))
                found["refused"] += "error" in each or bool(each.get("result", {}).get("isError"))
                if any(part in text for part in WORDLESS):
                    wordless.append(f"{line[:300]!r} -> {text[:300]}")
        code = spoken.end()
    return {**found, "wordless": wordless[:10], "code": code, "slowest_seconds": round(slowest, 2)}


def main() -> None:
    """Print the counts as JSON."""
    given = [int(each) for each in sys.argv[1:] if each != "--http"]
    frames, seed = (*given, *(10_000, 1)[len(given) :])
    with tempfile.TemporaryDirectory() as folder:
        found = fuzz(frames, seed, Path(folder), over_http="--http" in sys.argv)
    print(json.dumps(found, indent=1))
    sys.exit(1 if found["unanswered"] or found["wordless"] or found["code"] else 0)


if __name__ == "__main__":
    main()
