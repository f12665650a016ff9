"""The embedders: the static one, which every graph has, and the models that the setting `embedder` names."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from mcp_graphrag.embed.endpoint import Endpoint
from mcp_graphrag.embed.minilm import MinilmEmbedder, missing_package
from mcp_graphrag.embed.wordllama import WordllamaEmbedder
from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Matrix


class Embedder(Protocol):
    """Turns texts into unit vectors of one dimension; the same text always gets the same vector."""

    @property
    def name(self) -> str:
        """What the file calls it; it changes whenever the vectors do."""
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
class Embedders:
    """The embedders of a graph.

    The static one embeds thousands of texts in a second, so every chunk and every name has its vector at once. The
    model, if there is one, embeds chunks in the background; its vectors then take the place of the static ones in
    search. `lacking` says why the setting auto has no model.
    """

    static: Embedder
    model: Embedder | None = None
    lacking: str = ""


@dataclass(frozen=True)
class EmbedderChoice:
    """A value of the setting `embedder`: what makes its model, and a short description."""

    model: Callable[[Endpoint], Embedder | None]
    description: str


def _auto(_: Endpoint) -> Embedder | None:
    return None if missing_package() else MinilmEmbedder()


def _make_endpoint_embedder(endpoint: Endpoint) -> Embedder:
    # Imported late: the HTTP client takes a tenth of a second to import, and only this embedder needs it.
    from mcp_graphrag.embed.endpoint_embedder import EndpointEmbedder  # noqa: PLC0415

    return EndpointEmbedder(endpoint)


EMBEDDERS: Mapping[str, EmbedderChoice] = {
    "auto": EmbedderChoice(_auto, "static vectors at once, those of minilm as soon as it has read a chunk"),
    "wordllama": EmbedderChoice(lambda _: None, "static 256-d vectors alone: the least time and memory"),
    "minilm": EmbedderChoice(lambda _: MinilmEmbedder(), "like auto, but a notice where minilm is not installed"),
    "openai": EmbedderChoice(
        _make_endpoint_embedder, "any OpenAI-compatible /v1/embeddings endpoint (Ollama, vLLM, hosted) in its place"
    ),
}


def make_embedders(name: str, endpoint: Endpoint | None = None) -> Embedders:
    """The embedders for a value of the setting; a model is loaded at its first use.

    Raises BadInput for an unknown name, PartMissing for an endpoint without a url or model.
    """
    if name not in EMBEDDERS:
        raise BadInput(f"No embedder named '{name}'.", f"Choose one of {', '.join(EMBEDDERS)}.")
    lacking = missing_package() if name == "auto" else ""
    return Embedders(WordllamaEmbedder(), EMBEDDERS[name].model(endpoint or Endpoint()), lacking)
