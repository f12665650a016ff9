"""The text of a chunk for keyword and for vector search."""

from mcp_graphrag.model import Chunk, StoredChunk


def keyword_text(title: str, chunk: Chunk | StoredChunk) -> str:
    """Title, headings and text."""
    return "\n".join([title, *chunk.headings, chunk.context, chunk.text])


def embedded_text(title: str, chunk: Chunk | StoredChunk) -> str:
    """Title and headings without duplicates, then the text."""
    return "\n".join([*dict.fromkeys([title, *chunk.headings]), chunk.context, chunk.text.strip()])
