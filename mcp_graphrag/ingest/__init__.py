"""Bytes or text in, documents and chunks out. Independent of the store."""

from mcp_graphrag.ingest.chunker import chunk_document
from mcp_graphrag.ingest.code.not_written import why_not_written
from mcp_graphrag.ingest.find_files import find_below, find_files, path_spec, shown_roots
from mcp_graphrag.ingest.find_files import resolve_allowed as allowed_path
from mcp_graphrag.ingest.readers import BYTES_READERS, READERS, guess_media_type, read_bytes, read_documents, read_text
from mcp_graphrag.ingest.safe_open import FoundFile, read_found_file
from mcp_graphrag.ingest.token_estimate import estimate_tokens

__all__ = [
    "BYTES_READERS",
    "READERS",
    "FoundFile",
    "allowed_path",
    "chunk_document",
    "estimate_tokens",
    "find_below",
    "find_files",
    "guess_media_type",
    "path_spec",
    "read_bytes",
    "read_documents",
    "read_found_file",
    "read_text",
    "shown_roots",
    "why_not_written",
]
