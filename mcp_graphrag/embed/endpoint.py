"""Embeddings from any OpenAI-compatible endpoint: POST {url}/embeddings with model and input."""

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

import httpx2
import numpy as np

from mcp_graphrag.embed.embedder import Endpoint
from mcp_graphrag.errors import PartMissing
from mcp_graphrag.model import Matrix

BATCH = 64
TRIES = 4
RETRIED = frozenset({408, 409, 429, 500, 502, 503, 504, 529})


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

    @property
    def name(self) -> str:
        """The model's name behind "openai:"."""
        return f"openai:{self._endpoint.model}"

    @property
    def dimension(self) -> int:
        """The length of the model's vectors; asks the endpoint the first time."""
        with self._lock:
            if not self._dimension:
                self._ask(["dimension"])
            return self._dimension

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of shape (texts, dimension). Raises PartMissing where the endpoint does not answer."""
        parts = [self._ask(list(texts[at : at + BATCH])) for at in range(0, len(texts), BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, self.dimension), dtype=np.float32)

    def _ask(self, texts: list[str]) -> Matrix:
        answer = self._post({"model": self._endpoint.model, "input": [text or " " for text in texts]})
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

    def _post(self, body: dict[str, Any]) -> Mapping[str, Any]:
        headers = {"Authorization": f"Bearer {self._endpoint.key}"} if self._endpoint.key else {}
        said = ""
        for attempt in range(TRIES):
            if attempt:
                time.sleep(0.5 * 2 ** (attempt - 1))
            try:
                response = httpx2.post(
                    f"{self._endpoint.url.rstrip('/')}/embeddings", json=body, headers=headers, timeout=60
                )
            except (httpx2.InvalidURL, httpx2.UnsupportedProtocol, httpx2.LocalProtocolError) as error:
                raise self._trouble("is no valid http url") from error
            except httpx2.TransportError as error:
                said = f"is not reachable ({type(error).__name__})"
                continue
            if response.is_success:
                return self._json(response)
            said = f"answered HTTP {response.status_code}"
            if response.status_code not in RETRIED:
                break
        raise self._trouble(said)

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
