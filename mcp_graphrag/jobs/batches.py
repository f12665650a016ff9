"""Documents in batches, each of which is stored in one transaction: of some characters, and of about two seconds.

Others wait some tenths of a second to write meanwhile. Each batch has statements of its own: in batches of some 64
triples an ingest of source code took three times as long.
"""

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from mcp_graphrag.model import Document

BATCH_CHARACTERS = 256_000
MIN_BATCH_CHARACTERS = 64_000
BATCH_SECONDS = 2.0


@dataclass
class BatchSize:
    """How many characters a batch has: `most`, and fewer where it takes more than `seconds` of processor time.

    It is not the time by the clock: where other programs take that, smaller batches would only take longer in all.
    """

    most: int = BATCH_CHARACTERS
    seconds: float = BATCH_SECONDS
    characters: int = field(init=False)

    def __post_init__(self) -> None:
        self.characters = self.most

    def took(self, characters: int, seconds: float) -> None:
        """Fit the size to the time that a batch took: a slow one makes the next smaller, a fast one larger again."""
        if seconds > self.seconds:
            self.characters = max(MIN_BATCH_CHARACTERS, int(characters * self.seconds / seconds))
        elif seconds < self.seconds / 2:
            self.characters = min(self.most, 2 * self.characters)


def batches_of(documents: Iterable[Document], size: BatchSize | None = None) -> Iterator[list[Document]]:
    """The documents in batches of that size, or of some seconds of reading; no two of a batch have the same uri."""
    size = size or BatchSize()
    reading = BATCH_SECONDS if size.most <= BATCH_CHARACTERS else math.inf
    batch = _Filling(size)
    for document in documents:
        if document.uri in batch.documents:
            # The second document with a uri is compared with the first, which must be stored for that.
            yield from batch.out()
        batch.add(document)
        if batch.characters >= size.characters or batch.seconds >= reading:
            yield from batch.out()
    if batch.documents:
        yield from batch.out()


class _Filling:
    """A batch that is filled; its times begin with it, its processor time ends when the next one is asked for."""

    def __init__(self, size: BatchSize) -> None:
        self._size = size
        self._begin()

    def _begin(self) -> None:
        self.documents: dict[str, Document] = {}
        self.characters, self._since, self._worked = 0, time.monotonic(), time.thread_time()

    @property
    def seconds(self) -> float:
        """How long it has been filled."""
        return time.monotonic() - self._since

    def add(self, document: Document) -> None:
        """Put a document into it."""
        self.documents[document.uri] = document
        self.characters += len(document.text)

    def out(self) -> Iterator[list[Document]]:
        """Its documents; then another begins."""
        yield list(self.documents.values())
        self._size.took(self.characters, time.thread_time() - self._worked)
        self._begin()
