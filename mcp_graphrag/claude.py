"""Claude: text and JSON through the Anthropic SDK, whole or streamed. No SDK types leave this module.

The SDK is the optional extra [claude] and takes a second to import, so it is imported at the first call. Callers mark
the text of documents in their prompts as data.
"""

import importlib.util
import json
import logging
import time
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from mcp_graphrag.errors import NoAnswer, PartMissing

if TYPE_CHECKING:
    from anthropic import Anthropic, APIError
    from anthropic.types import Message

INSTALL = "pip install 'mcp-graphrag[claude]'"
DEFAULT_URL = "https://api.anthropic.com"
CONNECT_SECONDS = 5.0
RETRIES = 2
BACKGROUND_RETRIES = 5  # where nobody waits
BACKGROUND_SECONDS = 240.0  # of one request and its retries; a retry starts in the first half of them
MAX_API_MESSAGE_LENGTH = 200
BATCHES_A_PAGE = 100
URL_HINT = "Check the setting claude_url; leave it empty for Anthropic's own API."
RETRY_HINT = "Wait a minute and call again."
COMPLETE_REASONS = frozenset({"end_turn", "stop_sequence"})
TRUNCATED_REASONS = frozenset({"max_tokens", "model_context_window_exceeded"})
BUSY_ERRORS = frozenset({"rate_limit_error", "overloaded_error", "api_error", "timeout_error"})
DENIED_ERRORS = frozenset({"authentication_error", "permission_error", "billing_error"})


@dataclass(frozen=True)
class JsonRequest:
    """A request for JSON that obeys `schema`, a JSON schema in the form that the API takes (see `api_schema`)."""

    system: str
    text: str
    schema: Mapping[str, Any]
    max_tokens: int


@dataclass(frozen=True)
class Reply:
    """What Claude answered, complete or not, and the tokens that are charged.

    `ended` is "complete", "cut" or "refused". Input tokens that were read from or written to the prompt cache have
    other prices.
    """

    text: str
    ended: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0


class Claude:
    """A model of the Messages API and its key. Thread-safe.

    `url` is the API's base url, "" for Anthropic's own. Raises PartMissing without a key or the extra
    if it `is_asked`; else it only estimates.
    """

    def __init__(self, key: str, model: str, url: str = "", *, is_asked: bool = True) -> None:
        self.model = model
        self._key = key
        self._url = url or DEFAULT_URL
        if is_asked:
            self.check()

    def check(self) -> None:
        """Raise PartMissing where it cannot be asked: without a key or the package, or for what is no URL."""
        key = self._key
        if not key:
            raise PartMissing("Claude needs a key.", "Set claude_key, as in MCP_GRAPHRAG_CLAUDE_KEY=sk-ant-…")
        if not (key.isascii() and key.isprintable()):
            raise PartMissing(
                "The setting claude_key has characters that are not allowed in an HTTP header.",
                "Copy the key again, without line breaks.",
            )
        if not _is_http_url(self._url):
            raise PartMissing("The setting claude_url is not an HTTP URL.", URL_HINT)
        if importlib.util.find_spec("anthropic") is None:
            raise PartMissing("Claude needs the package anthropic.", f"Install it: {INSTALL}")

    def complete(self, system: str, text: str, *, max_tokens: int, seconds: float = 60) -> str:
        """The complete answer to a text.

        Raises NoAnswer if Claude refuses, is busy or unreachable, exceeds `max_tokens`, or takes more than `seconds`.
        """
        return self._complete(self._request(system, text, max_tokens), seconds)

    def complete_json(self, request: JsonRequest, *, seconds: float = 60) -> str:
        """The complete answer to a request, which obeys its schema. Raises NoAnswer as `complete` does."""
        return self._complete(self._json_body(request), seconds)

    def _complete(self, body: Mapping[str, Any], seconds: float) -> str:
        with self._call(seconds) as client:
            message = cast("Message", client.messages.create(**body))
        _check_message(message)
        return _check_complete(_text(message), message.stop_reason, body["max_tokens"])

    @contextmanager
    def requests(
        self, stopped: Callable[[], bool] = lambda: False
    ) -> "Generator[Callable[[JsonRequest], Future[Reply]]]":
        """A function that sends a request of background work and gives the reply to come, complete or not.

        A busy or unreachable API is asked again some times, after the seconds that it asks to wait, unless the work is
        `stopped`. The future raises NoAnswer if there is no reply. What is under way at the end is cancelled.
        """
        import anthropic  # noqa: PLC0415
        from anyio.from_thread import start_blocking_portal  # noqa: PLC0415

        client = anthropic.AsyncAnthropic(
            **self._access, http_client=anthropic.DefaultAsyncHttpxClient(follow_redirects=False)
        )
        sent: list[Future[Reply]] = []

        async def ask(request: JsonRequest) -> Reply:
            limits = _Limits(BACKGROUND_SECONDS, stopped)
            mine = client.with_options(
                timeout=limits.timeout, middleware=[limits.attempt_async], max_retries=BACKGROUND_RETRIES
            )
            with self._errors():
                message = cast("Message", await mine.messages.create(**self._json_body(request)))
            _check_message(message)
            return _reply(message)

        def send(request: JsonRequest) -> Future[Reply]:
            sent.append(loop.start_task_soon(ask, request))
            return sent[-1]

        with start_blocking_portal(name="mcp-graphrag-claude") as loop:
            try:
                yield send
            finally:
                for each in sent:
                    each.cancel()
                loop.call(client.close)

    def start_batch(self, requests: Mapping[str, JsonRequest]) -> str:
        """The id of a new batch of requests, each with its own id. Raises NoAnswer if that did not arrive.

        It is not asked for twice: the batch may have been accepted, and is paid for then; see `batches_between`.
        """
        bodies = [{"custom_id": name, "params": self._json_body(each)} for name, each in requests.items()]
        with self._call(BACKGROUND_SECONDS, retries=0) as client:
            return client.messages.batches.create(requests=cast("Any", bodies)).id

    def batches_between(self, since: datetime, until: datetime, size: int) -> Sequence[str]:
        """The ids of batches of so many requests that were made in this time; those that have ended come first."""
        found: list[tuple[bool, str]] = []
        with self._call(BACKGROUND_SECONDS, retries=BACKGROUND_RETRIES, of_batch=True) as client:
            for each in client.messages.batches.list(limit=BATCHES_A_PAGE):  # the latest first
                if each.created_at < since:
                    break
                counts = each.request_counts
                made = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
                if each.created_at <= until and made == size and each.archived_at is None:
                    found.append((each.processing_status != "ended", each.id))
        return [batch_id for _, batch_id in sorted(found, key=lambda each: each[0])]

    def batch_ended(self, batch_id: str) -> bool:
        """Whether all requests of a batch have ended. Raises NoAnswer, with the reason "gone" if there is no batch."""
        with self._call(BACKGROUND_SECONDS, retries=BACKGROUND_RETRIES, of_batch=True) as client:
            return client.messages.batches.retrieve(batch_id).processing_status == "ended"

    def batch_replies(self, batch_id: str) -> Iterator[tuple[str, Reply | NoAnswer]]:
        """The ids of the requests of a batch that has ended, in any order, each with its reply or why it has none."""
        with self._call(BACKGROUND_SECONDS, retries=BACKGROUND_RETRIES, of_batch=True) as client:
            for each in client.messages.batches.results(batch_id):
                if each.result.type == "succeeded":
                    yield each.custom_id, _reply(each.result.message)
                elif each.result.type == "errored":
                    kind = each.result.error.error.type
                    reason = "denied" if kind == "invalid_request_error" else "busy"
                    yield each.custom_id, NoAnswer(reason, f"Claude rejected a request of a batch ({kind}).")
                else:
                    yield each.custom_id, NoAnswer("late", f"A request of a batch has {each.result.type}.")

    def stream(self, system: str, text: str, *, max_tokens: int, seconds: float = 30) -> Iterator[str]:
        """The answer to a text in pieces, as they arrive.

        Raises NoAnswer, possibly after some pieces, if the answer is not complete; its `text` has the pieces so far.
        """
        parts: list[str] = []
        reason: str | None = None
        deadline = time.monotonic() + seconds
        try:
            with (
                self._call(seconds) as client,
                client.messages.create(**self._request(system, text, max_tokens), stream=True) as events,
            ):
                for event in events:
                    if event.type == "content_block_delta" and event.delta.type == "text_delta":
                        parts.append(event.delta.text)
                        yield event.delta.text
                    elif event.type == "message_delta":
                        reason = event.delta.stop_reason
                    if time.monotonic() > deadline:
                        raise NoAnswer("late", f"Claude did not finish in {seconds:g} seconds.", RETRY_HINT)  # noqa: TRY301
        except NoAnswer as error:
            error.text = "".join(parts)
            raise
        _check_complete("".join(parts), reason, max_tokens)

    def _json_body(self, request: JsonRequest) -> dict[str, Any]:
        body = self._request(request.system, request.text, request.max_tokens)
        body["system"] = [{"type": "text", "text": body["system"], "cache_control": {"type": "ephemeral"}}]
        form = {"type": "json_schema", "schema": dict(request.schema)}
        return {**body, "output_config": {"format": form, "effort": "low"}}

    def _request(self, system: str, text: str, max_tokens: int) -> dict[str, Any]:
        # JSON cannot encode lone surrogates, which occur in texts cut inside an emoji.
        system, text = (part.encode("utf-8", "replace").decode() for part in (system, text))
        messages = [{"role": "user", "content": text}]
        return {"model": self.model, "max_tokens": max_tokens, "system": system, "messages": messages}

    @contextmanager
    def _call(self, seconds: float, *, retries: int = RETRIES, of_batch: bool = False) -> "Generator[Anthropic]":
        """The SDK's client for one call with a deadline; its errors are raised as NoAnswer."""
        limits = _Limits(seconds)
        with self._errors(of_batch=of_batch):
            yield self._client.with_options(timeout=limits.timeout, middleware=[limits.attempt], max_retries=retries)

    @contextmanager
    def _errors(self, *, of_batch: bool = False) -> Generator[None]:
        """Errors of the SDK are raised as NoAnswer."""
        import anthropic  # noqa: PLC0415
        import httpx2  # noqa: PLC0415

        try:
            yield
        except anthropic.APIError as error:
            if of_batch and isinstance(error, anthropic.NotFoundError):
                raise NoAnswer("gone", "Claude no longer has the results of a batch.") from error
            raise _no_answer(error, self.model) from error
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise NoAnswer(
                "unreachable", f"The connection to Claude failed ({type(error).__name__}).", RETRY_HINT
            ) from error
        except (json.JSONDecodeError, UnicodeDecodeError) as error:  # which the SDK does not wrap
            raise NoAnswer("unreachable", "The response from Claude could not be parsed.", URL_HINT) from error

    @cached_property
    def _client(self) -> "Anthropic":
        import anthropic  # noqa: PLC0415

        return anthropic.Anthropic(**self._access, http_client=anthropic.DefaultHttpxClient(follow_redirects=False))

    @property
    def _access(self) -> dict[str, Any]:
        # At level DEBUG the SDK logs whole requests: the texts of documents.
        logging.getLogger("anthropic").setLevel(logging.WARNING)
        # Without key and url the SDK reads them from the environment; redirects would leak the key.
        return {"api_key": self._key, "base_url": self._url, "open_telemetry": False}


def api_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON schema in the form that the API takes: limits that it does not enforce stand in the descriptions."""
    import anthropic  # noqa: PLC0415

    return anthropic.transform_schema(dict(schema))


def _check_message(message: "Message") -> None:
    # The SDK returns any content that comes with HTTP 200, even a web page.
    if getattr(message, "type", None) != "message":
        raise NoAnswer("unreachable", "The response from Claude could not be parsed.", URL_HINT)


def _reply(message: "Message") -> Reply:
    reason, usage = message.stop_reason, message.usage
    return Reply(
        _text(message),
        "refused" if reason == "refusal" else "complete" if reason in COMPLETE_REASONS else "cut",
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_input_tokens or 0,
        usage.cache_creation_input_tokens or 0,
    )


def _text(message: "Message") -> str:
    return "".join(block.text for block in message.content if block.type == "text")


def _is_http_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def _check_complete(answer: str, reason: str | None, max_tokens: int) -> str:
    """The answer. Raises NoAnswer if it is empty or its stop reason shows that it is not complete."""
    if reason in COMPLETE_REASONS and answer.strip():
        return answer
    if reason == "refusal":
        raise NoAnswer("refused", "Claude refused to answer this.", "Rephrase it.", answer)
    if reason in TRUNCATED_REASONS:
        fact = f"Claude's answer was cut off at {max_tokens} tokens."
        raise NoAnswer("cut", fact, "Ask for less at once.", answer)
    problem = "empty" if reason in COMPLETE_REASONS else f"not finished ({reason or 'no stop reason'})"
    raise NoAnswer("cut", f"Claude's answer was {problem}.", RETRY_HINT, answer)


class _Limits:
    """The time for one call, and middleware of the SDK, which is called around every attempt.

    No retry after half of the seconds, nor for work that is stopped, and no waiting beyond that half.
    """

    def __init__(self, seconds: float, stopped: Callable[[], bool] = lambda: False) -> None:
        import httpx2  # noqa: PLC0415

        self.timeout = httpx2.Timeout(seconds / 2, connect=min(CONNECT_SECONDS, seconds / 2))
        self._deadline = time.monotonic() + seconds / 2
        self._stopped = stopped

    def attempt(self, request: Any, call_next: Callable[[Any], Any]) -> Any:
        """An attempt of the client that blocks."""
        self._check(request)
        response = call_next(request)
        if late := self._asks_to_wait(response):
            response.http_response.close()
            raise late
        return response

    async def attempt_async(self, request: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """An attempt of the asynchronous client."""
        self._check(request)
        response = await call_next(request)
        if late := self._asks_to_wait(response):
            await response.http_response.aclose()
            raise late
        return response

    def _check(self, request: Any) -> None:
        if request.retries_taken and (self._stopped() or time.monotonic() > self._deadline):
            raise NoAnswer("late", "Claude did not answer in time.", RETRY_HINT)

    def _asks_to_wait(self, response: Any) -> NoAnswer | None:
        wait = response.headers.get("retry-after")
        if response.status_code < 400 or wait is None or _is_before(wait, self._deadline):
            return None
        fact = f"Claude is overloaded (HTTP {response.status_code}) and asks to wait {wait[:40]} seconds."
        return NoAnswer("busy", fact, "Call again after that.")


def _is_before(wait: str, deadline: float) -> bool:
    try:
        return time.monotonic() + float(wait) < deadline
    except ValueError:  # a date, which means a long wait
        return False


def _no_answer(error: "APIError", model: str) -> NoAnswer:
    """The NoAnswer for an error of the SDK. The API's message goes into the hint, because hints are not logged."""
    from anthropic import APIStatusError, APITimeoutError  # noqa: PLC0415

    if isinstance(error, APITimeoutError):
        return NoAnswer("late", "Claude did not answer in time.", RETRY_HINT)
    if not isinstance(error, APIStatusError):
        return NoAnswer("unreachable", "Claude cannot be reached.", "Check the network and the setting claude_url.")
    status = error.status_code
    # An error in the middle of a stream comes with HTTP 200; only its type shows the cause.
    kind = (error.type or "unknown error") if status < 300 else ""
    code = kind or f"HTTP {status}"
    if kind in BUSY_ERRORS or status in {408, 409, 429} or status >= 500:
        return NoAnswer("busy", f"Claude is overloaded ({code}).", RETRY_HINT)
    if kind in DENIED_ERRORS or status in {401, 402, 403}:
        return NoAnswer("denied", f"Claude rejected the key ({code}).", _hint(error, "Check claude_key."))
    if status == 404:
        hint = _hint(error, "Check the settings claude_model and claude_url.")
        return NoAnswer("denied", f"Claude has no model '{model}' ({code}).", hint)
    is_unpaid = any(word in str(error).casefold() for word in ("credit", "billing"))
    hint = _hint(error, "Check the account of claude_key." if is_unpaid else "Ask for less at once.")
    return NoAnswer("denied", f"Claude rejected the request ({code}).", hint)


def _hint(error: Any, hint: str) -> str:
    message = " ".join(str(error.api_message or "").split())[:MAX_API_MESSAGE_LENGTH]
    return f"The API says: {message.rstrip('.')}. {hint}" if message else hint
