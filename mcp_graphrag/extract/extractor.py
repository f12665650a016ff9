"""The protocol of extractors: a document and its chunks in, mentions and candidate triples out."""

from collections.abc import Sequence
from typing import Protocol

from mcp_graphrag.errors import GraphragError, PartMissing
from mcp_graphrag.model import Chunk, Document, Extraction


class Method(Protocol):
    """What mentions and triples were found by, a program or a caller. `name` is recorded with every triple.

    `name` and `version` are part of the key under which extractions are cached, so a change of the rules needs a new
    version.
    """

    @property
    def name(self) -> str:
        """Its key in `EXTRACTORS` where it is an extractor."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever the extraction of a chunk may change."""
        ...


class Extractor(Method, Protocol):
    """Finds mentions and triples in chunks."""

    def extract_all(self, documents: Sequence[tuple[Document, Sequence[Chunk]]]) -> list[list[Extraction]]:
        """One extraction per chunk of each document, in the same order; the rest of a document is context only.

        What is found in a document does not depend on the others that it is given with.
        """
        ...


class IncompleteExtraction(PartMissing):
    """Some documents could not be read, and may be the next time.

    `found` has the extractions of each document, None for one that was not read in whole. `unread` are the chunks that
    were not read: the document, the chunk's place in it, and why. `ends_job`: why no other document will be read
    either, None if others may.
    """

    def __init__(
        self,
        fact: str,
        hint: str,
        found: Sequence[list[Extraction] | None],
        unread: Sequence[tuple[int, int, str]] = (),
        ends_job: GraphragError | None = None,
    ) -> None:
        super().__init__(fact, hint)
        self.found = found
        self.unread = unread
        self.ends_job = ends_job
