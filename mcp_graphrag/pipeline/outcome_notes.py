"""The text that tells an outcome: a small document, so that search finds it and triples can cite it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcp_graphrag.index.terms import term_frequencies
from mcp_graphrag.ingest.chunk import chunk_document
from mcp_graphrag.model import Chunk, Document, Matrix
from mcp_graphrag.pipeline.ingest import embed_now
from mcp_graphrag.pipeline.outcome_names import Told
from mcp_graphrag.pipeline.pipeline import Pipeline, claim_embeddings
from mcp_graphrag.pipeline.sources import Given, text_document
from mcp_graphrag.pipeline.texts import embedded_text, keyword_text
from mcp_graphrag.store import Writer
from mcp_graphrag.store.documents import (
    add_documents,
    add_extractions,
    chunk_ids_of_document,
    chunks_by_id,
    find_document,
    text_hash,
)
from mcp_graphrag.store.embeddings import add_embeddings
from mcp_graphrag.store.postings import add_postings

URI = "memory:outcome/"
LONGEST_TITLE = 300
LONGEST_REMINDER = 1_000  # characters of what was known of the error that a fix repeats


@dataclass(frozen=True)
class Prepared:
    """A document with all that is made of it before it is written. `lines` has what says each predicate."""

    document: Document
    chunks: Sequence[Chunk]
    frequencies: Sequence[Mapping[str, int]]
    vectors: Matrix | None
    lines: Mapping[str, str]


@dataclass(frozen=True)
class Place:
    """Where something is said: the chunk, and the quote with its span in the document, if it is in that chunk."""

    chunk_id: int
    quote: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class Stored:
    """The document in the file: its chunks, each with its id, and whether it is new."""

    text: str
    chunks: Sequence[tuple[int, Chunk]]
    is_new: bool

    def find(self, words: str) -> Place:
        """The place of words; the first chunk where no chunk has them whole."""
        at = self.text.find(words) if words else -1
        for chunk_id, chunk in self.chunks:
            if chunk.start <= at and at + len(words) <= chunk.end:
                return Place(chunk_id, words, at, at + len(words))
        return Place(self.chunks[0][0])


def prepare(pipeline: Pipeline, told: Told, known: str) -> Prepared:
    """The document of an outcome; `known` is what was known of the error before."""
    lines = {
        "error": f"Error: {told.error.name}",
        "caused_by": f"Caused by: {told.tool.name}" if told.tool else "",
        "in_session": f"In session: {told.session.name}" if told.session and not told.fix else "",
        "resolved_by": f"Resolved by: {told.fix.name}" if told.fix else "",
        "learned_from": f"Learned from: {told.session.name}" if told.session and told.fix else "",
    }
    said = told.error.text or (known[:LONGEST_REMINDER] if told.fix else "")
    context = f"Context: {told.context}" if told.context else ""
    paragraphs = [
        lines["error"],
        said,
        "\n".join(line for line in (lines["caused_by"], lines["in_session"]) if line),
        "\n".join(line for line in (lines["resolved_by"], told.fix.text) if line),
        lines["learned_from"],
        context,
    ]
    text = "\n\n".join(each for each in paragraphs if each) + "\n"
    given = Given(
        text,
        told.error.name[:LONGEST_TITLE],
        told.session.name,
        URI + text_hash(text)[:12],
        "text/plain",
        {"outcome": told.kind, **told.metadata},
    )
    document = text_document(pipeline, given)
    sizes = pipeline.settings
    chunks = chunk_document(document, target=sizes.chunk_target, most=sizes.chunk_most)
    frequencies = [term_frequencies(keyword_text(document.title, chunk)) for chunk in chunks]
    vectors = embed_now(pipeline.embedder, [embedded_text(document.title, chunk) for chunk in chunks])
    return Prepared(document, chunks, frequencies, vectors, lines)


def store_note(tx: Writer, pipeline: Pipeline, note: Prepared, extractor: str) -> Stored:
    """The document in the file, written where it is not in force; `extractor` is noted as who has read it."""
    known = find_document(tx, note.document.uri)
    if known is not None:
        ids = chunk_ids_of_document(tx, known.id)
        found = chunks_by_id(tx, ids)
        rows = [(each, found[each]) for each in ids]
        chunks = [(each, Chunk(row.ordinal, row.start, row.end, row.text)) for each, row in rows]
        return Stored(note.document.text, chunks, is_new=False)
    ((_, chunk_ids),) = add_documents(tx, [(note.document, note.chunks)])
    add_postings(tx, chunk_ids, note.frequencies)
    add_extractions(tx, (extractor, "1"), chunk_ids, [(0, "{}")] * len(chunk_ids))
    if note.vectors is not None:
        claim_embeddings(tx, pipeline.embedder)
        add_embeddings(tx, "chunk", chunk_ids, note.vectors)
    return Stored(note.document.text, list(zip(chunk_ids.tolist(), note.chunks, strict=True)), is_new=True)
