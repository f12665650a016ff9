"""Hostile frames and tool calls over stdio: python tests/bench/fuzz.py [FRAMES] [SEED]

Sends FRAMES (default 10,000) malformed or hostile lines to one server, made from a seed. Each line with a readable id
must be answered by that id, once; no answer may hold a stack trace or an error without words; the server must end with
code 0. Prints the counts as JSON; the exit code is 1 if one of these fails.
"""

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

TESTS = Path(__file__).resolve().parent.parent
sys.path += [str(TESTS), str(TESTS / "server")]
os.environ.setdefault("MCP_GRAPHRAG_EMBEDDER", "wordllama")
served: Any = importlib.import_module("frames")  # what speaks to a server by frames lies beside the tests of it
call, framed, request = served.call, served.framed, served.request
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


def fuzz(frames: int, seed: int, folder: Path) -> dict[str, Any]:
    """Counts of what a server did with so many hostile lines."""
    found: Counter[str] = Counter()
    wordless: list[str] = []
    slowest = 0.0
    with framed(folder / "graph.duckdb", "--root", str(folder), "--toolsets", "all", "--log-level", "ERROR") as server:
        server.ask(served.initialize(0))
        server.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        server.ask(call(1, "ingest", text="The Mill Service depends on the River Database. " * 3, uri="a:1"))
        made = Fuzz(seed, server.ask(request(2, "tools/list"))["result"]["tools"])
        for number in range(1000, 1000 + frames):
            line, has_id = made.line(number)
            started = time.monotonic()
            # The ping behind it shows that a line that needs no answer has none, and that the server goes on.
            answers = _answers(server, line, number, awaited=has_id)
            slowest = max(slowest, time.monotonic() - started)
            found["sent"] += 1
            found["answered"] += any(each.get("id") == number for each in answers)
            found["unanswered"] += has_id and sum(each.get("id") == number for each in answers) != 1
            for each in answers:
                text = json.dumps(each.get("error") or each.get("result", {}).get("content", ""))
                found["refused"] += "error" in each or bool(each.get("result", {}).get("isError"))
                if "Traceback" in text or "Error executing tool" in text or "A defect stopped" in text:
                    wordless.append(f"{line[:300]!r} -> {text[:300]}")
        code = server.end()
    return {**found, "wordless": wordless[:10], "code": code, "slowest_seconds": round(slowest, 2)}


def _answers(server: Any, line: bytes, number: int, *, awaited: bool) -> list[dict[str, Any]]:
    """The answers to a line, up to that of a ping behind it."""
    server.write(line)
    first = [server.answer()] if awaited else []
    server.write({"jsonrpc": "2.0", "id": f"ping {number}", "method": "ping"})
    while not first or first[-1].get("id") != f"ping {number}":
        first.append(server.answer())
    return first[:-1]


def main() -> None:
    """Print the counts as JSON."""
    given = [int(each) for each in sys.argv[1:]]
    frames, seed = (*given, *(10_000, 1)[len(given) :])
    with tempfile.TemporaryDirectory() as folder:
        found = fuzz(frames, seed, Path(folder))
    print(json.dumps(found, indent=1))
    sys.exit(1 if found["unanswered"] or found["wordless"] or found["code"] else 0)


if __name__ == "__main__":
    main()
