"""The protocol of extractors: a document and its chunks in, mentions and candidate triples out."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, Self, runtime_checkable

from mcp_graphrag.english.lexicon import Phrase
from mcp_graphrag.errors import GraphragError, PartMissing
from mcp_graphrag.model import Chunk, Document, Extraction

LITE = "lite"  # the extractor of the core
LITE_RULES = "14"  # its version but for what the ontology adds


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


@runtime_checkable
class ReadsNames(Extractor, Protocol):
    """An extractor that finds names and phrases that it is told of."""

    def with_phrases(self, phrases: tuple[Phrase, ...]) -> Self:
        """An extractor that knows these phrases too."""
        ...

    def with_names(self, names: Mapping[str, str | None]) -> Self:
        """An extractor that finds these names too, given with their types, wherever a text says them."""
        ...

    def names_to_share(self, documents: Iterable[Document], known: Mapping[str, str | None]) -> dict[str, str | None]:
        """The names that other documents may say too: those `known`, and those to which the structure gives a type."""
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
