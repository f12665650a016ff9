"""The embedders: the static one, which every graph has, and the models that the setting `embedder` names."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from mcp_graphrag.embed.e5 import PACKAGES as E5_PACKAGES
from mcp_graphrag.embed.e5 import E5Embedder
from mcp_graphrag.embed.endpoint import Endpoint
from mcp_graphrag.embed.minilm import MinilmEmbedder, missing_package
from mcp_graphrag.embed.model_files import first_missing
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


@runtime_checkable
class QuestionEmbedder(Protocol):
    """An embedder whose vectors of questions differ from those of texts."""

    def embed_questions(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of shape (texts, dimension), to compare with those that `embed` makes of texts."""
        ...


def embed_questions(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    """Unit vectors of questions, of shape (texts, dimension)."""
    return embedder.embed_questions(texts) if isinstance(embedder, QuestionEmbedder) else embedder.embed(texts)


def embed_with_retries(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    """Unit vectors for background work: a busy or unreachable endpoint is retried for some seconds."""
    return embedder.embed_with_retries(texts) if isinstance(embedder, RemoteEmbedder) else embedder.embed(texts)


@dataclass(frozen=True)
class Embedders:
    """The embedders of a graph.

    The static one embeds thousands of texts in a second, so every chunk and every name has its vector at once. The
    model, if there is one, embeds chunks in the background; its vectors then take the place of the static ones in
    search. `lacking` says why the setting auto has no model.

    With the setting auto, `multilingual` is the model for other languages than English, which may not be installed.
    """

    static: Embedder
    model: Embedder | None = None
    lacking: str = ""
    multilingual: Embedder | None = None
    has_multilingual: bool = False

    @property
    def has_model(self) -> bool:
        """Whether some file has its chunks embedded by a model."""
        return self.model is not None or self.has_multilingual

    @property
    def multilingual_name(self) -> str:
        """The name of the model for other languages than English, "" unless the setting is auto."""
        return self.multilingual.name if self.multilingual else ""

    def model_of(self, stored: str, *, is_english: bool) -> Embedder | None:
        """The model of a file: of the settings; with auto that of its `stored` vectors, else that for its language."""
        if self.multilingual is None:
            return self.model
        is_chosen = stored == self.multilingual.name if stored else self.has_multilingual and not is_english
        return self.multilingual if is_chosen else self.model


def _make_endpoint_embedder(endpoint: Endpoint) -> Embedder:
    # Imported late: the HTTP client takes a tenth of a second to import, and only this embedder needs it.
    from mcp_graphrag.embed.endpoint_embedder import EndpointEmbedder  # noqa: PLC0415

    return EndpointEmbedder(endpoint)


# What makes the model, by the value of the setting.
EMBEDDERS: Mapping[str, Callable[[Endpoint], Embedder | None]] = {
    "auto": lambda _: None if missing_package() else MinilmEmbedder(),
    "wordllama": lambda _: None,
    "minilm": lambda _: MinilmEmbedder(),
    "e5": lambda _: E5Embedder(),
    "openai": _make_endpoint_embedder,
}


def make_embedders(name: str, endpoint: Endpoint | None = None) -> Embedders:
    """The embedders for a value of the setting; a model is loaded at its first use.

    Raises BadInput for an unknown name, PartMissing for an endpoint without a url or model.
    """
    if name not in EMBEDDERS:
        raise BadInput(f"No embedder named '{name}'.", f"Choose one of {', '.join(EMBEDDERS)}.")
    static, model = WordllamaEmbedder(), EMBEDDERS[name](endpoint or Endpoint())
    if name != "auto":
        return Embedders(static, model)
    return Embedders(static, model, missing_package(), E5Embedder(), not first_missing(E5_PACKAGES))
