"""The sentences of the stored text that are read for what they say against a triple."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from mcp_graphrag.english.dates import document_date
from mcp_graphrag.english.sentences import split_sentences
from mcp_graphrag.index.tokenize import text_terms
from mcp_graphrag.model import StoredChunk
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.citations import cite
from mcp_graphrag.store.rows.conflict_rows import documents_of_triples
from mcp_graphrag.store.rows.document_rows import chunks_by_id, text_hash

MAX_CHUNKS = 20  # read for one triple
MAX_QUOTE = 400
# In front of a line that goes on no other one: an item of a list, a turn of a talk, a heading.
_OWN_LINE = re.compile(
    r"(?m)^(?=[ \t]*(?:[-*+•#>|]|\d{1,3}[.)]\s|\[?\d{1,2}:\d\d|[\w.'’-]{1,30}(?: [\w.'’-]{1,30})?:\s))"
)


@dataclass(frozen=True)
class StoredSentence:
    """A sentence of a chunk, or a line of its own in it, as it stands there; `at` is its offset in the chunk."""

    chunk: StoredChunk
    at: int
    text: str

    @property
    def start(self) -> int:
        """Where it begins in its document."""
        return self.chunk.start + self.at

    def quoted(self) -> str:
        """The sentence on one line in quotation marks, at most `MAX_QUOTE` characters of it, with its citation."""
        said = self.text.strip()
        start = self.start + len(self.text) - len(self.text.lstrip())
        line = " ".join(said.split())
        line = line if len(line) <= MAX_QUOTE else f"{line[:MAX_QUOTE].rsplit(' ', 1)[0]} …"
        return f'"{line}" [{cite(self.chunk.document.uri, start, start + len(said), text_hash(said))}]'


def chunks_about(snapshot: Snapshot, words: str) -> Iterable[StoredChunk]:
    """The chunks that have most of the words, at most `MAX_CHUNKS`."""
    ids = [chunk_id for chunk_id, _ in snapshot.keywords.search(text_terms(words), limit=MAX_CHUNKS)]
    return chunks_by_id(snapshot.tx, ids).values()


def sentences_of(chunk: StoredChunk) -> Iterator[StoredSentence]:
    """The sentences of a chunk in order, which rejoin to its text."""
    at = 0
    for sentence in split_sentences(chunk.text):
        for piece in _OWN_LINE.split(sentence):  # which keeps them whole
            yield StoredSentence(chunk, at, piece)
            at += len(piece)


def sentences_with(snapshot: Snapshot, words: str, pattern: re.Pattern[str]) -> Iterator[StoredSentence]:
    """The sentences in which a pattern occurs, in the chunks that have most of the words."""
    for chunk in chunks_about(snapshot, words):
        if pattern.search(chunk.text):
            yield from (sentence for sentence in sentences_of(chunk) if pattern.search(sentence.text))


def dates_of_documents(snapshot: Snapshot, ids: Iterable[int]) -> dict[int, datetime | None]:
    """The latest date of the documents of each triple, None where none has one."""
    ids = list(ids)
    documents = documents_of_triples(snapshot.tx, snapshot.evidence_ids(ids))
    dates = {number: [document_date(one.metadata) for one in documents.get(number, ())] for number in ids}
    return {number: max((date for date in each if date), default=None) for number, each in dates.items()}
