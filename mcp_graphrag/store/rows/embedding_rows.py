"""Unit vectors of chunks and of entity names, stored as signed bytes: their largest component as 127 or -127.

Every chunk, and every entity but phrases, has a vector of the static embedder. Chunks may have one of a model as well,
which is better and made in the background; meta names the model. As floats, the vectors would take two thirds of the
file; the cosine of a vector to what is read back is above 0.9999.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.errors import EmbedderMismatch, PartMissing
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store.engine.columns import row_columns, text_column
from mcp_graphrag.store.engine.statements import with_macros
from mcp_graphrag.store.engine.transaction import Reader, Writer, id_constants
from mcp_graphrag.unit_vectors import unit_vectors

Embedded = Literal["chunk", "entity", "model"]

TABLES: Mapping[Embedded, Mapping[str, str]] = {
    "chunk": {"table": "chunk_embedding", "of": "chunk"},
    "entity": {"table": "entity_embedding", "of": "entity"},
    "model": {"table": "model_embedding", "of": "chunk"},
}
# What the vectors of a table are of: names, and chunks that are searched.
MAY_BE_EMBEDDED: Mapping[Embedded, str] = {
    "entity": with_macros("NOT is_phrase(t)"),
    "chunk": (searched := with_macros("is_searched(t)")),
    "model": searched,
}
MAX_BYTE = 127
WINDOW = 100_000  # stored vectors read by one statement
BLOCK = 100  # of them as floats at once: with 256 dimensions, as much as the allocator reuses


def stored_model(tx: Reader) -> str:
    """The name of the model that the file has vectors of, "" if none."""
    row = tx.row("meta_value", {"key": "model"})
    return str(row[0]) if row else ""


def model_dimension(tx: Reader) -> int:
    """The dimension of the model's vectors in the file, 0 before the first."""
    row = tx.row("model_dimension")
    return int(row[0]) if row else 0


def check_model(tx: Reader, name: str, *, dimension: int | None = None) -> None:
    """Raise EmbedderMismatch where the file has vectors of another model.

    Raises PartMissing where those of this one have another dimension than given.
    """
    stored = stored_model(tx)
    if stored not in ("", name):
        raise EmbedderMismatch(stored, name)
    if dimension is not None and (before := model_dimension(tx)) not in (0, dimension):
        raise PartMissing(
            f"The model {name} returns {dimension} dimensions, but its vectors in the file have {before}.",
            "Serve the model that made them, or embed everything again with `mcp-graphrag reindex`.",
        )


def set_model(tx: Writer, name: str) -> None:
    """Take a model for the file; the vectors of the one before are deleted."""
    tx.log_change()
    tx.voids_indexes = True
    tx.execute("set_meta", {"key": "model", "value": name})
    delete_embeddings(tx, "model")


def delete_embeddings(tx: Writer, of: Embedded) -> None:
    """Delete every vector of a table."""
    tx.execute("delete_embeddings", None, **TABLES[of])


def delete_some_embeddings(tx: Writer, of: Embedded, ids: Sequence[int]) -> None:
    """Delete vectors; the active chunks and entities among the ids are embedded again like those without one."""
    if ids:
        tx.execute("delete_some_embeddings", None, **TABLES[of], ids=id_constants(ids))


def add_embeddings(tx: Writer, of: Embedded, ids: Ids, vectors: Matrix) -> None:
    """Add unit vectors, of shape (ids, dimension)."""
    if not len(ids):
        return
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    rounded = np.rint(vectors * (MAX_BYTE / np.maximum(largest, 1e-12))).astype(np.int8)
    if len(ids) <= 2:
        add = tx.add_row if of == "entity" else tx.execute  # see `Indexes.follow`
        for row_id, vector in zip(ids.tolist(), rounded, strict=True):
            add("add_embedding", {"id": row_id, "vector": vector.tobytes()}, **TABLES[of])
        return
    digits, width = rounded.tobytes().hex(), 2 * rounded.shape[1]
    texts = text_column(digits[at : at + width] for at in range(0, len(digits), width))
    with tx.incoming("incoming_vector", {"id": ids, "digits": texts}):
        tx.execute("add_embeddings", None, **TABLES[of])


def usual_dimension(tx: Reader, of: Embedded) -> int:
    """The dimension that most vectors of a table have, 0 if there is none."""
    return tx.values("usual_dimension", None, **TABLES[of])[0] or 0


def embedded_ids(tx: Reader, of: Embedded, *, dimension: int) -> tuple[Ids, Ids]:
    """The active chunks or entities with a vector of the dimension, and all with one of another, both ascending."""
    others = tx.ids("embeddings_of_other_dimension", {"dimension": dimension}, **TABLES[of])
    return np.setdiff1d(tx.ids("embedded_ids", None, **TABLES[of]), others), others


def renew_entity_embedding(tx: Writer, entity_id: int) -> None:
    """Record the vector of a restored entity anew, so that indexes in memory add it."""
    tx.execute("renew_entity_embedding", {"id": entity_id})


def pending_embeddings(tx: Reader, of: Embedded, *, limit: int = 2**62) -> Ids:
    """The active chunks or entities that have no vector yet, ascending; phrases get none."""
    return tx.ids("pending_embeddings", {"limit": limit}, **TABLES[of], condition=MAY_BE_EMBEDDED[of])


def vectors_since(tx: Reader, of: Embedded, *, since: int) -> tuple[Ids, Matrix]:
    """(ids ascending, unit vectors of shape (ids, dimension)) of the active that were recorded after a generation."""
    ids, stored = _stored_since(tx, of, {"since": since, "after": 0, "limit": 2**62}, None)
    return ids, _unit_rows(stored)


def vector_blocks(tx: Reader, of: Embedded, *, since: int, among: Ids | None = None) -> Generator[tuple[Ids, Matrix]]:
    """The same in blocks, never in memory together, only of `among` if given."""
    after, is_full = 0, True
    while is_full:
        window = {"since": since, "after": after, "limit": WINDOW}
        ids, stored = _stored_since(tx, of, window, among)
        for at in range(0, len(ids), BLOCK):
            yield ids[at : at + BLOCK], _unit_rows(stored[at : at + BLOCK])
        is_full = len(ids) == WINDOW
        after = int(ids[-1]) if is_full else 0


def _stored_since(tx: Reader, of: Embedded, window: Mapping[str, int], among: Ids | None) -> tuple[Ids, NDArray[Any]]:
    condition = "true" if among is None else "t.id IN (SELECT id FROM incoming_id)"
    with nullcontext() if among is None else tx.incoming("incoming_id", {"id": among}):
        found = tx.columns("vectors_since", window, **TABLES[of], condition=condition)
    return np.asarray(found["id"], np.int64), found["vector"]


def chunks_with_same_text(tx: Reader, ids: Ids) -> dict[int, int]:
    """For those chunks whose embedded text already has a vector of the model, the chunk that has it."""
    return dict(tx.rows_by_id("chunk_with_same_text", ids))


def copy_embeddings(tx: Writer, sources: Mapping[int, int]) -> None:
    """Copy vectors of the model to chunks, by id, from those that have them, if they still do."""
    if sources:
        with tx.incoming("incoming_copy", row_columns({"id": int, "source_id": int}, sources.items())):
            tx.execute("copy_embeddings")


def pending_count(tx: Reader, *, by_model: bool) -> int:
    """How many vectors are missing of active chunks and entities, with those of the model if there is one."""
    kinds: list[Embedded] = ["chunk", "entity", *(["model"] if by_model else [])]
    return sum(len(pending_embeddings(tx, of)) for of in kinds)


def embedding_count(tx: Reader, of: Embedded) -> int:
    """How many active chunks or entities have a vector."""
    return tx.values("count_embeddings", None, **TABLES[of])[0]


def vectors_by_id(tx: Reader, of: Embedded, ids: Sequence[int] | Ids) -> Matrix:
    """The vectors of the given ids, which must be ascending and have one; of shape (0, 0) for none."""
    if not len(ids):
        return np.empty((0, 0), dtype=np.float32)
    return _unit_rows(tx.columns("vectors_by_id", None, **TABLES[of], ids=id_constants(ids))["vector"])


def _unit_rows(stored: NDArray[Any]) -> Matrix:
    """The unit vectors of stored ones; of shape (0, 0) for none."""
    components = np.frombuffer(b"".join(stored), np.int8).reshape(len(stored), -1 if len(stored) else 0)
    return unit_vectors(components.astype(np.float32))
