"""What any line of bytes becomes: a message, an answer that refuses it, or nothing."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from forked import command
from frames import Frames, call, framed
from hypothesis import given
from hypothesis import strategies as st
from mcp.types import JSONRPCNotification, JSONRPCRequest

from mcp_graphrag.server.frames import MAX_BYTES, MAX_DEPTH, LineBuffer, Refusal, read_frame

REQUEST = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":%s}}'
ID_LAST = b'{"method":"tools/call","params":{"a":%s},"jsonrpc":"2.0","id":7}'
BAD_VALUES: dict[str, tuple[bytes, str]] = {
    "deep lists": (b"[" * 300 + b"]" * 300, "nested more than 100 levels deep"),
    "very deep lists": (b"[" * 300_000 + b"]" * 300_000, "nested more than 100 levels deep"),
    "deep objects": (b'{"a":' * 300 + b"1" + b"}" * 300, "nested more than 100 levels deep"),
    "a long number": (b"9" * 100_000, "a number of 100,000 characters; the most is 300"),
    "an infinite number": (b"1e999", "an infinite number"),
    "many numbers": (b"[" + b"1," * 600_000 + b"1]", "more than 500,000 names, values and brackets"),
    "no JSON": (b"[1,,]", "no JSON"),
    "NaN": (b"NaN", "no JSON"),
    "Infinity": (b"-Infinity", "no JSON"),
}


@pytest.mark.parametrize("value", BAD_VALUES)
@pytest.mark.parametrize("form", [REQUEST, ID_LAST], ids=["id first", "id last"])
def test_a_request_that_is_not_read_is_refused_by_its_id(value: str, form: bytes) -> None:
    written, said = BAD_VALUES[value]
    frame = read_frame(form % written)
    assert isinstance(frame, Refusal)
    assert frame.id == 7
    assert said in frame.message
    assert frame.answer.error.code in {-32600, -32700}


BAD_REQUESTS: dict[str, tuple[Any, int | str | None, int]] = {
    "params a list": ({"id": 1, "method": "a", "params": [1]}, 1, -32602),
    "params a text": ({"id": "x", "method": "a", "params": "b"}, "x", -32602),
    "no jsonrpc": ({"id": 1, "method": "a", "jsonrpc": None}, 1, -32600),
    "another jsonrpc": ({"id": 1, "method": "a", "jsonrpc": "1.0"}, 1, -32600),
    "method a number": ({"id": 1, "method": 5}, 1, -32600),
    "no method": ({"id": 1}, 1, -32600),
    "id null": ({"id": None, "method": "a"}, None, -32600),
    "id an object": ({"id": {}, "method": "a"}, None, -32600),
    "id a float": ({"id": 1.5, "method": "a"}, None, -32600),
    "id a bool": ({"id": True, "method": "a"}, None, -32600),
    "nothing": ({}, None, -32600),
}


@pytest.mark.parametrize("name", BAD_REQUESTS)
def test_an_object_that_is_no_request_is_refused(name: str) -> None:
    given_, id_, code = BAD_REQUESTS[name]
    frame = read_frame(json.dumps({"jsonrpc": "2.0", **given_}).encode())
    assert isinstance(frame, Refusal)
    assert (frame.id, frame.code) == (id_, code)


@pytest.mark.parametrize("line", [b"[]", b'[{"jsonrpc":"2.0","id":1,"method":"a"}]', b'"x"', b"5", b"{", b"\xff\xfe"])
def test_a_line_without_a_readable_id_is_refused_with_null(line: bytes) -> None:
    frame = read_frame(line)
    assert isinstance(frame, Refusal)
    assert frame.answer.model_dump()["id"] is None


@pytest.mark.parametrize(
    "line",
    [b"", b" \r", b'{"jsonrpc":"2.0","method":"a","params":5}', b'{"jsonrpc":"2.0","id":1,"result":5}'],
)
def test_a_bad_notification_or_answer_is_left_out(line: bytes) -> None:
    assert read_frame(line) is None


def test_an_id_inside_a_value_is_not_that_of_the_request() -> None:
    frame = read_frame(b'{"params":{"id":5,"x":"\\"id\\":6,"},"id":7,"method":[')
    assert isinstance(frame, Refusal)
    assert frame.id == 7


def test_halves_of_surrogate_pairs_and_bytes_that_are_not_utf8_become_replacement_characters() -> None:
    for written in (rb'"\ud83d and \ud83d\ude00 and \\ud83d"', b'"\xff and \xf0\x9f\x98\x80 and \\\\ud83d"'):
        frame = read_frame(REQUEST % written)
        assert isinstance(frame, JSONRPCRequest)
        assert frame.params == {"a": "\ufffd and \U0001f600 and \\ud83d"}


def test_values_at_the_bounds_are_read() -> None:
    deepest = b"[" * (MAX_DEPTH - 2) + b"]" * (MAX_DEPTH - 2)
    for written in (deepest, b"9" * 300, b"-1.5e300", b'"' + b"[" * 1000 + b"9" * 100_000 + b'"'):
        assert isinstance(read_frame(REQUEST % written), JSONRPCRequest)
    assert isinstance(read_frame(b'{"jsonrpc":"2.0","method":"a"}'), JSONRPCNotification)


@pytest.mark.parametrize("unit", [b"[", b'"', b'\\"', b'"\\', b"1", b"1e", b"1,", b'"",', b'{"id":', b'"id":1,', b"-"])
@pytest.mark.slow
def test_reading_takes_linear_time(unit: bytes) -> None:
    for before in (b"", b'"', b'{"a":'):
        started = time.process_time()
        read_frame(before + unit * (4_000_000 // len(unit)))
        assert time.process_time() - started < 4, "0.5 s is usual; quadratic reading takes minutes"


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(line: bytes) -> None:
    read_frame(line)
    read_frame(REQUEST % line)


@given(st.lists(st.binary(max_size=30), max_size=20), st.integers(1, 7))
def test_a_stream_is_cut_at_its_line_ends_wherever_its_chunks_end(lines: list[bytes], size: int) -> None:
    lines = [line.replace(b"\n", b"") for line in lines]
    stream = b"\n".join(lines)
    buffer = LineBuffer()
    found = [line for at in range(0, len(stream), size) for line in buffer.feed(stream[at : at + size])]
    assert [*found, *buffer.end()] == (lines if lines and lines[-1] else lines[:-1])


def test_of_a_line_that_is_too_long_only_the_ends_are_kept() -> None:
    buffer = LineBuffer(max_bytes=20_000)
    (refusal, after) = [
        line
        for part in (b'{"params":"', *[b"x" * 9_000] * 20, b'","jsonrpc":"2.0","id":"a"}\n', b"next\n")
        for line in buffer.feed(part)
    ]
    assert isinstance(refusal, Refusal)
    assert refusal.id == "a"
    assert refusal.message == "The message has 180,038 bytes; the most is 20,000. Send less at once."
    assert after == b"next"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Frames]:
    """A served process after the handshake."""
    with framed(tmp_path_factory.mktemp("frames") / "graph.duckdb", start=command()) as started:
        yield started.opened()


def answered(server: Frames, line: bytes) -> dict[str, Any]:
    """The answer to a line, and the proof that the server goes on."""
    found = server.ask(line)
    assert "result" in server.ask(call(99))
    return found


@pytest.mark.parametrize("value", BAD_VALUES)
def test_every_request_is_answered_over_stdio(server: Frames, value: str) -> None:
    found = answered(server, ID_LAST % BAD_VALUES[value][0])
    assert found["id"] == 7
    assert BAD_VALUES[value][1] in found["error"]["message"]


def test_a_line_of_any_length_is_answered_over_stdio(server: Frames) -> None:
    found = answered(server, REQUEST % (b'"' + b"x" * MAX_BYTES + b'"'))
    assert (found["id"], found["error"]["code"]) == (7, -32600)
    assert "the most is 64,000,000" in found["error"]["message"]


def test_a_last_line_without_an_end_is_answered(tmp_path: Path) -> None:
    with framed(tmp_path / "graph.duckdb", start=command()) as server:
        server.opened()
        assert server.process.stdin is not None
        server.process.stdin.write(b'{"jsonrpc":"2.0","id":5,"method":[')
        server.process.stdin.close()
        assert server.answer()["id"] == 5
