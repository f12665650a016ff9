"""The embedders, by the name used in the setting `embedder`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from mcp_graphrag.embed.endpoint import Endpoint
from mcp_graphrag.embed.minilm import MinilmEmbedder
from mcp_graphrag.embed.wordllama import WordllamaEmbedder
from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Matrix


class Embedder(Protocol):
    """Turns texts into unit vectors of one dimension; the same text always gets the same vector.

    `name` is stored in the file, so it must change whenever the vectors do. A `fast` embedder can be called while a
    caller waits for a document to be ingested.
    """

    @property
    def name(self) -> str:
        """The identifier stored in the file."""
        ...

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        ...

    @property
    def fast(self) -> bool:
        """Whether thousands of chunks take seconds, not minutes."""
        ...

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of shape (texts, dimension); zeros for a text without tokens.

        Raises PartMissing if a model file is missing or an endpoint does not respond.
        """
        ...


@runtime_checkable
class RemoteEmbedder(Protocol):
    """An embedder behind a network, whose `embed` fails early because a caller is waiting."""

    def embed_with_retries(self, texts: Sequence[str]) -> Matrix:
        """The same vectors for background work, with more retries and longer timeouts."""
        ...


def embed_with_retries(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    """Unit vectors for background work: a busy or unreachable endpoint is retried for some seconds."""
    return embedder.embed_with_retries(texts) if isinstance(embedder, RemoteEmbedder) else embedder.embed(texts)


@dataclass(frozen=True)
class EmbedderChoice:
    """An available embedder: its factory and a short description."""

    make: Callable[[Endpoint], Embedder]
    description: str


def _make_endpoint_embedder(endpoint: Endpoint) -> Embedder:
    # Imported late: the HTTP client takes a tenth of a second to import, and only this embedder needs it.
    from mcp_graphrag.embed.endpoint_embedder import EndpointEmbedder  # noqa: PLC0415

    return EndpointEmbedder(endpoint)


EMBEDDERS: Mapping[str, EmbedderChoice] = {
    "wordllama": EmbedderChoice(lambda _: WordllamaEmbedder(), "static 256-d vectors, part of every install, fast"),
    "minilm": EmbedderChoice(
        lambda _: MinilmEmbedder(), "all-MiniLM-L6-v2, better search, extra [minilm], embeds in background"
    ),
    "openai": EmbedderChoice(
        _make_endpoint_embedder, "any OpenAI-compatible /v1/embeddings endpoint (Ollama, vLLM, hosted)"
    ),
}


def make_embedder(name: str, endpoint: Endpoint | None = None) -> Embedder:
    """The embedder of that name; its model is loaded at the first use. Raises BadInput for an unknown name."""
    if name not in EMBEDDERS:
        raise BadInput(f"No embedder named '{name}'.", f"Choose one of {', '.join(EMBEDDERS)}.")
    return EMBEDDERS[name].make(endpoint or Endpoint())
