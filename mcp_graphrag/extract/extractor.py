"""What an extractor is: documents and their chunks in, mentions and candidate triples out."""

from collections.abc import Sequence
from typing import Protocol

from mcp_graphrag.model import Chunk, Document, Extraction


class Extractor(Protocol):
    """Finds mentions and triples in chunks.

    `name` is recorded with each triple. `name` and `version` are part of the key under which answers are cached: a
    change of rules is a new version.
    """

    @property
    def name(self) -> str:
        """Its name in `EXTRACTORS`."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever the same chunk may be answered differently."""
        ...

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> list[Extraction]:
        """One extraction for each chunk, in their order; the rest of the document counts as evidence only."""
        ...
