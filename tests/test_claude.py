import json
import logging
import time
from collections.abc import Iterator
from typing import Any

import pytest
from claude_server import KEY, ClaudeServer, failing, failing_midway, saying, sending, waiting

from mcp_graphrag import claude as claude_module
from mcp_graphrag.claude import Claude
from mcp_graphrag.errors import NoAnswer, PartMissing


@pytest.fixture
def claude(claude_api: ClaudeServer) -> Claude:
    return Claude(KEY, "claude-test", claude_api.url)


def whole(claude: Claude, **more: Any) -> str:
    return claude.complete("Be brief.", "Hi?", max_tokens=50, **more)


def pieces(claude: Claude, **more: Any) -> Iterator[str]:
    return claude.stream("Be brief.", "Hi?", max_tokens=50, **more)


def joined(claude: Claude, **more: Any) -> str:
    return "".join(pieces(claude, **more))


WAYS = {"complete": whole, "stream": joined}


def test_a_whole_answer_comes_back_without_the_thinking(claude: Claude, claude_api: ClaudeServer) -> None:
    claude_api.will(saying("Yes, ", "hello."))

    assert whole(claude) == "Yes, hello."
    assert claude_api.asked == [
        {
            "model": "claude-test",
            "max_tokens": 50,
            "system": "Be brief.",
            "messages": [{"role": "user", "content": "Hi?"}],
        }
    ]
    assert claude_api.headers[0]["authorization"] == f"Bearer {KEY}"


def test_an_answer_comes_in_pieces_and_the_answer_is_all_of_them(claude: Claude, claude_api: ClaudeServer) -> None:
    claude_api.will(saying("Yes, ", "hello."))

    assert list(pieces(claude)) == ["Yes, ", "hello."]
    assert claude_api.asked[0]["stream"] is True


def test_half_a_surrogate_pair_does_not_keep_a_text_from_being_asked(claude: Claude, claude_api: ClaudeServer) -> None:
    assert claude.complete("", "cut \ud83d here", max_tokens=5) == "Hello."
    assert claude_api.prompts == ["cut ? here"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("plan", "reason", "says"),
    [
        (failing(401, "authentication_error", "invalid x-api-key"), "denied", "does not take the key (HTTP 401)"),
        (failing(404, "not_found_error", "model: claude-test"), "denied", "no model 'claude-test'"),
        (failing(400, "invalid_request_error", "prompt is too long"), "denied", "HTTP 400). It says: prompt is too"),
        (failing(429, "rate_limit_error", retry_after="600"), "busy", "asks to wait 600 seconds"),
        (failing(529, "overloaded_error", x_should_retry="false"), "busy", "too much to do (HTTP 529)"),
        (failing(500, x_should_retry="false"), "busy", "HTTP 500"),
        (failing(307, location="http://127.0.0.1:1/"), "denied", "HTTP 307"),
        (saying("I cannot.", stop="refusal"), "refused", "refused to answer"),
        (saying("It is", stop="max_tokens"), "cut", "cut at 50 tokens"),
        (saying("", stop="end_turn"), "cut", "answer was empty"),
        (saying("It is", stop="pause_turn"), "cut", "not finished (pause_turn)"),
        (sending(b"<html>hello</html>"), None, ""),
        (sending(b"{not json", "application/json"), None, ""),
    ],
)
def test_what_is_no_whole_answer_is_an_error_that_says_why(
    claude: Claude, claude_api: ClaudeServer, way: str, plan: Any, reason: str | None, says: str
) -> None:
    claude_api.will(plan)

    with pytest.raises(NoAnswer) as caught:
        WAYS[way](claude)

    assert reason is None or caught.value.reason == reason
    assert says in str(caught.value)
    assert caught.value.hint
    assert KEY not in str(caught.value)
    assert len(claude_api.asked) == 1


@pytest.mark.parametrize("way", WAYS)
def test_what_passes_is_tried_again(claude: Claude, claude_api: ClaudeServer, way: str) -> None:
    claude_api.will(failing(529, "overloaded_error", retry_after="0.01"), failing(429, retry_after="0.01"))

    assert WAYS[way](claude) == "Hello."
    assert len(claude_api.asked) == 3


def test_a_stream_that_breaks_off_is_no_answer_and_keeps_what_came(claude: Claude, claude_api: ClaudeServer) -> None:
    claude_api.will(saying("It ", "is", ends=False), failing_midway("It "))

    for reason, came in (("cut", ["It ", "is"]), ("busy", ["It "])):
        read: list[str] = []
        with pytest.raises(NoAnswer) as caught:
            read.extend(pieces(claude))
        assert (caught.value.reason, caught.value.text, read) == (reason, "".join(came), came)


@pytest.mark.parametrize("way", WAYS)
def test_nobody_waits_longer_than_was_allowed(claude: Claude, claude_api: ClaudeServer, way: str) -> None:
    claude_api.otherwise = waiting(1)
    began = time.monotonic()

    with pytest.raises(NoAnswer) as caught:
        WAYS[way](claude, seconds=0.4)

    assert caught.value.reason == "late"
    assert time.monotonic() - began < 5


def test_a_network_that_is_down_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_module, "RETRIES", 0)
    with pytest.raises(NoAnswer, match="cannot be reached") as caught:
        whole(Claude(KEY, "claude-test", "http://127.0.0.1:1"))

    assert (caught.value.reason, caught.value.text) == ("unreachable", "")


@pytest.mark.parametrize("key", ["", "sk-ant\n", "sk–ant"])
def test_a_key_that_is_none_is_refused_before_anything_is_asked(key: str) -> None:
    with pytest.raises(PartMissing, match="key"):
        Claude(key, "claude-test")


def test_without_the_extra_the_command_that_installs_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_: str) -> None:
        """As where the package is not installed."""

    monkeypatch.setattr(claude_module.importlib.util, "find_spec", nothing)
    with pytest.raises(PartMissing, match=r"pip install 'mcp-graphrag\[claude\]'"):
        Claude(KEY, "claude-test")


@pytest.mark.parametrize("url", ["http://[", "nowhere", "ftp://a", "http://"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(PartMissing, match="claude_url"):
        Claude(KEY, "claude-test", url)


def test_neither_key_nor_text_is_logged(
    claude: Claude, claude_api: ClaudeServer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        claude.complete("system words", "document words", max_tokens=5)

    logged = json.dumps([record.getMessage() for record in caplog.records])
    assert len(claude_api.asked) == 1
    assert all(each not in logged for each in (KEY, "document words", "system words"))
    assert KEY not in repr(claude)
