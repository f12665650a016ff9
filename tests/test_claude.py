import asyncio
import json
import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from claude_server import (
    KEY,
    ClaudeServer,
    Connection,
    error_response,
    no_response,
    raw_response,
    stream_error,
    text_response,
)

from mcp_graphrag import claude as claude_module
from mcp_graphrag.claude import Claude, JsonRequest
from mcp_graphrag.errors import NoAnswer, PartMissing

QUESTION = JsonRequest("Answer.", "Hello?", {"type": "object"}, 50)


@pytest.fixture
def claude(claude_api: ClaudeServer) -> Claude:
    return Claude(KEY, "claude-test", claude_api.url)


def complete(claude: Claude, **options: Any) -> str:
    return claude.complete("Be brief.", "Hi?", max_tokens=50, **options)


def stream(claude: Claude, **options: Any) -> Iterator[str]:
    return claude.stream("Be brief.", "Hi?", max_tokens=50, **options)


def joined_stream(claude: Claude, **options: Any) -> str:
    return "".join(stream(claude, **options))


CALLS = {"complete": complete, "stream": joined_stream}


def test_a_complete_answer_is_returned_without_the_thinking(claude: Claude, claude_api: ClaudeServer) -> None:
    claude_api.enqueue(text_response("Yes, ", "hello."))

    assert complete(claude) == "Yes, hello."
    messages = [{"role": "user", "content": "Hi?"}]
    sent = {"model": "claude-test", "max_tokens": 50, "system": "Be brief.", "messages": messages}
    assert claude_api.requests == [sent]
    assert claude_api.headers[0]["authorization"] == f"Bearer {KEY}"


def test_a_streamed_answer_arrives_in_pieces(claude: Claude, claude_api: ClaudeServer) -> None:
    claude_api.enqueue(text_response("Yes, ", "hello."))

    assert list(stream(claude)) == ["Yes, ", "hello."]
    assert claude_api.requests[0]["stream"] is True


def test_a_lone_surrogate_in_a_prompt_is_replaced(claude: Claude, claude_api: ClaudeServer) -> None:
    assert claude.complete("", "cut \ud83d here", max_tokens=5) == "Hello."
    assert claude_api.prompts == ["cut ? here"]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("response", "reason", "message"),
    [
        (error_response(401, "authentication_error", "invalid x-api-key"), "denied", "rejected the key (HTTP 401)"),
        (error_response(404, "not_found_error", "model: claude-test"), "denied", "no model 'claude-test'"),
        (error_response(400, message="prompt is too long"), "denied", "HTTP 400). The API says: prompt is too"),
        (error_response(400, message="Your credit is too low."), "denied", "low. Check the account of claude_key."),
        (error_response(429, "rate_limit_error", retry_after="600"), "busy", "asks to wait 600 seconds"),
        (error_response(529, "overloaded_error", x_should_retry="false"), "busy", "overloaded (HTTP 529)"),
        (error_response(500, x_should_retry="false"), "busy", "HTTP 500"),
        (error_response(307, location="http://127.0.0.1:1/"), "denied", "HTTP 307"),
        (text_response("I cannot.", stop="refusal"), "refused", "refused to answer"),
        (text_response("It is", stop="max_tokens"), "cut", "cut off at 50 tokens"),
        (text_response("", stop="end_turn"), "cut", "answer was empty"),
        (text_response("It is", stop="pause_turn"), "cut", "not finished (pause_turn)"),
        (raw_response(b"<html>hello</html>"), None, ""),
        (raw_response(b"{not json", "application/json"), None, ""),
    ],
)
def test_an_incomplete_answer_is_an_error_with_a_reason(
    claude: Claude, claude_api: ClaudeServer, call: str, response: Any, reason: str | None, message: str
) -> None:
    claude_api.enqueue(response)

    with pytest.raises(NoAnswer) as caught:
        CALLS[call](claude)

    assert reason is None or caught.value.reason == reason
    assert message in str(caught.value)
    assert caught.value.hint
    assert KEY not in str(caught.value)
    assert len(claude_api.requests) == 1


@pytest.mark.parametrize("call", CALLS)
def test_temporary_errors_are_retried(claude: Claude, claude_api: ClaudeServer, call: str) -> None:
    claude_api.enqueue(*(error_response(status, retry_after="0.01") for status in (529, 429)))

    assert CALLS[call](claude) == "Hello."
    assert len(claude_api.requests) == 3


def test_work_that_is_stopped_is_not_retried(claude: Claude, claude_api: ClaudeServer) -> None:
    claude_api.enqueue(error_response(529, "overloaded_error", retry_after="0.01"))
    with claude.requests(stopped=lambda: True) as send, pytest.raises(NoAnswer):
        send(QUESTION).result(60)
    assert len(claude_api.requests) == 1


def test_requests_are_answered_at_the_same_time_also_below_a_running_event_loop(
    claude: Claude, claude_api: ClaudeServer
) -> None:
    together = threading.Barrier(3, timeout=60)

    def respond(connection: Connection, body: dict[str, Any]) -> None:
        together.wait()
        text_response("Yes.")(connection, body)

    async def ask() -> list[str]:
        with claude.requests() as send:
            return [each.result(60).text for each in [send(QUESTION) for _ in range(3)]]

    claude_api.default = respond
    assert asyncio.run(ask()) == ["Yes."] * 3


def test_requests_under_way_at_the_end_are_cancelled(claude: Claude, claude_api: ClaudeServer) -> None:
    asked, closed = threading.Event(), threading.Event()

    def respond(connection: Connection, _: dict[str, Any]) -> None:
        asked.set()
        assert connection.rfile.read(1) == b"", "nothing comes but the end of the connection"
        closed.set()
        connection.close_connection = True

    claude_api.enqueue(respond, error_response(529, "overloaded_error", retry_after="50"))
    began = time.monotonic()
    with claude.requests() as send:
        replies = [send(QUESTION), send(QUESTION)]
        assert asked.wait(60)
    assert closed.wait(60)
    assert [each.cancelled() for each in replies] == [True, True]
    assert time.monotonic() - began < 40, "a wait before a retry is cancelled too"


def test_an_interrupted_stream_is_an_error_with_the_text_so_far(claude: Claude, claude_api: ClaudeServer) -> None:
    claude_api.enqueue(text_response("It ", "is", complete=False), stream_error("It "))

    for reason, received in (("cut", ["It ", "is"]), ("busy", ["It "])):
        read: list[str] = []
        with pytest.raises(NoAnswer) as caught:
            read.extend(stream(claude))
        assert (caught.value.reason, caught.value.text, read) == (reason, "".join(received), received)


@pytest.mark.parametrize("call", CALLS)
def test_a_call_ends_at_its_time_limit(claude: Claude, claude_api: ClaudeServer, call: str) -> None:
    claude_api.default = no_response(1)
    start = time.monotonic()

    with pytest.raises(NoAnswer) as caught:
        CALLS[call](claude, seconds=0.4)

    assert caught.value.reason == "late"
    assert time.monotonic() - start < 5


def test_an_unreachable_network_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_module, "RETRIES", 0)
    with pytest.raises(NoAnswer, match="cannot be reached") as caught:
        complete(Claude(KEY, "claude-test", "http://127.0.0.1:1"))

    assert (caught.value.reason, caught.value.text) == ("unreachable", "")


@pytest.mark.parametrize("key", ["", "sk-ant\n", "sk–ant"])
def test_an_invalid_key_is_rejected_before_any_request(key: str) -> None:
    with pytest.raises(PartMissing, match="key"):
        Claude(key, "claude-test")


def test_a_missing_extra_is_reported_with_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_installed(_: str) -> None:
        """Behave as if the package were not installed."""

    monkeypatch.setattr(claude_module.importlib.util, "find_spec", not_installed)
    with pytest.raises(PartMissing, match=r"pip install 'mcp-graphrag\[claude\]'"):
        Claude(KEY, "claude-test")


@pytest.mark.parametrize("url", ["http://[", "nowhere", "ftp://a", "http://"])
def test_an_invalid_url_is_rejected(url: str) -> None:
    with pytest.raises(PartMissing, match="claude_url"):
        Claude(KEY, "claude-test", url)


def test_neither_key_nor_text_is_logged(
    claude: Claude, claude_api: ClaudeServer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        claude.complete("system words", "document words", max_tokens=5)

    logged = json.dumps([record.getMessage() for record in caplog.records])
    assert len(claude_api.requests) == 1
    assert all(secret not in logged for secret in (KEY, "document words", "system words"))
    assert KEY not in repr(claude)
