"""Postings of keyword search: which terms a chunk has, how often, and how long it is."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.columns import text_column
from mcp_graphrag.store.engine.transaction import Reader, Writer

MAX_FREQUENCY = 65_535  # what fits into the column; BM25 saturates long before


def add_postings(tx: Writer, chunk_ids: Ids, frequencies: Sequence[Mapping[str, int]]) -> None:
    """Add the term frequencies of new chunks, one mapping per chunk."""
    if not len(chunk_ids):
        return
    sizes = [len(counts) for counts in frequencies]
    columns = {
        "chunk_id": np.repeat(chunk_ids, sizes),
        "term": text_column(term for counts in frequencies for term in counts),
        "frequency": np.array(
            [min(count, MAX_FREQUENCY) for counts in frequencies for count in counts.values()], dtype=np.uint16
        ),
    }
    if sum(sizes):
        with tx.incoming("incoming_posting", columns):
            tx.execute("add_terms")
            tx.execute("add_postings")
    lengths = np.array([sum(counts.values()) for counts in frequencies], dtype=np.int32)
    with tx.incoming("incoming_length", {"chunk_id": chunk_ids, "length": lengths}):
        tx.execute("add_chunk_lengths")


def terms(tx: Reader, *, after: int = 0) -> tuple[Ids, list[str]]:
    """(ids, terms) with an id above `after`, by id."""
    found = tx.columns("terms", {"after": after})
    return np.asarray(found["id"], dtype=np.int64), found["term"].tolist()


def chunk_lengths(tx: Reader, *, since: int) -> tuple[Ids, NDArray[np.int32]]:
    """(chunk ids ascending, lengths in terms) of the chunks recorded after a generation."""
    found = tx.columns("chunk_lengths", {"since": since})
    return np.asarray(found["chunk_id"], dtype=np.int64), np.asarray(found["length"], dtype=np.int32)


def postings(tx: Reader, *, since: int) -> dict[str, NDArray[Any]]:
    """Columns term_id, chunk_id, frequency of the chunks recorded after a generation, by term and chunk."""
    return tx.columns("postings", {"since": since})


def delete_postings(tx: Writer) -> None:
    """Delete all postings, to build them anew."""
    tx.log_change()
    tx.voids_indexes = True
    tx.execute("delete_postings")
