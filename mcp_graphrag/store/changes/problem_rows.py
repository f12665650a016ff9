"""What the tables of a file should never hold, and its removal from what is in force."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.columns import id_column
from mcp_graphrag.store.engine.statements import statements, with_macros
from mcp_graphrag.store.engine.transaction import Reader, Writer
from mcp_graphrag.store.rows.mention_rows import SPAN_TABLES

# What stands for the id of rows that have none.
KEYS = {
    "mention": "mention_key(mention)",
    "entity_value": "value_key(entity_value)",
    "entity_alias": "name_key(entity_alias)",
}


@dataclass(frozen=True)
class Check:
    """A statement that finds rows that should not be there; `about` says what they are.

    `retires` is the table whose rows it finds, if these can be retired as they are.
    """

    kind: str
    about: str
    retires: str = ""


# In the order in which they are retired: what a row depends on comes before it.
CHECKS = (
    Check("document_twice", "documents in force with the uri of a newer one"),
    Check("document_without_chunks", "documents in force without a chunk in force"),
    Check("document_text_differs", "documents in force whose chunks are not their whole text"),
    Check("document_read_in_part", "documents that an extractor has read only in part"),
    Check("chunk_without_document", "chunks of documents that are not in force", "chunk"),
    Check("edge_without_chunk", "chunk edges between chunks that are not in force", "chunk_edge"),
    Check("mention_without_chunk", "mentions in chunks that are not in force", "mention"),
    Check("mention_without_entity", "mentions of entities that are not in force", "mention"),
    Check("mention_outside_chunk", "mentions outside their chunk", "mention"),
    Check("value_without_chunk", "values in chunks that are not in force", "entity_value"),
    Check("value_without_entity", "values of entities that are not in force", "entity_value"),
    Check("value_not_in_text", "values that are not in their chunk", "entity_value"),
    Check("triple_without_entity", "triples between entities that are not in force", "triple"),
    Check("triple_without_time", "triples that end when they begin, or before"),
    Check("triple_twice", "triples that state the same as an older one"),
    Check("evidence_without_chunk", "evidence in chunks that are not in force", "evidence"),
    Check("quote_not_in_text", "quotes that are not in their chunk", "evidence"),
    Check("triple_without_evidence", "triples without evidence", "triple"),
    Check("evidence_without_triple", "evidence of triples that are not in force", "evidence"),
    Check("triple_confidence", "triples with another confidence than their evidence gives"),
    Check("entity_without_support", "entities that nothing mentions, names or declares"),
    Check("entity_without_name", "entities that cannot be found by their name"),
    Check("entity_twice", "entities with the name and type of an older one"),
    Check("name_without_entity", "names of entities that are not in force", "entity_alias"),
    Check("name_of_retired_document", "names from documents that are not in force", "entity_alias"),
    Check("conflict_without_triple", "open conflicts of triples that are not in force", "conflict"),
    Check("reference_to_nothing", "references to rows that are not in the file"),
    Check("row_without_change", "rows of changes that are not in the log"),
    Check("job_of_nobody", "jobs recorded as running that no process runs"),
    Check("chunk_not_searched", "chunks that keyword search cannot find"),
    Check("posting_of_nothing", "postings of chunks or terms that are not in the file"),
    Check("vector_of_nothing", "vectors of chunks or entities that are not in the file"),
)


@dataclass(frozen=True)
class LiveCounts:
    """How many rows of each kind are in force."""

    documents: int
    chunks: int
    mentions: int
    entities: int
    triples: int
    evidence: int
    chunk_edges: int
    values: int


def live_counts(tx: Reader) -> LiveCounts:
    """How many rows of each kind are in force."""
    (row,) = tx.rows("verified_counts")
    return LiveCounts(*row)


def rows_found(tx: Reader, check: Check, *, running: Collection[int], limit: int) -> tuple[int, list[str]]:
    """How many rows a check finds, and the first of them in words; `running` are the jobs of this process."""
    given = {"running": sorted(running), "limit": limit}
    count: int = tx.values("count_problem", given, check=_sql(check.kind))[0]
    return count, tx.values("examples_of_problem", given, check=_sql(check.kind)) if count else []


def ids_found(tx: Reader, kind: str) -> list[int]:
    """The ids of the rows that the check of a kind finds, of tables without ids their positions."""
    return sorted(int(row_id) for row_id in tx.values("ids_of_problem", check=_sql(kind)))


def retire_found(tx: Writer, check: Check) -> int:
    """How many rows a check found and were retired; its table has to be known."""
    ids = ids_found(tx, check.kind)
    if not ids:
        return 0
    key = with_macros(KEYS.get(check.retires, "id"))
    moment = "" if check.retires in SPAN_TABLES else "retired_at = $now, "  # which spans do not have
    with tx.incoming("incoming_id", id_column(ids)):
        tx.execute("retire_rows", table=check.retires, key=key, retired=f"{moment}retired_change = $change")
    return len(ids)


def merge_duplicate_triples(tx: Writer) -> int:
    """How many triples were retired that state the same as an older one, which has their evidence now."""
    ids = ids_found(tx, "triple_twice")
    if not ids:
        return 0
    with tx.incoming("found", id_column(ids)):
        tx.execute("copy_evidence_of_duplicates")
        tx.execute("retire_among", table="evidence", column="triple_id", among="found")
        tx.execute("retire_among", table="triple", column="id", among="found")
    return len(ids)


def posted_terms(tx: Reader, chunk_ids: Iterable[int]) -> dict[int, dict[str, int]]:
    """The terms of chunks with their frequencies, as keyword search has them."""
    found: dict[int, dict[str, int]] = {}
    for chunk_id, term, frequency in tx.rows_by_id("posted_terms", chunk_ids):
        found.setdefault(chunk_id, {})[term] = frequency
    return found


def searched_lengths(tx: Reader) -> tuple[Ids, NDArray[np.int64]]:
    """(ids ascending, lengths in terms) of the chunks in force that keyword search has."""
    ids, lengths = tx.id_columns("searched_lengths")
    return ids, lengths


def stored_forms(tx: Reader) -> list[tuple[str, str]]:
    """(name, normal form that it is stored with) of every name, also of those not in force."""
    return tx.rows("normal_forms")


def delete_vectors_of_nothing(tx: Writer) -> None:
    """Delete the vectors of chunks and entities that are not in the file."""
    tx.execute("delete_vectors_of_nothing")


def _sql(kind: str) -> str:
    return statements()[f"problem_{kind}"]
