"""Which extractor has read which chunk, which chunks are handed out to be read, and extractions taken back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.columns import id_column, row_columns
from mcp_graphrag.store.engine.transaction import Reader, Writer
from mcp_graphrag.store.rows.confidence import combine_changed_evidence
from mcp_graphrag.store.rows.entity_rows import EntityLabel
from mcp_graphrag.store.rows.mention_rows import SPAN_TABLES
from mcp_graphrag.store.rows.triple_rows import retire_triples

# By these tools a caller decides about triples: a rebuild does not take that back.
DECISIONS = ("resolve", "review_with_claude", "remove", "add_triples")


def add_extractions(tx: Writer, extractor: tuple[str, str], chunk_ids: Ids, counts: Sequence[tuple[int, str]]) -> None:
    """Record that an extractor, (name, version), has read the chunks, and (triples kept, dropped as JSON) of each.

    A chunk that it has read before stays recorded as it is.
    """
    columns = {"chunk_id": chunk_ids, **row_columns({"triples": int, "dropped": str}, counts)}
    with tx.incoming("incoming_extraction", columns):
        tx.execute("add_extractions", {"extractor": extractor[0], "version": extractor[1]})


def read_by_older_rules(tx: Reader, extractor: str, version: str) -> list[str]:
    """The uris of the documents that an extractor has read by other rules than those of a version."""
    return tx.values("read_by_older_rules", {"extractor": extractor, "version": version})


def unextracted_chunks(tx: Reader) -> int:
    """How many active top-level chunks no extractor has read."""
    return tx.count("unextracted_chunks")


@dataclass(frozen=True)
class Unread:
    """Which active top-level chunks an extractor has not read; None leaves out none.

    Those of the media types `left_out` are not among them, and those of the media types `data` only where no extractor
    found a triple. They are only of the `documents` and `among` chunks with these ids; nobody reads them at `free_at`.
    """

    extractor: str
    left_out: list[str]
    data: list[str]
    documents: list[int] | None = None
    among: list[int] | None = None
    free_at: datetime | None = None


def unread_chunks(tx: Reader, unread: Unread, *, limit: int) -> list[int]:
    """The first of the chunks in reading order, data behind texts."""
    order = "ORDER BY list_contains($data::JSON::VARCHAR[], d.media_type), c.id LIMIT $limit"
    return tx.values("unread_chunks", {**vars(unread), "limit": limit}, what="c.id", order=order)


def unread_count(tx: Reader, unread: Unread) -> int:
    """How many chunks there are."""
    return int(tx.values("unread_chunks", vars(unread), what="count(*)", order="")[0])


def lease_chunks(tx: Writer, chunk_ids: Iterable[int], holder: str, expires_at: datetime) -> None:
    """Hand out chunks until a moment."""
    with tx.incoming("incoming_id", id_column(chunk_ids)):
        tx.execute("take_leases", {"holder": holder, "expires_at": expires_at})


def end_leases(tx: Writer, chunk_ids: Iterable[int]) -> None:
    """Chunks that have been read are handed out no more."""
    with tx.incoming("incoming_id", id_column(chunk_ids)):
        tx.execute("end_leases")


class Lease(NamedTuple):
    """Chunks that a reader has, and when the first of them is free again."""

    reader: str
    chunks: int
    until: datetime


def present_leases(tx: Reader) -> list[Lease]:
    """Who reads how many chunks, in the order in which they are free again."""
    return [Lease(*row) for row in tx.rows("present_leases")]


def release_leases(tx: Writer, readers: Sequence[str]) -> None:
    """Chunks that these readers have are free at once."""
    tx.execute("release_leases", {"holders": list(readers)})


def names_in_documents(tx: Reader, document_ids: Iterable[int], *, limit: int) -> list[EntityLabel]:
    """The entities that documents mention, those mentioned most first."""
    return [EntityLabel(*row) for row in tx.rows("names_in_documents", {"ids": sorted(document_ids), "limit": limit})]


def drop_repeated_mentions(tx: Writer, chunk_ids: Iterable[int], extractor: str) -> None:
    """Leave out the mentions that this write has added to chunks though they were stored."""
    with tx.incoming("incoming_id", id_column(chunk_ids)):
        tx.execute("drop_repeated_mentions", {"extractor": extractor})


def retire_extracted(tx: Writer, document_ids: Iterable[int], extractors: Sequence[str]) -> None:
    """Retire the evidence, mentions, values, chunk edges and names that only extractors have found in documents.

    Triples that are left without evidence stay until `retire_unfounded`, so that what is found again keeps its id.
    """
    with tx.incoming("incoming_id", id_column(document_ids)):
        tx.execute("retire_extracted_evidence", {"extractors": list(extractors), "decisions": list(DECISIONS)})
        for table in (*SPAN_TABLES, "extraction"):
            tx.execute("retire_extracted_rows", {"extractors": list(extractors)}, table=table)
        tx.execute("retire_extracted_names")
        tx.execute("retire_extracted_edges", {"extractors": list(extractors)})


def retire_unfounded(tx: Writer) -> int:
    """Retire the triples that this write has left without evidence, and those that a caller had retired before.

    How many there are of the latter.
    """
    tx.execute("retire_unsupported_triples")
    decided: list[int] = tx.values("decided_triples", {"decisions": list(DECISIONS)})
    retire_triples(tx, decided)
    tx.execute("retire_lone_confirmations")
    combine_changed_evidence(tx)
    return len(decided)


def conflicts_taken_back(tx: Writer) -> list[str]:
    """The contradictions that this write has recorded and retired again, in words."""
    return tx.values("conflicts_taken_back")
