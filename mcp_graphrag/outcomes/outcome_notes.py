"""Notes of outcomes: small documents, so that search finds outcomes and their triples can cite them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcp_graphrag.edit.index_text import IndexedChunks, index_chunks, store_indexed
from mcp_graphrag.edit.inputs import MAX_TITLE, TextInput, text_document
from mcp_graphrag.embed import Embedder
from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.model import Chunk, Document
from mcp_graphrag.outcomes.outcome_names import CleanOutcome
from mcp_graphrag.resolve.resolve_entities import AGENT
from mcp_graphrag.store import Writer
from mcp_graphrag.store.rows.document_rows import (
    add_documents,
    chunk_ids_of_document,
    chunks_by_id,
    find_document,
    text_hash,
)
from mcp_graphrag.store.rows.extraction_rows import add_extractions

URI = "memory:outcome/"
MAX_REPEATED = 1_000  # characters of the description of an error that the note of its fix repeats


@dataclass(frozen=True)
class NoteLimits:
    """The maximum size of a note in bytes, and the sizes of its chunks in estimated tokens."""

    max_bytes: int
    chunk_target: int
    max_chunk_tokens: int


@dataclass(frozen=True)
class PreparedNote:
    """A note with its chunks and what search needs of them; `lines` maps predicates to the lines that state them."""

    document: Document
    chunks: Sequence[Chunk]
    indexed: IndexedChunks
    lines: Mapping[str, str]


@dataclass(frozen=True)
class StoredNote:
    """A stored note: its text, its chunks with their ids, and whether it is new."""

    text: str
    chunks: Sequence[tuple[int, Chunk]]
    is_new: bool

    def find(self, quote: str) -> tuple[int, str | None, int | None, int | None]:
        """(chunk id, quote, start, end) of a quote; only the first chunk's id if no chunk contains it whole."""
        at = self.text.find(quote) if quote else -1
        for chunk_id, chunk in self.chunks:
            if chunk.start <= at and at + len(quote) <= chunk.end:
                return chunk_id, quote, at, at + len(quote)
        return self.chunks[0][0], None, None, None


def prepare_note(embedder: Embedder, outcome: CleanOutcome, known: str, limits: NoteLimits) -> PreparedNote:
    """The note of an outcome; `known` is the description that the error had before."""
    lines = {
        "error": f"Error: {outcome.error.name}",
        "caused_by": f"Caused by: {outcome.tool.name}" if outcome.tool else "",
        "in_session": f"In session: {outcome.session.name}" if outcome.session and not outcome.fix else "",
        "resolved_by": f"Resolved by: {outcome.fix.name}" if outcome.fix else "",
        "learned_from": f"Learned from: {outcome.session.name}" if outcome.session and outcome.fix else "",
    }
    paragraphs = [
        lines["error"],
        outcome.error.text or (known[:MAX_REPEATED] if outcome.fix else ""),
        "\n".join(line for line in (lines["caused_by"], lines["in_session"]) if line),
        "\n".join(line for line in (lines["resolved_by"], outcome.fix.text) if line),
        lines["learned_from"],
        f"Context: {outcome.context}" if outcome.context else "",
    ]
    text = "\n\n".join(paragraph for paragraph in paragraphs if paragraph) + "\n"
    given = TextInput(
        text,
        outcome.error.name[:MAX_TITLE],
        outcome.session.name,
        URI + text_hash(text)[:12],
        "text/plain",
        {"outcome": outcome.kind, **outcome.metadata},
    )
    document = text_document(given, max_bytes=limits.max_bytes)
    chunks = chunk_document(document, target_tokens=limits.chunk_target, max_tokens=limits.max_chunk_tokens)
    indexed = index_chunks(embedder, [(document, chunk) for chunk in chunks])
    return PreparedNote(document, chunks, indexed, lines)


def store_note(tx: Writer, note: PreparedNote) -> StoredNote:
    """The stored note, added unless it is in force; no extractor reads it later."""
    known = find_document(tx, note.document.uri)
    if known is not None:
        ids = chunk_ids_of_document(tx, known.id)
        found = chunks_by_id(tx, ids)
        chunks = [(row.id, Chunk(row.ordinal, row.start, row.end, row.text)) for row in map(found.__getitem__, ids)]
        return StoredNote(note.document.text, chunks, is_new=False)
    ((_, chunk_ids),) = add_documents(tx, [(note.document, note.chunks)])
    store_indexed(tx, chunk_ids, note.indexed)
    add_extractions(tx, (AGENT, "1"), chunk_ids, [(0, "{}")] * len(chunk_ids))
    return StoredNote(note.document.text, list(zip(chunk_ids.tolist(), note.chunks, strict=True)), is_new=True)
