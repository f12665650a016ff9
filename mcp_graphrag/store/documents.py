"""Documents and chunks: added, found, replaced."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Chunk, Document, Ids, StoredChunk, StoredDocument
from mcp_graphrag.store.confidence import combine_touched
from mcp_graphrag.store.statements import statements
from mcp_graphrag.store.transaction import Reader, Writer

# A top-level value of the metadata, or a member of one that is a list.
METADATA_HAS = """
  AND (json_extract_string(d.metadata, $key{0}) = $value{0}
       OR coalesce(list_contains(TRY_CAST(json_extract(d.metadata, $key{0}) AS VARCHAR[]), $value{0}), false))"""
NameKind = Literal["source", "media type", "metadata key", "metadata value"]
UNIT_SEPARATOR = "\x1f"  # cannot occur in a heading: readers drop control characters


@dataclass(frozen=True)
class ChunkFilter:
    """Which chunks a search may find. Empty fields hold for all.

    `documents` are uris or titles (any of them), `sources` and `media_types` likewise; every pair of `metadata` must
    be in the document's metadata, as a value or as a member of a list. `since` and `until` (exclusive) bound the
    document's own `date`, or where its metadata has none when it was ingested.
    """

    documents: Sequence[str] = ()
    sources: Sequence[str] = ()
    media_types: Sequence[str] = ()
    metadata: Mapping[str, str] | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether it lets every chunk through."""
        bounds = self.since is not None or self.until is not None
        return not (self.documents or self.sources or self.media_types or self.metadata or bounds)


def text_hash(text: str) -> str:
    """SHA-256 of a text's UTF-8, in hexadecimal. A lone surrogate counts as U+FFFD would."""
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()


def find_document(tx: Reader, uri: str) -> StoredDocument | None:
    """The document in force under a uri."""
    row = tx.row("find_document", {"uri": uri})
    return document_from(row) if row else None


def find_documents(tx: Reader, uris: Sequence[str]) -> dict[str, StoredDocument]:
    """The documents in force under the uris, by uri."""
    found = [document_from(row) for row in tx.rows("find_documents", {"uris": list(uris)})]
    return {document.uri: document for document in found}


def extracted_by(tx: Reader, document_ids: Sequence[int]) -> dict[int, frozenset[str]]:
    """The extractors that have read every top-level chunk of each document."""
    rows = tx.rows("extracted_by", {"ids": list(document_ids)}) if document_ids else []
    found: dict[int, set[str]] = {document_id: set() for document_id in document_ids}
    for document_id, extractor in rows:
        found[document_id].add(extractor)
    return {document_id: frozenset(names) for document_id, names in found.items()}


def document_versions(tx: Reader, uri: str) -> list[StoredDocument]:
    """Every version ever stored under a uri, newest first."""
    return [document_from(row) for row in tx.rows("document_versions", {"uri": uri})]


def last_documents(tx: Reader, *, limit: int) -> list[StoredDocument]:
    """The documents in force, the newest first."""
    return [document_from(row) for row in tx.rows("last_documents", {"limit": limit})]


def add_documents(tx: Writer, documents: Sequence[tuple[Document, Sequence[Chunk]]]) -> list[tuple[int, Ids]]:
    """The id of each new document and those of its chunks, in the order given."""
    if not documents:
        return []
    document_ids = tx.new_ids("document_id", len(documents))
    read = [document for document, _ in documents]
    columns = {
        "id": document_ids,
        "uri": texts(document.uri for document in read),
        "title": texts(document.title for document in read),
        "source": texts(document.source for document in read),
        "media_type": texts(document.media_type for document in read),
        "metadata": texts(to_json(document.metadata) for document in read),
        "sha256": texts(text_hash(document.text) for document in read),
        "length": np.array([len(document.text) for document in read], dtype=np.int64),
    }
    with tx.offering("incoming_document", columns):
        tx.rows("add_documents", tx.stamp())
    chunk_ids = tx.new_ids("chunk_id", sum(len(chunks) for _, chunks in documents))
    if len(chunk_ids):
        with tx.offering("incoming_chunk", _chunk_columns(document_ids, documents, chunk_ids)):
            tx.rows("add_chunks", tx.stamp())
    ends = np.cumsum([len(chunks) for _, chunks in documents])
    return list(zip(document_ids.tolist(), np.split(chunk_ids, ends[:-1]), strict=True))


def describe_document(tx: Writer, document_id: int, document: Document) -> None:
    """Write the title, source and metadata of a document whose text is unchanged; the old ones go to `past`."""
    words = {"title": document.title, "source": document.source, "metadata": to_json(document.metadata)}
    tx.rows("keep_words_of_document", {"id": document_id, **tx.stamp()})
    tx.rows("describe_document", {"id": document_id, **words, **tx.stamp()})


def retire_document(tx: Writer, document_id: int) -> None:
    """Take a document out of force, with its chunks, and every triple that it alone supported.

    The names that it taught stay until `resolve.settle` has seen who still uses them.
    """
    stamped = {"id": document_id, **tx.stamp()}
    tx.rows("retire_document", stamped)
    tx.rows("retire_evidence_of_document", stamped)
    tx.rows("retire_unsupported_triples", tx.stamp())
    tx.rows("retire_lone_confirmations", tx.stamp())
    combine_touched(tx)
    tx.rows("retire_mentions", {"id": document_id, "change": tx.change})
    tx.rows("retire_edges_of_document", stamped)
    tx.rows("retire_chunks", stamped)


def chunks_by_id(tx: Reader, ids: Iterable[int]) -> dict[int, StoredChunk]:
    """Chunks by id, retired ones included."""
    rows = tx.rows_by_id("chunks_by_id", ids)
    documents = documents_by_id(tx, {row[8] for row in rows})
    return {row[0]: _chunk(row, documents[row[8]]) for row in rows}


def documents_by_id(tx: Reader, ids: Iterable[int]) -> dict[int, StoredDocument]:
    """Documents by id, retired ones included."""
    return {row[0]: document_from(row) for row in tx.rows_by_id("documents_by_id", ids)}


def chunk_ids_of_document(tx: Reader, document_id: int) -> list[int]:
    """A document's top-level chunks in reading order."""
    return [row[0] for row in tx.rows("chunk_ids_of_document", {"document_id": document_id})]


def chunk_ids_in_span(tx: Reader, document_id: int, start: int, end: int) -> list[int]:
    """The chunks of a document that touch the span, in reading order."""
    span = {"document_id": document_id, "start": start, "end": end}
    return [row[0] for row in tx.rows("chunk_ids_in_span", span)]


def chunk_ids_where(tx: Reader, allowed: ChunkFilter) -> Ids:
    """The chunks in force that the filter lets through, ascending."""
    parameters: dict[str, Any] = {
        "documents": list(allowed.documents) or None,
        "sources": list(allowed.sources) or None,
        "media_types": list(allowed.media_types) or None,
        "since": allowed.since,
        "until": allowed.until,
    }
    conditions: list[str] = []
    for number, (key, value) in enumerate((allowed.metadata or {}).items()):
        parameters |= {f"key{number}": _pointer(key), f"value{number}": value}
        conditions.append(METADATA_HAS.format(number))
    sql = "".join([statements()["chunk_ids_where"], *conditions, " ORDER BY c.id"])
    return np.asarray(tx.arrays(sql, parameters)["id"], dtype=np.int64)


def documents_like(tx: Reader, name: str) -> list[str]:
    """The titles or uris of up to three documents in force, those most like a name first."""
    return [row[0] for row in tx.rows("documents_like", {"name": name})]


def names_like(tx: Reader, kind: NameKind, name: str, *, key: str = "") -> list[str]:
    """Up to five names of a kind that documents in force have, the likest first; `key` is that of a metadata value."""
    return [row[0] for row in tx.rows("names_like", {"kind": kind, "name": name, "pointer": _pointer(key)})]


def document_days(tx: Reader) -> tuple[datetime, datetime] | None:
    """The times of the oldest and the newest document in force, as `since` and `until` see them; None for none."""
    row = tx.row("document_days")
    return (row[0], row[1]) if row is not None and row[0] is not None else None


def searched_chunks(tx: Reader) -> Ids:
    """The chunks in force that are searched, ascending: all but those that have children."""
    return np.asarray(tx.columns("searched_chunks")["id"], dtype=np.int64)


def chunk_parents(tx: Reader, *, since: int) -> tuple[Ids, Ids]:
    """(ids ascending, ids of their parents) of the chunks with a parent that were recorded after a generation."""
    found = tx.columns("chunk_parents", {"since": since})
    return np.asarray(found["id"], dtype=np.int64), np.asarray(found["parent_id"], dtype=np.int64)


def add_extractions(tx: Writer, extractor: tuple[str, str], chunk_ids: Ids, counted: Sequence[tuple[int, str]]) -> None:
    """Record that (name, version) has read the chunks; `counted` has (triples kept, dropped as JSON) of each."""
    columns = {
        "chunk_id": chunk_ids,
        "extractor": texts([extractor[0]] * len(chunk_ids)),
        "version": texts([extractor[1]] * len(chunk_ids)),
        "triples": np.array([kept for kept, _ in counted], dtype=np.int32),
        "dropped": texts(dropped for _, dropped in counted),
    }
    with tx.offering("incoming_extraction", columns):
        tx.rows("add_extractions", {"change": tx.change})


def unextracted_chunks(tx: Reader) -> int:
    """How many top-level chunks in force no extractor has read."""
    return tx.count("unextracted_chunks")


def texts(values: Iterable[str | None]) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Strings as the object array that DuckDB reads as VARCHAR; lone surrogates become question marks."""
    kept = [
        value if value is None or value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
        for value in values
    ]
    return np.array(kept, dtype=object)


def optional_ids(values: Sequence[int | None]) -> Ids:
    """Numbers with -1 for None, which the statements turn to NULL: DuckDB does not see the mask of a masked array."""
    if all(value is None for value in values):
        return np.full(len(values), -1, dtype=np.int64)
    return np.array([-1 if value is None else value for value in values], dtype=np.int64)


def times(values: Sequence[datetime | None]) -> NDArray[np.datetime64]:
    """Moments in microseconds; None is not-a-time, which DuckDB reads as NULL."""
    if all(value is None for value in values):
        return np.full(len(values), "NaT", dtype="datetime64[us]")
    return np.array(values, dtype="datetime64[us]")


def to_json(value: Mapping[str, Any]) -> str:
    """Compact JSON; what JSON cannot say becomes its text."""
    return json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"), default=str)


def _pointer(key: str) -> str:
    """A key of metadata as a JSON pointer: in a path "*" is a wildcard even in quotes, and an empty key illegal."""
    return "/" + key.replace("~", "~0").replace("/", "~1")


def _chunk_columns(
    document_ids: Ids, documents: Sequence[tuple[Document, Sequence[Chunk]]], chunk_ids: Ids
) -> dict[str, NDArray[Any]]:
    chunks = [chunk for _, each in documents for chunk in each]
    sizes = [len(each) for _, each in documents]
    parents: list[int | None] = []
    first = 0
    for _, each in documents:
        by_ordinal = {chunk.ordinal: int(chunk_ids[first + at]) for at, chunk in enumerate(each)}
        parents += [None if chunk.parent is None else by_ordinal[chunk.parent] for chunk in each]
        first += len(each)
    return {
        "id": chunk_ids,
        "document_id": np.repeat(document_ids, sizes),
        "parent_id": optional_ids(parents),
        "ordinal": np.array([chunk.ordinal for chunk in chunks], dtype=np.int32),
        "start_offset": np.array([chunk.start for chunk in chunks], dtype=np.int64),
        "end_offset": np.array([chunk.end for chunk in chunks], dtype=np.int64),
        "headings": texts(UNIT_SEPARATOR.join(chunk.headings) for chunk in chunks),
        "context": texts(chunk.context for chunk in chunks),
        "text": texts(chunk.text for chunk in chunks),
        "sha256": texts(text_hash(chunk.text) for chunk in chunks),
    }


def document_from(row: Sequence[Any]) -> StoredDocument:
    """A document from its columns as every statement selects them."""
    document_id, uri, title, source, media_type, metadata, sha256, length, recorded_at, retired_at = row
    return StoredDocument(
        document_id, uri, title, source, media_type, json.loads(metadata), sha256, length, recorded_at, retired_at
    )


def _chunk(row: tuple[Any, ...], document: StoredDocument) -> StoredChunk:
    chunk_id, ordinal, start, end, headings, text, sha256, context, _ = row
    path = tuple(title for title in headings if title)
    return StoredChunk(chunk_id, document, ordinal, start, end, path, text, sha256, context)
