"""Bytes or text in, documents and chunks out. Knows nothing of the store.

Adding a reader is one line in `READERS`.
"""

from mcp_graphrag.ingest.chunk import chunk_document
from mcp_graphrag.ingest.readers import READERS, guess_media_type, read_bytes, read_text
from mcp_graphrag.ingest.reading import Reader, Reading
from mcp_graphrag.ingest.tokens import estimate_tokens
from mcp_graphrag.ingest.walk import Found, file_uri, find_files, read_found

__all__ = [
    "READERS",
    "Found",
    "Reader",
    "Reading",
    "chunk_document",
    "estimate_tokens",
    "file_uri",
    "find_files",
    "guess_media_type",
    "read_bytes",
    "read_found",
    "read_text",
]
