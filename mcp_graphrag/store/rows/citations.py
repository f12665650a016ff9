"""Citations, `document-uri#chunk:start-end@hash8`: formatted, parsed and resolved.

`start` and `end` are characters of the document's text, `hash8` the first eight digits of the cited text's SHA-256. So
a citation is stable while the document's text is, and finds the retired text afterwards.
"""

import re
from dataclasses import dataclass

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import StoredChunk, StoredDocument
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.document_rows import (
    chunk_ids_in_span,
    chunks_by_id,
    document_versions,
    text_hash,
)

CITATION = re.compile(r"(?P<uri>.+)#chunk:(?P<start>\d{1,15})-(?P<end>\d{1,15})(?:@(?P<hash>[0-9a-f]{8}))?", re.DOTALL)


@dataclass(frozen=True)
class CitedText:
    """The span of a document that a citation refers to, its text, and the chunks that it overlaps."""

    document: StoredDocument
    start: int
    end: int
    text: str
    chunks: tuple[StoredChunk, ...]


def cite(uri: str, start: int, end: int, sha256: str) -> str:
    """The citation of a span whose text has this hash."""
    return f"{uri}#chunk:{start}-{end}@{sha256[:8]}"


def cite_chunk(chunk: StoredChunk) -> str:
    """The citation of a whole chunk."""
    return cite(chunk.document.uri, chunk.start, chunk.end, chunk.sha256)


def resolve_citation(tx: Reader, citation: str) -> CitedText:
    """The span that a citation refers to, or the whole document for a uri; retired text included.

    Raises UnknownName if no version of the document has that text, BadInput if the span is empty.
    """
    match = CITATION.fullmatch(citation.strip())
    uri = match["uri"] if match else citation.strip()
    versions = document_versions(tx, uri)
    if not versions:
        hint = "Pass a citation exactly as an answer gave it, or a document's uri."
        raise UnknownName("document", uri, hint=f"{hint}{_dropped(tx)}")
    if match is None:
        return _span(tx, versions[0], 0, versions[0].length)
    start, end = int(match["start"]), int(match["end"])
    if start >= end:
        raise BadInput(f"The span {start}-{end} is empty.", "A citation's start is below its end.")
    for version in versions:
        span = _span(tx, version, start, min(end, version.length))
        if span.text and (match["hash"] is None or text_hash(span.text).startswith(match["hash"])):
            return span
    raise UnknownName(
        "text", citation, hint=f"The document has {versions[0].length} characters; search it again.{_dropped(tx)}"
    )


def _dropped(tx: Reader) -> str:
    """What a hint adds where earlier versions of documents were dropped."""
    row = tx.row("compacted")
    return f" Versions that were replaced until {row[1]:%Y-%m-%d %H:%M:%S} were dropped." if row else ""


def _span(tx: Reader, document: StoredDocument, start: int, end: int) -> CitedText:
    ids = chunk_ids_in_span(tx, document.id, start, end)
    by_id = chunks_by_id(tx, ids)
    chunks = [by_id[chunk_id] for chunk_id in ids]
    text = "".join(chunk.text[max(start - chunk.start, 0) : max(end - chunk.start, 0)] for chunk in chunks)
    return CitedText(document, start, end, text, tuple(chunks))
