"""Embeddings of chunks and entities: unit vectors, in tables with the dimension of the embedder.

Those of entities are stored as bytes, their largest component as 127 or -127: a chunk often has eight of them, and as
floats their vectors would take two thirds of the file. The cosine of a vector to what is read back is above 0.9999.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store.engine.columns import component_columns, component_list, row_columns
from mcp_graphrag.store.engine.transaction import Reader, Writer, id_constants
from mcp_graphrag.unit_vectors import unit_vectors

Embedded = Literal["chunk", "entity"]

COMPONENTS: Mapping[Embedded, str] = {"chunk": "FLOAT", "entity": "TINYINT"}
MAX_BYTE = 127

MAX_SINGLE_INSERTS = 8  # rows up to which one statement per row is faster than hundreds of columns


@dataclass(frozen=True)
class StoredEmbedder:
    """The embedder that the vectors in the file come from: its name, and their dimension."""

    name: str
    dimension: int


def stored_embedder(tx: Reader) -> StoredEmbedder | None:
    """The embedder of the file, None before the first vector."""
    row = tx.row("embedder")
    if row is None:
        return None
    name, _, dimension = str(row[0]).rpartition("/")
    return StoredEmbedder(name, int(dimension))


def create_embedding_tables(tx: Writer, embedder: StoredEmbedder) -> None:
    """Create empty tables for the vectors of an embedder; those of the one before are dropped."""
    tx.log_change()
    tx.execute("set_meta", {"key": "embedder", "value": f"{embedder.name}/{embedder.dimension}"})
    for of in ("chunk", "entity"):
        tx.execute("create_embeddings", of=of, type=COMPONENTS[of], dimension=str(embedder.dimension))


def delete_embeddings(tx: Writer, of: Embedded) -> None:
    """Delete every vector of chunks or of entities."""
    tx.execute("delete_embeddings", of=of)


def delete_entity_embeddings(tx: Writer, entity_ids: Sequence[int]) -> None:
    """Delete the vectors of entities whose name has changed; they are embedded again like those without one."""
    if stored_embedder(tx) is not None:
        tx.rows_by_id("delete_entity_embeddings", entity_ids)


def add_embeddings(tx: Writer, of: Embedded, ids: Ids, vectors: Matrix) -> None:
    """Add unit vectors, of shape (ids, dimension)."""
    if not len(ids):
        return
    components = vectors if of == "chunk" else _as_bytes(vectors)
    if len(ids) <= MAX_SINGLE_INSERTS:
        for row_id, vector in zip(ids.tolist(), components.tolist(), strict=True):
            tx.execute("add_embedding", {"id": row_id, "vector": vector}, of=of)
        return
    with tx.incoming("incoming_vector", {"id": ids, **component_columns(components)}):
        tx.execute("add_embeddings", of=of, vector=component_list(vectors.shape[1]))


def _as_bytes(vectors: Matrix) -> NDArray[np.int8]:
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    return np.rint(vectors * (MAX_BYTE / np.maximum(largest, 1e-12))).astype(np.int8)


def renew_entity_embedding(tx: Writer, entity_id: int) -> None:
    """Record the vector of a restored entity anew, so that indexes in memory add it."""
    if stored_embedder(tx) is not None:
        tx.execute("renew_entity_embedding", {"id": entity_id})


def pending_embeddings(tx: Reader, of: Embedded, *, limit: int = 2**62) -> Ids:
    """The active chunks or entities that have no vector yet, ascending."""
    without = "SELECT parent_id FROM chunk WHERE parent_id IS NOT NULL" if of == "chunk" else "-1"
    embedded = f"SELECT {of}_id FROM {of}_embedding" if stored_embedder(tx) else "-1"
    return tx.ids("pending_embeddings", {"limit": limit}, of=of, without=without, embedded=embedded)


def vectors_since(
    tx: Reader, of: Embedded, dimension: int, *, since: int, after: int = 0, limit: int = 2**62
) -> tuple[Ids, Matrix]:
    """(ids ascending, unit vectors of shape (ids, dimension)) recorded after a generation, ids above `after`."""
    window = {"since": since, "after": after, "limit": limit}
    ids = tx.ids("embedded_since", window, of=of)
    return ids, _read_vectors(tx.columns("vectors_since", window, of=of)["x"], of, dimension)


def embedded_with_same_text(tx: Reader, of: Embedded, ids: Ids) -> dict[int, int]:
    """For those chunks or entities whose embedded text already has a vector, the id that has it."""
    return dict(tx.rows_by_id(f"{of}_with_same_text", ids)) if stored_embedder(tx) else {}


def copy_embeddings(tx: Writer, of: Embedded, sources: Mapping[int, int]) -> None:
    """Copy vectors to chunks or entities, by id, from those that have them, if they still do."""
    if sources:
        with tx.incoming("incoming_copy", row_columns({"id": int, "source_id": int}, sources.items())):
            tx.execute("copy_embeddings", of=of)


def pending_count(tx: Reader) -> int:
    """How many active chunks and entities have no vector yet."""
    return len(pending_embeddings(tx, "chunk")) + len(pending_embeddings(tx, "entity"))


def embedding_count(tx: Reader, of: Embedded) -> int:
    """How many vectors are stored."""
    return tx.values("count_embeddings", of=of)[0]


def vectors_by_id(tx: Reader, of: Embedded, dimension: int, ids: Sequence[int] | Ids) -> Matrix:
    """The vectors of the given ids, which must be ascending."""
    return _read_vectors(tx.columns("vectors_by_id", of=of, ids=id_constants(ids))["x"], of, dimension)


def _read_vectors(components: NDArray[Any], of: Embedded, dimension: int) -> Matrix:
    rows = np.asarray(components, dtype=np.float32).reshape(-1, dimension)
    return unit_vectors(rows) if of == "entity" else rows


def nearest_exact(
    tx: Reader, of: Embedded, vector: Matrix, *, limit: int, among: Ids | None
) -> list[tuple[int, float]]:
    """(id, cosine) of the nearest active rows by a scan, best first; only `among` these ids if given."""
    condition = "true" if among is None else "t.id IN (SELECT id FROM incoming_id)"
    with nullcontext() if among is None else tx.incoming("incoming_id", {"id": among}):
        parameters = {"vector": vector.tolist(), "limit": limit}
        return tx.rows("nearest_exact", parameters, of=of, dimension=str(len(vector)), condition=condition)
