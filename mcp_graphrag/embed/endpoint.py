"""The address of an embeddings API."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Endpoint:
    """An embeddings API: a base url such as http://localhost:11434/v1, a model, and a key if one is required."""

    url: str = ""
    model: str = ""
    key: str = field(default="", repr=False)
