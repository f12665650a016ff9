"""The embedders, by the name that the setting `embedder` takes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from mcp_graphrag.embed.minilm import MinilmEmbedder
from mcp_graphrag.embed.wordllama import WordllamaEmbedder
from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Matrix


@dataclass(frozen=True)
class Endpoint:
    """Where embeddings come from: a base url as in http://localhost:11434/v1, a model, and a key if it wants one."""

    url: str = ""
    model: str = ""
    key: str = ""

    def __repr__(self) -> str:
        return f"Endpoint(url={self.url!r}, model={self.model!r}, key={'…' if self.key else ''!r})"


class Embedder(Protocol):
    """Turns texts into unit vectors of one dimension, the same text always into the same vector.

    `name` is written into the file, so it must change whenever the vectors do. An `instant` embedder is fast enough
    to be called while a caller waits for a document to be ingested.
    """

    @property
    def name(self) -> str:
        """What the file remembers."""
        ...

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        ...

    @property
    def instant(self) -> bool:
        """Whether thousands of chunks take seconds, not minutes."""
        ...

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Unit vectors of shape (texts, dimension); a text without any token gets zeros.

        Raises PartMissing where a model file or an endpoint is not at hand.
        """
        ...


@runtime_checkable
class Remote(Protocol):
    """An embedder somewhere else, whose `embed` gives up soon because somebody waits for it."""

    def embed_patiently(self, texts: Sequence[str]) -> Matrix:
        """The same vectors, for texts that nobody waits for."""
        ...


def embed_patiently(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    """Unit vectors of texts that nobody waits for: an endpoint that is busy or down is asked again for some seconds."""
    return embedder.embed_patiently(texts) if isinstance(embedder, Remote) else embedder.embed(texts)


@dataclass(frozen=True)
class Choice:
    """One embedder to choose: how it is made, and what it is in a few words."""

    make: Callable[[Endpoint], Embedder]
    about: str


def _endpoint_embedder(endpoint: Endpoint) -> Embedder:
    # Imported late: the HTTP client takes a tenth of a second that only this embedder needs.
    from mcp_graphrag.embed.endpoint import EndpointEmbedder  # noqa: PLC0415

    return EndpointEmbedder(endpoint)


EMBEDDERS: Mapping[str, Choice] = {
    "wordllama": Choice(lambda _: WordllamaEmbedder(), "static 256-d vectors, part of every install, instant"),
    "minilm": Choice(
        lambda _: MinilmEmbedder(), "all-MiniLM-L6-v2, better search, extra [minilm], embeds in background"
    ),
    "openai": Choice(_endpoint_embedder, "any OpenAI-compatible /v1/embeddings endpoint (Ollama, vLLM, hosted)"),
}


def make_embedder(name: str, endpoint: Endpoint | None = None) -> Embedder:
    """The embedder of that name. Raises BadInput for an unknown one. Loads nothing yet."""
    if name not in EMBEDDERS:
        raise BadInput(f"No embedder named '{name}'.", f"Choose one of {', '.join(EMBEDDERS)}.")
    return EMBEDDERS[name].make(endpoint or Endpoint())
