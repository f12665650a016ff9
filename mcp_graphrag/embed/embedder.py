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


def _make_endpoint_embedder(endpoint: Endpoint) -> Embedder:
    # Imported late: the HTTP client takes a tenth of a second to import, and only this embedder needs it.
    from mcp_graphrag.embed.endpoint_embedder import EndpointEmbedder  # noqa: PLC0415

    return EndpointEmbedder(endpoint)


# What makes the model, by the value of the setting.
EMBEDDERS: Mapping[str, Callable[[Endpoint], Embedder | None]] = {
    "auto": lambda _: None if missing_package() else MinilmEmbedder(),
    "wordllama": lambda _: None,
    "minilm": lambda _: MinilmEmbedder(),
    "openai": _make_endpoint_embedder,
}


def make_embedders(name: str, endpoint: Endpoint | None = None) -> Embedders:
    """The embedders for a value of the setting; a model is loaded at its first use.

    Raises BadInput for an unknown name, PartMissing for an endpoint without a url or model.
    """
    if name not in EMBEDDERS:
        raise BadInput(f"No embedder named '{name}'.", f"Choose one of {', '.join(EMBEDDERS)}.")
    lacking = missing_package() if name == "auto" else ""
    return Embedders(WordllamaEmbedder(), EMBEDDERS[name](endpoint or Endpoint()), lacking)
