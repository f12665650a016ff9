"""Claude: one text asked, one text answered, whole or in pieces. Nothing of the SDK crosses this module.

The SDK is the extra [claude] and takes a second to import, with an HTTP client below it: so it is imported at the first
call. What is sent is the caller's to mark: text of documents is data there too.
"""

import importlib.util
import json
import logging
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from mcp_graphrag.errors import NoAnswer, PartMissing

if TYPE_CHECKING:
    from anthropic import Anthropic, APIError
    from anthropic.types import Message

INSTALL = "pip install 'mcp-graphrag[claude]'"
API = "https://api.anthropic.com"
CONNECT_SECONDS = 5.0
RETRIES = 2
LONGEST_SAID = 200
CHECK_URL = "Check the setting claude_url; leave it empty for Anthropic's own API."
AGAIN = "Wait a minute and call again."
ENDED = frozenset({"end_turn", "stop_sequence"})
CUT = frozenset({"max_tokens", "model_context_window_exceeded"})
BUSY = frozenset({"rate_limit_error", "overloaded_error", "api_error", "timeout_error"})
DENIED = frozenset({"authentication_error", "permission_error", "billing_error"})


class Claude:
    """A model of the Messages API, with the key that pays for it. Safe for several threads.

    `url` is the API's, "" for Anthropic's own. Raises PartMissing without a key or without the extra.
    """

    def __init__(self, key: str, model: str, url: str = "") -> None:
        if not key:
            raise PartMissing("Claude needs a key.", "Set claude_key, as in MCP_GRAPHRAG_CLAUDE_KEY=sk-ant-…")
        if not (key.isascii() and key.isprintable()):
            raise PartMissing(
                "The setting claude_key has characters that no header can carry.",
                "Copy the key again, without a line break around it.",
            )
        if url and not _is_address(url):
            raise PartMissing("The setting claude_url is no http address.", CHECK_URL)
        if importlib.util.find_spec("anthropic") is None:
            raise PartMissing("Claude needs the package anthropic.", f"Install it: {INSTALL}")
        self.model = model
        self._key = key
        self._url = url or API
        self._lock = threading.Lock()
        self._made: Anthropic | None = None

    def __repr__(self) -> str:
        return f"Claude(model={self.model!r})"

    def complete(self, system: str, text: str, *, max_tokens: int, seconds: float = 60) -> str:
        """The whole answer to a text.

        Raises NoAnswer where there is none: refused, cut at `max_tokens`, busy, out of reach, not in `seconds`.
        """
        with self._asked(seconds) as client:
            message = cast("Message", client.messages.create(**self._request(system, text, max_tokens)))
        # The SDK hands on whatever came with HTTP 200, a web page too.
        if getattr(message, "type", None) != "message":
            raise NoAnswer("unreachable", "What came from Claude could not be read.", CHECK_URL)
        answer = "".join(block.text for block in message.content if block.type == "text")
        return _whole(answer, message.stop_reason, max_tokens)

    def stream(self, system: str, text: str, *, max_tokens: int, seconds: float = 30) -> Iterator[str]:
        """The answer to a text piece by piece, as it comes.

        Raises NoAnswer, after some pieces maybe, where the whole is no answer: its `text` has the pieces so far.
        """
        parts: list[str] = []
        reason: str | None = None
        until = time.monotonic() + seconds
        try:
            with (
                self._asked(seconds) as client,
                client.messages.create(**self._request(system, text, max_tokens), stream=True) as events,
            ):
                for event in events:
                    if event.type == "content_block_delta" and event.delta.type == "text_delta":
                        parts.append(event.delta.text)
                        yield event.delta.text
                    elif event.type == "message_delta":
                        reason = event.delta.stop_reason
                    if time.monotonic() > until:
                        raise NoAnswer("late", f"Claude did not finish in {seconds:g} seconds.", AGAIN)  # noqa: TRY301
        except NoAnswer as error:
            error.text = "".join(parts)
            raise
        _whole("".join(parts), reason, max_tokens)

    def _request(self, system: str, text: str, max_tokens: int) -> dict[str, Any]:
        # JSON takes no lone surrogates, which texts cut inside an emoji have.
        system, text = (each.encode("utf-8", "replace").decode() for each in (system, text))
        messages = [{"role": "user", "content": text}]
        return {"model": self.model, "max_tokens": max_tokens, "system": system, "messages": messages}

    @contextmanager
    def _asked(self, seconds: float) -> "Generator[Anthropic]":
        """The SDK's client for one call that ends in time, its errors in our words."""
        client = self._client()
        import anthropic  # noqa: PLC0415
        import httpx2  # noqa: PLC0415

        timeout = httpx2.Timeout(seconds / 2, connect=min(CONNECT_SECONDS, seconds / 2))
        in_time = _in_time(time.monotonic() + seconds / 2)
        try:
            yield client.with_options(timeout=timeout, middleware=[in_time])
        except anthropic.APIError as error:
            raise _trouble(error, self.model) from error
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise NoAnswer("unreachable", f"The connection to Claude broke ({type(error).__name__}).", AGAIN) from error
        except (json.JSONDecodeError, UnicodeDecodeError) as error:  # which the SDK does not wrap
            raise NoAnswer("unreachable", "What came from Claude could not be read.", CHECK_URL) from error

    def _client(self) -> "Anthropic":
        with self._lock:
            if self._made is None:
                import anthropic  # noqa: PLC0415

                # At level DEBUG the SDK logs whole requests: the texts of documents.
                logging.getLogger("anthropic").setLevel(logging.WARNING)
                # Given, so that the SDK takes neither from the environment; and no redirect takes the key elsewhere.
                self._made = anthropic.Anthropic(
                    api_key=self._key,
                    base_url=self._url,
                    max_retries=RETRIES,
                    open_telemetry=False,
                    http_client=anthropic.DefaultHttpxClient(follow_redirects=False),
                )
            return self._made


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def _whole(answer: str, reason: str | None, max_tokens: int) -> str:
    """The answer. Raises NoAnswer where the stop reason, or its emptiness, says that it is none."""
    if reason in ENDED and answer.strip():
        return answer
    if reason == "refusal":
        raise NoAnswer("refused", "Claude refused to answer this.", "Put it in other words.", answer)
    if reason in CUT:
        said = f"Claude's answer was cut at {max_tokens} tokens."
        raise NoAnswer("cut", said, "Ask for less at once.", answer)
    said = "empty" if reason in ENDED else f"not finished ({reason or 'no stop reason'})"
    raise NoAnswer("cut", f"Claude's answer was {said}.", AGAIN, answer)


def _in_time(until: float) -> Callable[[Any, Callable[[Any], Any]], Any]:
    """What the SDK calls around every try: no further one after `until`, and no waiting beyond it."""

    def attempt(request: Any, call_next: Callable[[Any], Any]) -> Any:
        if request.retries_taken and time.monotonic() > until:
            raise NoAnswer("late", "Claude did not answer in time.", AGAIN)
        response = call_next(request)
        wait = response.headers.get("retry-after")
        if response.status_code >= 400 and wait is not None and not _is_near(wait, until):
            response.http_response.close()
            said = f"Claude has too much to do (HTTP {response.status_code}) and asks to wait"
            raise NoAnswer("busy", f"{said} {wait[:40]} seconds.", "Call again then.")
        return response

    return attempt


def _is_near(wait: str, until: float) -> bool:
    try:
        return time.monotonic() + float(wait) < until
    except ValueError:  # a date: more than a moment
        return False


def _trouble(error: "APIError", model: str) -> NoAnswer:
    """An error of the SDK in our words. What the API says of it goes into the hint, for hints are not logged."""
    from anthropic import APIStatusError, APITimeoutError  # noqa: PLC0415

    if isinstance(error, APITimeoutError):
        return NoAnswer("late", "Claude did not answer in time.", AGAIN)
    if not isinstance(error, APIStatusError):
        return NoAnswer("unreachable", "Claude cannot be reached.", "Check the network and the setting claude_url.")
    status = error.status_code
    # An error in the middle of a stream comes with HTTP 200: only its kind tells.
    kind = (error.type or "unknown error") if status < 300 else ""
    code = kind or f"HTTP {status}"
    if kind in BUSY or status in {408, 409, 429} or status >= 500:
        return NoAnswer("busy", f"Claude has too much to do ({code}).", AGAIN)
    if kind in DENIED or status in {401, 402, 403}:
        return NoAnswer("denied", f"Claude does not take the key ({code}).", _said(error, "Check claude_key."))
    if status == 404:
        hint = _said(error, "Check the settings claude_model and claude_url.")
        return NoAnswer("denied", f"Claude has no model '{model}' ({code}).", hint)
    return NoAnswer("denied", f"Claude does not take the request ({code}).", _said(error, "Ask for less at once."))


def _said(error: Any, hint: str) -> str:
    said = " ".join(str(error.api_message or "").split())[:LONGEST_SAID]
    return f"It says: {said} {hint}" if said else hint
