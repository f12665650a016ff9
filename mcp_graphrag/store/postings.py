"""Postings of keyword search: which terms a chunk has, how often, and how long it is."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids
from mcp_graphrag.store.documents import texts
from mcp_graphrag.store.transaction import Reader, Writer

MOST_FREQUENT = 65_535  # what fits the column; BM25 saturates long before


def add_postings(tx: Writer, chunk_ids: Ids, frequencies: Sequence[Mapping[str, int]]) -> None:
    """Store the term frequencies of new chunks, one mapping per chunk."""
    if not len(chunk_ids):
        return
    sizes = [len(each) for each in frequencies]
    columns = {
        "chunk_id": np.repeat(chunk_ids, sizes),
        "term": texts(term for each in frequencies for term in each),
        "frequency": np.array(
            [min(count, MOST_FREQUENT) for each in frequencies for count in each.values()], dtype=np.uint16
        ),
    }
    if sum(sizes):
        with tx.offering("incoming_posting", columns):
            tx.rows("add_terms")
            tx.rows("add_postings")
    lengths = np.array([sum(each.values()) for each in frequencies], dtype=np.int32)
    with tx.offering("incoming_length", {"chunk_id": chunk_ids, "length": lengths}):
        tx.rows("add_chunk_lengths", {"change": tx.change})


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
    return tx.columns("postings_of", {"since": since})


def retired_chunks(tx: Reader, *, since: int) -> Ids:
    """The chunks that were retired after a generation."""
    return np.asarray(tx.columns("retired_chunks", {"since": since})["id"], dtype=np.int64)


def retired_entities(tx: Reader, *, since: int) -> Ids:
    """The entities that were retired after a generation."""
    return np.asarray(tx.columns("retired_entities", {"since": since})["id"], dtype=np.int64)


def drop_postings(tx: Writer) -> None:
    """Remove all postings, to be built again."""
    tx.stamp()
    tx.rows("drop_postings")
