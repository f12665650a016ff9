"""What keyword and vector search read of a chunk."""

from mcp_graphrag.model import Chunk, StoredChunk


def keyword_text(title: str, chunk: Chunk | StoredChunk) -> str:
    """Title, headings and text."""
    return "\n".join([title, *chunk.headings, chunk.context, chunk.text])


def embedded_text(title: str, chunk: Chunk | StoredChunk) -> str:
    """Title and headings, each once, then the text."""
    return "\n".join([*dict.fromkeys([title, *chunk.headings]), chunk.context, chunk.text.strip()])
