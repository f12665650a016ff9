"""Embeddings from any OpenAI-compatible endpoint: POST {url}/embeddings with model and input.

An unreachable endpoint must not slow down queries: they try it at most twice, then skip it for a while. Background work
retries for longer.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import httpx2
import numpy as np

from mcp_graphrag.embed.endpoint import Endpoint
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.model import Matrix
from mcp_graphrag.unit_vectors import unit_vectors

BATCH_SIZE = 64
FAILURE_SECONDS = 30.0  # how long after a failure interactive calls fail without a request
RETRIED_STATUSES = frozenset({408, 409, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True)
class RetryPolicy:
    """The delays before each retry, and the timeout of each request, in seconds."""

    delays: Sequence[float]
    timeout: float


INTERACTIVE = RetryPolicy([0.2], 15)
BACKGROUND = RetryPolicy([0.5, 1, 2], 60)


class EndpointEmbedder:
    """Embeds with a remote model, whose dimension is known from the first response."""

    def __init__(self, endpoint: Endpoint) -> None:
        if not endpoint.url or not endpoint.model:
            raise PartMissing(
                "The embedder openai needs the settings embed_url and embed_model.",
                "Set them, as in --embed-url http://localhost:11434/v1 --embed-model nomic-embed-text.",
            )
        if not (endpoint.key.isascii() and endpoint.key.isprintable()):
            raise PartMissing(
                "The setting embed_key has characters that are not allowed in an HTTP header.",
                "Copy the key again, without line breaks.",
            )
        self._endpoint = endpoint
        self._dimension = 0
        self._last_failure: tuple[float, str] | None = None  # time and reason

    @property
    def name(self) -> str:
        """The model's name, prefixed with "openai:"."""
        return f"openai:{self._endpoint.model}"

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of shape (texts, dimension).

        Raises PartMissing if the endpoint does not respond, and immediately if it failed in the last seconds.
        """
        return self._embed(texts, INTERACTIVE)

    def embed_with_retries(self, texts: Sequence[str]) -> Matrix:
        """The same vectors for background work, with more retries and longer timeouts."""
        return self._embed(texts, BACKGROUND)

    def _embed(self, texts: Sequence[str], policy: RetryPolicy) -> Matrix:
        batches = (texts[start : start + BATCH_SIZE] for start in range(0, len(texts), BATCH_SIZE))
        parts = [self._request(batch, policy) for batch in batches]
        return np.concatenate(parts) if parts else np.zeros((0, self._dimension), dtype=np.float32)

    def _request(self, texts: Sequence[str], policy: RetryPolicy) -> Matrix:
        answer = self._post({"model": self._endpoint.model, "input": [text or " " for text in texts]}, policy)
        try:
            rows = sorted(answer["data"], key=lambda row: row.get("index", 0))
            vectors = np.array([row["embedding"] for row in rows], dtype=np.float32)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._error("did not return a list of embeddings") from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or not vectors.shape[1]:
            raise self._error(f"returned embeddings of shape {vectors.shape} for {len(texts)} texts")
        self._dimension = self._dimension or vectors.shape[1]
        if vectors.shape[1] != self._dimension:
            raise self._error(f"returned {vectors.shape[1]} dimensions, {self._dimension} before")
        if not np.isfinite(vectors).all():
            raise self._error("returned embeddings that are not finite numbers")
        return unit_vectors(vectors)

    def _post(self, body: dict[str, Any], policy: RetryPolicy) -> Mapping[str, Any]:
        failure = self._last_failure
        if policy is INTERACTIVE and failure is not None and time.monotonic() - failure[0] < FAILURE_SECONDS:
            raise self._error(failure[1])
        problem = ""
        for delay in (0, *policy.delays):
            if delay:
                time.sleep(delay)
            try:
                response = self._send(body, policy.timeout)
            except httpx2.TransportError as error:
                problem = f"is not reachable ({type(error).__name__})"
                if policy is INTERACTIVE and isinstance(error, httpx2.TimeoutException):
                    break
                continue
            if response.is_success:
                self._last_failure = None
                return self._json(response)
            problem = f"answered HTTP {response.status_code}"
            if response.status_code not in RETRIED_STATUSES:
                raise self._error(problem)
        self._last_failure = time.monotonic(), problem
        raise self._error(problem)

    def _send(self, body: dict[str, Any], timeout: float) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {self._endpoint.key}"} if self._endpoint.key else {}
        url = f"{self._endpoint.url.rstrip('/')}/embeddings"
        try:
            return httpx2.post(url, json=body, headers=headers, timeout=timeout)
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol, httpx2.LocalProtocolError) as error:
            raise self._error("is not a valid HTTP URL") from error

    def _json(self, response: httpx2.Response) -> Mapping[str, Any]:
        try:
            answer: Any = response.json()
        except ValueError as error:
            raise self._error("did not return JSON") from error
        if not isinstance(answer, dict):
            raise self._error("did not return a JSON object")
        return cast("dict[str, Any]", answer)

    def _error(self, problem: str) -> PartMissing:
        return PartMissing(
            f"The embeddings endpoint {self._endpoint.url} {problem}.",
            "Check embed_url, embed_model and embed_key, or choose the embedder wordllama.",
        )
