"""Embeddings of chunks and entities: unit vectors in tables of the embedder's dimension."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store.transaction import Reader, Writer

Embedded = Literal["chunk", "entity"]

FEW = 8  # rows up to which one statement a row is faster than hundreds of columns
MAKE = """CREATE OR REPLACE TABLE {of}_embedding (
  {of}_id BIGINT PRIMARY KEY, vector FLOAT[{dimension}] NOT NULL, recorded_change BIGINT NOT NULL)"""
PENDING = """SELECT t.id FROM {of} t
WHERE t.retired_change IS NULL {searched} {without}
ORDER BY t.id LIMIT $limit"""
SEARCHED = {"chunk": "AND t.id NOT IN (SELECT parent_id FROM chunk WHERE parent_id IS NOT NULL)"}
WITHOUT = "AND t.id NOT IN (SELECT {of}_id FROM {of}_embedding)"
LIVING = """FROM {of}_embedding e JOIN {of} t ON t.id = e.{of}_id
WHERE e.recorded_change > $since AND e.{of}_id > $after AND t.retired_change IS NULL
ORDER BY e.{of}_id LIMIT $limit"""
SINCE = f"SELECT e.{{of}}_id AS id {LIVING}"
VECTORS = f"SELECT unnest(vector) AS x FROM (SELECT e.vector {LIVING})"
# What reads the same to the embedder, in force or not: a vector of it is the vector of both.
ALIKE = {
    "chunk": """SELECT t.id, min(e.chunk_id) FROM chunk t JOIN document d ON d.id = t.document_id
JOIN chunk o ON o.sha256 = t.sha256 AND o.headings = t.headings AND o.context = t.context
JOIN document od ON od.id = o.document_id AND od.title = d.title JOIN chunk_embedding e ON e.chunk_id = o.id
WHERE t.id IN ({ids}) GROUP BY t.id""",
    "entity": """SELECT t.id, min(e.entity_id) FROM entity t JOIN entity o ON o.name = t.name
JOIN entity_embedding e ON e.entity_id = o.id WHERE t.id IN ({ids}) GROUP BY t.id""",
}
COPY = """INSERT INTO {of}_embedding
SELECT c.id, e.vector, $change FROM copied_vector c JOIN {of}_embedding e ON e.{of}_id = c.alike"""
VECTORS_BY_ID = """SELECT unnest(vector) AS x FROM (
  SELECT vector FROM {of}_embedding WHERE {of}_id IN ({ids}) ORDER BY {of}_id)"""
EXACT = """SELECT e.{of}_id AS id, -array_negative_inner_product(e.vector, $vector::FLOAT[{dimension}]) AS score
FROM {of}_embedding e JOIN {of} t ON t.id = e.{of}_id
WHERE t.retired_change IS NULL {among}
ORDER BY score DESC, id LIMIT $limit"""


@dataclass(frozen=True)
class EmbedderMark:
    """Which embedder the file's vectors come from: its name, and their dimension."""

    name: str
    dimension: int


def embedder_mark(tx: Reader) -> EmbedderMark | None:
    """The file's embedder, None before the first."""
    row = tx.row("embedder")
    if row is None:
        return None
    name, _, dimension = str(row[0]).rpartition("/")
    return EmbedderMark(name, int(dimension))


def make_embeddings(tx: Writer, mark: EmbedderMark) -> None:
    """Empty tables for an embedder's vectors; those of the one before are dropped."""
    tx.stamp()
    tx.rows("set_meta", {"key": "embedder", "value": f"{mark.name}/{mark.dimension}"})
    for of in ("chunk", "entity"):
        tx.run(MAKE.format(of=of, dimension=mark.dimension))


def forget_embeddings(tx: Writer, of: Embedded) -> None:
    """Remove every vector of chunks or of entities."""
    tx.run(f"DELETE FROM {of}_embedding")


def forget_entity_embeddings(tx: Writer, entity_ids: Sequence[int]) -> None:
    """Remove the vectors of entities that have another name now; they are embedded anew like what has none."""
    if entity_ids and embedder_mark(tx) is not None:
        listed = ",".join(str(int(each)) for each in entity_ids)
        tx.run(f"DELETE FROM entity_embedding WHERE entity_id IN ({listed})")


def add_embeddings(tx: Writer, of: Embedded, ids: Ids, vectors: Matrix) -> None:
    """Store unit vectors, shape (ids, dimension)."""
    if not len(ids):
        return
    if len(ids) <= FEW:
        sql = f"INSERT INTO {of}_embedding VALUES ($id, $vector::FLOAT[{vectors.shape[1]}], $change)"
        for each, vector in zip(ids.tolist(), vectors, strict=True):
            tx.run(sql, {"id": each, "vector": vector.tolist(), "change": tx.change})
        return
    # One 1-D column a component: DuckDB reads no 2-D array, and this is the fastest way in without pyarrow.
    columns: dict[str, NDArray[Any]] = {f"c{i}": np.ascontiguousarray(vectors[:, i]) for i in range(vectors.shape[1])}
    parts = ",".join(columns)
    with tx.offering("incoming_vector", {"id": ids, **columns}):
        tx.run(
            f"INSERT INTO {of}_embedding SELECT id, [{parts}]::FLOAT[{vectors.shape[1]}], $change FROM incoming_vector",
            {"change": tx.change},
        )


def pending_embeddings(tx: Reader, of: Embedded, *, limit: int = 2**62) -> Ids:
    """The ids, ascending, of what is in force and has no vector yet."""
    sql = PENDING.format(
        of=of, searched=SEARCHED.get(of, ""), without=WITHOUT.format(of=of) if embedder_mark(tx) else ""
    )
    return np.asarray(tx.arrays(sql, {"limit": limit})["id"], dtype=np.int64)


def vectors_since(
    tx: Reader, of: Embedded, dimension: int, *, since: int, after: int = 0, limit: int = 2**62
) -> tuple[Ids, Matrix]:
    """(ids ascending, unit vectors of shape (ids, dimension)) recorded after a generation, ids above `after`."""
    window = {"since": since, "after": after, "limit": limit}
    ids = np.asarray(tx.arrays(SINCE.format(of=of), window)["id"], dtype=np.int64)
    flat = tx.arrays(VECTORS.format(of=of), window)["x"]
    return ids, np.asarray(flat, dtype=np.float32).reshape(len(ids), dimension)


def embedded_alike(tx: Reader, of: Embedded, ids: Ids) -> dict[int, int]:
    """Of chunks or entities those that read the same as one with a vector, with its id."""
    if not len(ids) or embedder_mark(tx) is None:
        return {}
    listed = ",".join(str(each) for each in ids.tolist())
    return dict(tx.run(ALIKE[of].format(ids=listed)).fetchall())


def copy_embeddings(tx: Writer, of: Embedded, alike: Mapping[int, int]) -> None:
    """Give each chunk or entity the vector of one that reads the same, where that still has one."""
    if not alike:
        return
    columns = {name: np.array(list(ids), dtype=np.int64) for name, ids in (("id", alike), ("alike", alike.values()))}
    with tx.offering("copied_vector", columns):
        tx.run(COPY.format(of=of), {"change": tx.change})


def pending_count(tx: Reader) -> int:
    """How many chunks and entities in force have no vector yet."""
    return len(pending_embeddings(tx, "chunk")) + len(pending_embeddings(tx, "entity"))


def pending_chunks(tx: Reader) -> int:
    """How many chunks in force have no vector yet."""
    return len(pending_embeddings(tx, "chunk"))


def embedding_count(tx: Reader, of: Embedded) -> int:
    """How many vectors are stored."""
    return int((tx.run(f"SELECT count(*) FROM {of}_embedding").fetchone() or (0,))[0])


def vectors_by_id(tx: Reader, of: Embedded, dimension: int, ids: Sequence[int] | Ids) -> Matrix:
    """The vectors of the given ids, which must be ascending: sorted constants are looked up by primary key."""
    listed = ",".join(str(int(each)) for each in ids)
    flat = tx.arrays(VECTORS_BY_ID.format(of=of, ids=listed))["x"]
    return np.asarray(flat, dtype=np.float32).reshape(len(ids), dimension)


def nearest_exact(
    tx: Reader, of: Embedded, vector: Matrix, *, limit: int, among: Ids | None
) -> list[tuple[int, float]]:
    """(id, cosine) of the nearest in force by a scan in SQL, best first; only `among` these ids if given."""
    parameters: dict[str, Any] = {"vector": vector.tolist(), "limit": limit}
    if among is None:
        return tx.run(EXACT.format(of=of, dimension=len(vector), among=""), parameters).fetchall()
    with tx.offering("allowed", {"id": among}):
        sql = EXACT.format(of=of, dimension=len(vector), among="AND t.id IN (SELECT id FROM allowed)")
        return tx.run(sql, parameters).fetchall()
