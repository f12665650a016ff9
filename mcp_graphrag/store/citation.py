"""Citations, `document-uri#chunk:start-end@hash8`: written, read and resolved.

start and end are characters of the document's text and hash8 the first eight digits of the cited text's SHA-256, so a
citation is stable while the document's text is, and finds the retired text afterwards.
"""

import re
from dataclasses import dataclass

from mcp_graphrag.errors import BadInput, UnknownName
from mcp_graphrag.model import StoredChunk, StoredDocument
from mcp_graphrag.store.documents import (
    chunk_ids_in_span,
    chunk_ids_of_document,
    chunks_by_id,
    document_versions,
    text_hash,
)
from mcp_graphrag.store.transaction import Reader

FORM = re.compile(r"(?P<uri>.+)#chunk:(?P<start>\d{1,15})-(?P<end>\d{1,15})(?:@(?P<hash>[0-9a-f]{8}))?", re.DOTALL)


@dataclass(frozen=True)
class Cited:
    """What a citation stands for: a span of a document, with the chunks that it touches. `text` is the span's."""

    document: StoredDocument
    start: int
    end: int
    text: str
    chunks: tuple[StoredChunk, ...]


def cite(uri: str, start: int, end: int, sha256: str) -> str:
    """The citation of a span whose text has that hash."""
    return f"{uri}#chunk:{start}-{end}@{sha256[:8]}"


def cite_chunk(chunk: StoredChunk) -> str:
    """The citation of a whole chunk."""
    return cite(chunk.document.uri, chunk.start, chunk.end, chunk.sha256)


def find_cited(tx: Reader, citation: str) -> Cited:
    """What a citation, or a document's uri, stands for, retired text included.

    Raises UnknownName where no version of the document has that text, BadInput where the span is empty.
    """
    form = FORM.fullmatch(citation.strip())
    uri = form["uri"] if form else citation.strip()
    versions = document_versions(tx, uri)
    if not versions:
        raise UnknownName("document", uri, hint="Pass a citation just as an answer gave it, or a document's uri.")
    if form is None:
        return _span(tx, versions[0], 0, versions[0].length)
    start, end = int(form["start"]), int(form["end"])
    if start >= end:
        raise BadInput(f"The span {start}-{end} is empty.", "A citation's start is below its end.")
    for version in versions:
        found = _span(tx, version, start, min(end, version.length))
        if found.text and (form["hash"] is None or text_hash(found.text).startswith(form["hash"])):
            return found
    raise UnknownName("text", citation, hint=f"The document has {versions[0].length} characters; search it again.")


def _span(tx: Reader, document: StoredDocument, start: int, end: int) -> Cited:
    whole = start == 0 and end == document.length
    ids = chunk_ids_of_document(tx, document.id) if whole else chunk_ids_in_span(tx, document.id, start, end)
    found = chunks_by_id(tx, ids)
    chunks = [found[chunk_id] for chunk_id in ids]
    text = "".join(chunk.text[max(start - chunk.start, 0) : max(end - chunk.start, 0)] for chunk in chunks)
    return Cited(document, start, end, text, tuple(chunks))
