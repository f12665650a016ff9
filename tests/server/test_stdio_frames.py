import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from forked import command
from frames import INITIALIZED, MODERN, call, discover, framed, initialize

EMPTY = "The graph is empty. ingest takes texts and files, add_triples takes triples."
ORDERS: dict[str, Sequence[dict[str, Any]]] = {
    "discover, then initialize": [discover(1), initialize(2), INITIALIZED, call(3)],
    "discover twice, then an unknown version": [discover(1), discover(2), initialize(3, "2099-01-01"), call(4)],
    "discover, then a modern call": [discover(1), discover(2), call(3, meta=MODERN)],
    "initialize": [initialize(1), INITIALIZED, call(2)],
    "a modern call first": [call(1, meta=MODERN), call(2, meta=MODERN)],
}


def spoken(db: Path, order: str) -> dict[int, Any]:
    """The answers, by id, of a server that hears the frames of an order, then ends."""
    answers: dict[int, Any] = {}
    with framed(db) as server:
        for frame in ORDERS[order]:
            server.write(frame)
            # A host does not wait for the answer to its probe: it may come while the server still starts.
            while frame.get("id", 0) > max(answers, default=0) and frame["method"] != "server/discover":
                answer = server.answer()
                answers[answer["id"]] = answer["result"]
        assert server.end() == 0
    return answers


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[int, Any]]:
    """What each order of frames is answered."""
    folder = tmp_path_factory.mktemp("orders")
    with ThreadPoolExecutor(3) as threads:
        files = [folder / f"{number}.duckdb" for number in range(len(ORDERS))]
        return dict(zip(ORDERS, threads.map(spoken, files, ORDERS), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_every_order_of_frames_is_answered(heard: dict[str, dict[int, Any]], order: str) -> None:
    calls = [frame["id"] for frame in ORDERS[order] if frame["method"] == "tools/call"]
    assert sorted(heard[order]) == [frame["id"] for frame in ORDERS[order] if "id" in frame]
    assert [heard[order][each]["structuredContent"]["hint"] for each in calls] == [EMPTY] * len(calls)


def test_a_call_before_the_handshake_is_refused_and_the_handshake_still_works(tmp_path: Path) -> None:
    with framed(tmp_path / "graph.duckdb", start=command()) as server:
        assert server.ask(call(1))["error"]["code"] == -32602
        assert server.opened().ask(call(2))["result"]["structuredContent"]["hint"] == EMPTY


def test_lines_that_are_no_messages_do_not_end_the_server(tmp_path: Path) -> None:
    noise = [b"{not json", b"[1,2]", b'"x"', b"\xff\xfe\x00", b"[" * 100_000]
    silent = [b"", b'{"jsonrpc":"2.0","method":"tools/call"}']
    with framed(tmp_path / "graph.duckdb", start=command()) as server:
        server.opened()
        for line in [*noise, *silent]:
            server.write(line)
        assert [server.answer()["id"] for _ in noise] == [None] * len(noise)
        assert server.ask({"jsonrpc": "2.0", "id": 1, "method": "nope"})["error"]["code"] == -32601
        assert server.ask(call(2))["result"]["structuredContent"]["hint"] == EMPTY
        assert server.end() == 0


def test_half_a_surrogate_pair_is_answered_and_stored_as_a_replacement_character(tmp_path: Path) -> None:
    fact = {"subject": "Ann \ud83d", "predicate": "knows", "object": "Bob \U0001f600"}
    with framed(tmp_path / "graph.duckdb", start=command()) as server:
        server.opened()
        stored = server.ask(call(1, "add_triples", triples=[fact]))["result"]["structuredContent"]["triples"][0]
        assert (stored["subject"], stored["object"]) == ("Ann \ufffd", "Bob \U0001f600")
        server.ask(call(2, "ingest", text="cut in an emoji: \ud83d", uri="note:1", extract="none"))
        assert server.ask(call(3, "get_source", what="note:1"))["result"]["structuredContent"]["text"] == (
            "cut in an emoji: \ufffd"
        )


def test_stdout_carries_nothing_but_messages(tmp_path: Path) -> None:
    with framed(tmp_path / "graph.duckdb", "--log-level", "DEBUG", start=command()) as server:
        server.opened()
        server.ask(call(1, "ingest", text="The Ferry Service depends on the Tide Database."))
        server.ask(call(2, "search", query="ferry"))
        server.ask(call(3, "get_neighbourhood", entity="Nobody"))
        server.ask(call(4, "no_such_tool"))
        assert server.end() == 0
    messages = [json.loads(line) for line in server.lines]
    assert [each["jsonrpc"] for each in messages] == ["2.0"] * len(messages)
    assert [each["id"] for each in messages if "id" in each] == [0, 1, 2, 3, 4]


def test_a_byte_order_mark_in_front_of_the_first_frame_is_passed_over(tmp_path: Path) -> None:
    ping = b'\xef\xbb\xbf{"jsonrpc":"2.0","id":82,"method":"ping"}'
    with framed(tmp_path / "graph.duckdb", start=command()) as server:
        assert server.ask(ping) == {"jsonrpc": "2.0", "id": 82, "result": {}}
