"""The address of an embeddings API."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Endpoint:
    """An embeddings API: a base url such as http://localhost:11434/v1, a model, and a key if one is required."""

    url: str = ""
    model: str = ""
    key: str = ""

    def __repr__(self) -> str:
        return f"Endpoint(url={self.url!r}, model={self.model!r}, key={'…' if self.key else ''!r})"
