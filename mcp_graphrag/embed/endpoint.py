"""Embeddings from any OpenAI-compatible endpoint: POST {url}/embeddings with model and input.

An endpoint that is down costs a question little: it is asked twice at most, and then not for a while. Only texts that
nobody waits for are worth asking it again and again.
"""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import httpx2
import numpy as np

from mcp_graphrag.embed.embedder import Endpoint
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.model import Matrix

BATCH = 64
REMEMBERED = 30.0  # seconds after a failure in which nobody who waits has it asked
RETRIED = frozenset({408, 409, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True)
class Patience:
    """How long a caller can wait: the pauses before further tries, and how many seconds a try may take."""

    pauses: Sequence[float]
    seconds: float


WAITING = Patience([0.2], 15)
BACKGROUND = Patience([0.5, 1, 2], 60)


class EndpointEmbedder:
    """Vectors of a served model. The dimension is learnt from the first answer."""

    instant = False

    def __init__(self, endpoint: Endpoint) -> None:
        if not endpoint.url or not endpoint.model:
            raise PartMissing(
                "The embedder openai needs the settings embed_url and embed_model.",
                "Set them, as in --embed-url http://localhost:11434/v1 --embed-model nomic-embed-text.",
            )
        if not (endpoint.key.isascii() and endpoint.key.isprintable()):
            raise PartMissing(
                "The setting embed_key has characters that no header can carry.",
                "Copy the key again, without a line break around it.",
            )
        self._endpoint = endpoint
        self._lock = threading.Lock()
        self._dimension = 0
        self._failed: tuple[float, str] | None = None  # when it last did not answer, and what was said of it

    @property
    def name(self) -> str:
        """The model's name behind "openai:"."""
        return f"openai:{self._endpoint.model}"

    @property
    def dimension(self) -> int:
        """The length of the model's vectors; asks the endpoint the first time."""
        with self._lock:
            if not self._dimension:
                self._ask(["dimension"], WAITING)
            return self._dimension

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of shape (texts, dimension).

        Raises PartMissing where the endpoint does not answer, and at once where it did not a moment before.
        """
        return self._embed(texts, WAITING)

    def embed_patiently(self, texts: Sequence[str]) -> Matrix:
        """The same for texts that nobody waits for: an endpoint that does not answer is asked again for a while."""
        return self._embed(texts, BACKGROUND)

    def _embed(self, texts: Sequence[str], patience: Patience) -> Matrix:
        parts = [self._ask(list(texts[at : at + BATCH]), patience) for at in range(0, len(texts), BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimension), dtype=np.float32)

    def _ask(self, texts: list[str], patience: Patience) -> Matrix:
        answer = self._post({"model": self._endpoint.model, "input": [text or " " for text in texts]}, patience)
        try:
            rows = sorted(answer["data"], key=lambda row: row.get("index", 0))
            vectors = np.array([row["embedding"] for row in rows], dtype=np.float32)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._trouble("answered something that is not a list of embeddings") from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or not vectors.shape[1]:
            raise self._trouble(f"answered embeddings of shape {vectors.shape} for {len(texts)} texts")
        self._dimension = self._dimension or vectors.shape[1]
        if vectors.shape[1] != self._dimension:
            raise self._trouble(f"answered {vectors.shape[1]} dimensions, before {self._dimension}")
        if not np.isfinite(vectors).all():
            raise self._trouble("answered embeddings that are not numbers")
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

    def _post(self, body: dict[str, Any], patience: Patience) -> Mapping[str, Any]:
        failed = self._failed
        if patience is WAITING and failed is not None and time.monotonic() - failed[0] < REMEMBERED:
            raise self._trouble(failed[1])
        said = ""
        for pause in (0, *patience.pauses):
            if pause:
                time.sleep(pause)
            try:
                response = self._try(body, patience.seconds)
            except httpx2.TransportError as error:
                said = f"is not reachable ({type(error).__name__})"
                if patience is WAITING and isinstance(error, httpx2.TimeoutException):
                    break
                continue
            if response.is_success:
                self._failed = None
                return self._json(response)
            said = f"answered HTTP {response.status_code}"
            if response.status_code not in RETRIED:
                raise self._trouble(said)
        self._failed = time.monotonic(), said
        raise self._trouble(said)

    def _try(self, body: dict[str, Any], seconds: float) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {self._endpoint.key}"} if self._endpoint.key else {}
        url = f"{self._endpoint.url.rstrip('/')}/embeddings"
        try:
            return httpx2.post(url, json=body, headers=headers, timeout=seconds)
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol, httpx2.LocalProtocolError) as error:
            raise self._trouble("is no valid http url") from error

    def _json(self, response: httpx2.Response) -> Mapping[str, Any]:
        try:
            answer: Any = response.json()
        except ValueError as error:
            raise self._trouble("did not answer JSON") from error
        if not isinstance(answer, dict):
            raise self._trouble("did not answer a JSON object")
        return cast("dict[str, Any]", answer)

    def _trouble(self, said: str) -> PartMissing:
        return PartMissing(
            f"The embeddings endpoint {self._endpoint.url} {said}.",
            "Check embed_url, embed_model and embed_key, or choose the embedder wordllama.",
        )
