"""Chunks and entity names made searchable: their texts, postings and static vectors."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.index.tokenize import heading_term, term_frequencies, whole_terms
from mcp_graphrag.model import Chunk, Document, Ids, Matrix, StoredChunk
from mcp_graphrag.store import Writer
from mcp_graphrag.store.rows.embedding_rows import add_embeddings
from mcp_graphrag.store.rows.posting_rows import add_postings
from mcp_graphrag.written_languages.language_of import language_of_document

IN_HEADING = 4  # occurrences that one in a heading, which tells what the whole chunk is about, is counted as
EMBED_BLOCK = 5_000  # names embedded at once: 5 MB of vectors


@dataclass(frozen=True)
class IndexedChunks:
    """The term frequencies and static vectors of chunks."""

    frequencies: Sequence[Mapping[str, int]]
    vectors: Matrix


def chunk_terms(title: str, chunk: Chunk | StoredChunk, language: str) -> Counter[str]:
    """How often title, headings and text have each term; one like 2.3.1 in a heading is one more, as `heading_term`."""
    heads = [title, *chunk.headings]
    terms = term_frequencies("\n".join([*heads, chunk.context, chunk.text]), language)
    return terms + Counter({heading_term(term): IN_HEADING for term in whole_terms("\n".join(heads))})


def embedded_text(title: str, chunk: Chunk | StoredChunk) -> str:
    """Title and headings without duplicates, then the text."""
    return "\n".join([*dict.fromkeys([title, *chunk.headings]), chunk.context, chunk.text.strip()])


def index_chunks(embedder: Embedder, chunks: Iterable[tuple[Document, Chunk]]) -> IndexedChunks:
    """What search needs of chunks that are about to be stored, each given with its document."""
    chunks = list(chunks)
    frequencies = [chunk_terms(one.title, chunk, language_of_document(one)) for one, chunk in chunks]
    texts = [embedded_text(document.title, chunk) for document, chunk in chunks]
    return IndexedChunks(frequencies, embedder.embed(texts))


def store_indexed(tx: Writer, chunk_ids: Ids, indexed: IndexedChunks) -> None:
    """Store the postings and vectors of chunks that were just stored."""
    add_postings(tx, chunk_ids, indexed.frequencies)
    add_embeddings(tx, "chunk", chunk_ids, indexed.vectors)


def embed_entities(tx: Writer, embedder: Embedder, fresh: Sequence[tuple[int, str]]) -> None:
    """Embed the names of new entities, given as (id, name)."""
    for at in range(0, len(fresh), EMBED_BLOCK):
        block = fresh[at : at + EMBED_BLOCK]
        ids = np.array([entity_id for entity_id, _ in block], dtype=np.int64)
        add_embeddings(tx, "entity", ids, embedder.embed([name for _, name in block]))
