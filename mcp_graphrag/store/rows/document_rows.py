"""Documents and their chunks: added, found, updated, retired."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

import numpy as np

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Chunk, Document, Ids, Metadata, StoredChunk, StoredDocument
from mcp_graphrag.store.engine.columns import row_columns, text_column, time_column
from mcp_graphrag.store.engine.transaction import Reader, Writer
from mcp_graphrag.store.rows.confidence import combine_changed_evidence
from mcp_graphrag.store.rows.mention_rows import SPAN_TABLES
from mcp_graphrag.store.rows.past_rows import keep_values
from mcp_graphrag.written_languages.language_of import SAMPLE, language_of_document

Tests: TypeAlias = Literal["exclude", "only"]
ValueKind = Literal["source", "media type", "metadata key", "metadata value"]
CHUNK_COLUMNS = {
    **dict.fromkeys(("id", "document_id", "parent_id", "ordinal", "start_offset", "end_offset"), int),
    **dict.fromkeys(("headings", "context", "text", "sha256"), str),
}
OPENINGS = 1_000  # documents whose first chunks are read at once
UNIT_SEPARATOR = "\x1f"  # cannot occur in a heading: readers drop control characters


@dataclass(frozen=True)
class ChunkFilter:
    """Which chunks a search may find. Empty fields match all.

    `documents` are uris or titles, of which one must match; `sources` and `media_types` likewise. Every pair of
    `metadata` must be in the document's metadata, under the key in any case, as a value or as a member of a list.
    `since` and `until` (exclusive) bound the `date` in the metadata, or the time of ingestion if there is none. Which
    documents `paths` and `tests` mean `lookup.document_paths` knows.
    """

    documents: Sequence[str] = ()
    sources: Sequence[str] = ()
    media_types: Sequence[str] = ()
    metadata: Mapping[str, str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    paths: Sequence[str] = ()
    tests: Tests | None = None

    @property
    def is_open(self) -> bool:
        """Whether every chunk matches."""
        bounds = self.since is not None or self.until is not None or self.tests is not None
        return not (self.documents or self.sources or self.media_types or self.metadata or self.paths or bounds)


def text_hash(text: str) -> str:
    """SHA-256 of a text's UTF-8, in hexadecimal. Lone surrogates are hashed as question marks."""
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()


def find_document(tx: Reader, uri: str) -> StoredDocument | None:
    """The active document with a uri."""
    return find_documents(tx, [uri]).get(uri)


def find_documents(tx: Reader, uris: Sequence[str]) -> dict[str, StoredDocument]:
    """The active documents with the uris, by uri."""
    rows = tx.rows("find_documents", {"uris": list(uris)})
    return {row[1]: document_from_row(row) for row in rows}


def file_uri_bounds(tx: Reader) -> tuple[str, str]:
    """The first and the last uri of the active documents that are files, in their order; empty without any."""
    first, last = tx.row("file_uri_bounds") or (None, None)
    return first or "", last or ""


def titles_once(tx: Reader, titles: Sequence[str]) -> frozenset[str]:
    """Those of the titles that only one active document has."""
    return frozenset(row[0] for row in tx.rows("titles_once", {"titles": list(titles)}))


def files_by_type(tx: Reader, media_types: Sequence[str], names: str) -> list[tuple[str, str, int]]:
    """(uri, media type, id) of the active documents of the media types, or whose file has a name of the pattern."""
    return tx.rows("files_by_type", {"media_types": list(media_types), "names": names})


def files_saying(tx: Reader, media_types: Sequence[str], pattern: str) -> set[int]:
    """The active documents of the media types in which a regular expression of RE2 is found."""
    return {found for (found,) in tx.rows("files_saying", {"media_types": list(media_types), "pattern": pattern})}


def text_of_document(tx: Reader, document_id: int) -> str:
    """The text of a document, retired ones included."""
    row = tx.row("text_of_document", {"id": document_id})
    return (row[0] or "") if row else ""


def first_lines(tx: Reader, chunk_ids: Iterable[int]) -> dict[int, int]:
    """The line of its document, from 1, that the text of each chunk begins in; blank lines at its top do not count."""
    chunks = chunks_by_id(tx, chunk_ids).values()
    begins = {chunk.id: chunk.start + len(chunk.text) - len(chunk.text.lstrip()) for chunk in chunks}
    return lines_at(tx, {chunk_id: (chunk_id, begin) for chunk_id, begin in begins.items()})


def lines_at(tx: Reader, places: Mapping[int, tuple[int, int]]) -> dict[int, int]:
    """The line, from 1, of each place, (chunk id, offset in the document), by the key that it is given with."""
    ids = {chunk_id for chunk_id, _ in places.values()}
    chunks, first = chunks_by_id(tx, ids), dict(tx.rows_by_id("first_lines", ids))
    return {
        key: first[chunk_id] + chunks[chunk_id].text.count("\n", 0, max(offset - chunks[chunk_id].start, 0))
        for key, (chunk_id, offset) in places.items()
    }


def extracted_by(tx: Reader, document_ids: Sequence[int]) -> dict[int, frozenset[str]]:
    """The extractors that have read every top-level chunk of each document."""
    found = dict.fromkeys(document_ids, frozenset[str]())
    for document_id, extractor in tx.rows("extracted_by", {"ids": list(document_ids)}) if found else ():
        found[document_id] |= {extractor}
    return found


def document_versions(tx: Reader, uri: str) -> list[StoredDocument]:
    """Every version of a document that was ever stored: the active one, then the newest first."""
    return [document_from_row(row) for row in tx.rows("document_versions", {"uri": uri})]


def document_languages(tx: Reader) -> tuple[str, ...]:
    """The languages of the active documents, that of most documents first."""
    return tuple(tx.values("document_languages"))


def is_mostly_english(tx: Reader) -> bool:
    """Whether at least half of the characters of the active documents are of those in English, as source code is."""
    return bool(tx.values("is_mostly_english")[0])


def tell_languages(tx: Writer) -> int:
    """How many active documents are in another language than was stored, which is stored now."""
    ids, changed = tx.ids("active_documents").tolist(), list[tuple[int, str]]()
    for at in range(0, len(ids), OPENINGS):
        for number, media_type, was, text in tx.rows_by_id("openings", ids[at : at + OPENINGS], {"sample": SAMPLE}):
            found = language_of_document(Document("", "", text or "", media_type))
            changed += [(number, found)] if found != was else []
    if changed:
        with tx.incoming("incoming_language", row_columns({"id": int, "language": str}, changed)):
            tx.execute("set_languages")
    return len(changed)


def recent_documents(tx: Reader, *, limit: int) -> list[StoredDocument]:
    """The active documents, newest first."""
    return [document_from_row(row) for row in tx.rows("recent_documents", {"limit": limit})]


def add_documents(tx: Writer, documents: Sequence[tuple[Document, Sequence[Chunk]]]) -> list[tuple[int, Ids]]:
    """The id of each new document and those of its chunks, in the order given."""
    if not documents:
        return []
    document_ids = tx.new_ids("document_id", len(documents))
    new = [document for document, _ in documents]
    columns = {
        "id": document_ids,
        "uri": text_column(document.uri for document in new),
        "title": text_column(document.title for document in new),
        "source": text_column(document.source for document in new),
        "media_type": text_column(document.media_type for document in new),
        "metadata": text_column(to_json(document.metadata) for document in new),
        "sha256": text_column(text_hash(document.text) for document in new),
        "length": np.array([len(document.text) for document in new], dtype=np.int64),
        "file_time": time_column([document.file_time for document in new]),
        "language": text_column(map(language_of_document, new)),
    }
    with tx.incoming("incoming_document", columns):
        tx.execute("add_documents")
    chunk_ids = tx.new_ids("chunk_id", sum(len(chunks) for _, chunks in documents))
    ends = np.cumsum([len(chunks) for _, chunks in documents])
    added = list(zip(document_ids.tolist(), np.split(chunk_ids, ends[:-1]), strict=True))
    if len(chunk_ids):
        rows = [row for ids, (_, chunks) in zip(added, documents, strict=True) for row in _chunk_rows(*ids, chunks)]
        with tx.incoming("incoming_chunk", row_columns(CHUNK_COLUMNS, rows)):
            tx.execute("add_chunks")
    return added


def update_document(tx: Writer, document_id: int, document: Document) -> None:
    """Update the title, source and metadata of a document whose text is unchanged; the old values are kept."""
    values = {"title": document.title, "source": document.source, "metadata": to_json(document.metadata)}
    keep_values(tx, "document", [document_id])
    tx.execute("update_document", {"id": document_id, **values})


def retire_document(tx: Writer, document_id: int) -> None:
    """Retire a document with its chunks, and every triple for which it is the only evidence.

    The names that come from it stay active until `resolve.reconcile_names` has checked whether others use them.
    """
    retired = {"id": document_id}
    tx.execute("retire", retired, table="document", column="id")
    tx.execute("retire_evidence_of_document", retired)
    tx.execute("retire_unsupported_triples")
    tx.execute("retire_lone_confirmations")
    combine_changed_evidence(tx)
    for table in SPAN_TABLES:
        tx.execute("retire_spans_of_document", retired, table=table)
    tx.execute("retire_edges_of_document", retired)
    tx.execute("retire", retired, table="chunk", column="document_id")


def chunks_by_id(tx: Reader, ids: Iterable[int]) -> dict[int, StoredChunk]:
    """Chunks by id, retired ones included."""
    rows = tx.rows_by_id("chunks_by_id", ids)
    documents = documents_by_id(tx, {row[8] for row in rows})
    return {row[0]: _chunk(row, documents[row[8]]) for row in rows}


def documents_by_id(tx: Reader, ids: Iterable[int]) -> dict[int, StoredDocument]:
    """Documents by id, retired ones included."""
    return {row[0]: document_from_row(row) for row in tx.rows_by_id("documents_by_id", ids)}


def chunk_ids_of_document(tx: Reader, document_id: int) -> list[int]:
    """A document's top-level chunks in reading order."""
    return tx.values("chunk_ids_of_document", {"document_id": document_id})


def chunk_ids_in_span(tx: Reader, document_id: int, start: int, end: int) -> list[int]:
    """The top-level chunks of a document that overlap a span, in reading order."""
    span = {"document_id": document_id, "start": start, "end": end}
    return tx.values("chunk_ids_in_span", span)


def filter_chunks(tx: Reader, chunk_filter: ChunkFilter, among: Ids | None = None) -> Ids:
    """The active chunks that match a filter, of `among` documents if given, ascending; its paths are not looked at."""
    parameters: dict[str, Any] = {
        "documents": list(chunk_filter.documents) or None,
        "sources": list(chunk_filter.sources) or None,
        "media_types": list(chunk_filter.media_types) or None,
        "metadata": list((chunk_filter.metadata or {}).items()) or None,
        "since": chunk_filter.since,
        "until": chunk_filter.until,
    }
    if among is None:
        return tx.ids("filter_chunks", parameters, among="")
    with tx.incoming("incoming_id", {"id": among}):
        return tx.ids("filter_chunks", parameters, among="AND d.id IN (SELECT id FROM incoming_id)")


def similar_documents(tx: Reader, name: str) -> list[str]:
    """The titles or uris of up to three active documents, the most similar to a name first."""
    return tx.values("similar_documents", {"name": name})


def similar_values(tx: Reader, kind: ValueKind, value: str, *, key: str = "") -> list[str]:
    """Up to five values of a kind that active documents have, the most similar first; `key` is of a metadata value."""
    return tx.values("similar_values", {"kind": kind, "name": value, "key": key})


def document_date_range(tx: Reader) -> tuple[datetime, datetime] | None:
    """The dates of the oldest and the newest active document, as ChunkFilter compares them; None if there is none."""
    row = tx.row("document_date_range")
    return (row[0], row[1]) if row and row[0] else None


def searched_chunks(tx: Reader) -> Ids:
    """The active chunks that are searched, ascending: all without children."""
    return tx.ids("searched_chunks")


def chunk_parents(tx: Reader, *, since: int) -> tuple[Ids, Ids]:
    """(ids ascending, parent ids) of the active chunks with a parent that were recorded after a generation."""
    ids, parents = tx.id_columns("chunk_parents", {"since": since})
    return ids, parents


def chunk_documents(tx: Reader, *, since: int) -> tuple[Ids, Ids]:
    """(ids ascending, document ids) of the active chunks that were recorded after a generation."""
    ids, documents = tx.id_columns("chunk_documents", {"since": since})
    return ids, documents


def dated_documents(tx: Reader, since: int) -> Iterator[tuple[int, Metadata, datetime | None]]:
    """(id, metadata, time of its file) of the active documents that were recorded after a generation, ascending."""
    for number, metadata, file_time in tx.rows("dated_documents", {"since": since}):
        yield number, json.loads(metadata), file_time


def to_json(value: Mapping[str, Any]) -> str:
    """Compact JSON; values that JSON has no type for become strings. Raises BadInput for what JSON cannot hold."""
    try:
        return json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"), default=str, allow_nan=False)
    except (ValueError, RecursionError) as error:
        # Infinite numbers, whole numbers of more than 4,300 digits, lists inside themselves.
        raise BadInput(
            "Metadata has a value that JSON cannot hold.", "Use shorter numbers and fewer levels."
        ) from error


def _chunk_rows(document_id: int, chunk_ids: Ids, chunks: Sequence[Chunk]) -> Iterator[tuple[Any, ...]]:
    by_ordinal = {chunk.ordinal: chunk_id for chunk, chunk_id in zip(chunks, chunk_ids.tolist(), strict=True)}
    for chunk, chunk_id in zip(chunks, chunk_ids.tolist(), strict=True):
        parent = None if chunk.parent is None else by_ordinal[chunk.parent]
        span = (chunk.ordinal, chunk.start, chunk.end)
        texts = (UNIT_SEPARATOR.join(chunk.headings), chunk.context, chunk.text, text_hash(chunk.text))
        yield chunk_id, document_id, parent, *span, *texts


def document_from_row(row: Sequence[Any]) -> StoredDocument:
    """A document from the columns that the SQL macro `document_columns` selects."""
    *values, metadata, sha256, length, recorded_at, retired_at, file_time, language = row
    return StoredDocument(
        *[*values, json.loads(metadata), sha256, length, recorded_at, retired_at, file_time, language]
    )


def _chunk(row: tuple[Any, ...], document: StoredDocument) -> StoredChunk:
    chunk_id, ordinal, start, end, headings, *rest, _ = row
    return StoredChunk(chunk_id, document, ordinal, start, end, tuple(title for title in headings if title), *rest)
