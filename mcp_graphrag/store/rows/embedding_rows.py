"""Embeddings of chunks and entities: unit vectors, in tables with the dimension of the embedder."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store.engine.columns import component_columns, component_list
from mcp_graphrag.store.engine.transaction import Reader, Writer

Embedded = Literal["chunk", "entity"]

MAX_SINGLE_INSERTS = 8  # rows up to which one statement per row is faster than hundreds of columns
CREATE = """CREATE OR REPLACE TABLE {of}_embedding (
  {of}_id BIGINT PRIMARY KEY, vector FLOAT[{dimension}] NOT NULL, recorded_change BIGINT NOT NULL)"""
PENDING = """SELECT t.id FROM {of} t
WHERE t.retired_change IS NULL {searched} {unembedded}
ORDER BY t.id LIMIT $limit"""
IS_SEARCHED = {"chunk": "AND t.id NOT IN (SELECT parent_id FROM chunk WHERE parent_id IS NOT NULL)"}
IS_UNEMBEDDED = "AND t.id NOT IN (SELECT {of}_id FROM {of}_embedding)"
ACTIVE_SINCE = """FROM {of}_embedding e JOIN {of} t ON t.id = e.{of}_id
WHERE e.recorded_change > $since AND e.{of}_id > $after AND t.retired_change IS NULL
ORDER BY e.{of}_id LIMIT $limit"""
IDS_SINCE = f"SELECT e.{{of}}_id AS id {ACTIVE_SINCE}"
VECTORS_SINCE = f"SELECT unnest(vector) AS x FROM (SELECT e.vector {ACTIVE_SINCE})"
# Chunks or entities with the same embedded text, active or retired, have the same vector.
SAME_TEXT = {
    "chunk": """SELECT t.id, min(e.chunk_id) FROM chunk t JOIN document d ON d.id = t.document_id
JOIN chunk o ON o.sha256 = t.sha256 AND o.headings = t.headings AND o.context = t.context
JOIN document od ON od.id = o.document_id AND od.title = d.title JOIN chunk_embedding e ON e.chunk_id = o.id
WHERE t.id IN ({ids}) GROUP BY t.id""",
    "entity": """SELECT t.id, min(e.entity_id) FROM entity t JOIN entity o ON o.name = t.name
JOIN entity_embedding e ON e.entity_id = o.id WHERE t.id IN ({ids}) GROUP BY t.id""",
}
COPY = """INSERT INTO {of}_embedding
SELECT i.id, e.vector, $change FROM incoming_copy i JOIN {of}_embedding e ON e.{of}_id = i.source_id"""
VECTORS_BY_ID = """SELECT unnest(vector) AS x FROM (
  SELECT vector FROM {of}_embedding WHERE {of}_id IN ({ids}) ORDER BY {of}_id)"""
EXACT = """SELECT e.{of}_id AS id, -array_negative_inner_product(e.vector, $vector::FLOAT[{dimension}]) AS score
FROM {of}_embedding e JOIN {of} t ON t.id = e.{of}_id
WHERE t.retired_change IS NULL {among}
ORDER BY score DESC, id LIMIT $limit"""


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
        tx.run(CREATE.format(of=of, dimension=embedder.dimension))


def delete_embeddings(tx: Writer, of: Embedded) -> None:
    """Delete every vector of chunks or of entities."""
    tx.run(f"DELETE FROM {of}_embedding")


def delete_entity_embeddings(tx: Writer, entity_ids: Sequence[int]) -> None:
    """Delete the vectors of entities whose name has changed; they are embedded again like those without one."""
    if entity_ids and stored_embedder(tx) is not None:
        tx.run(f"DELETE FROM entity_embedding WHERE entity_id IN ({_constants(entity_ids)})")


def add_embeddings(tx: Writer, of: Embedded, ids: Ids, vectors: Matrix) -> None:
    """Add unit vectors, of shape (ids, dimension)."""
    if not len(ids):
        return
    if len(ids) <= MAX_SINGLE_INSERTS:
        sql = f"INSERT INTO {of}_embedding VALUES ($id, $vector::FLOAT[{vectors.shape[1]}], $change)"
        for row_id, vector in zip(ids.tolist(), vectors, strict=True):
            tx.run(sql, {"id": row_id, "vector": vector.tolist()})
        return
    sql = f"INSERT INTO {of}_embedding SELECT id, {component_list(vectors.shape[1])}, $change FROM incoming_vector"
    with tx.incoming("incoming_vector", {"id": ids, **component_columns(vectors)}):
        tx.run(sql)


def renew_entity_embedding(tx: Writer, entity_id: int) -> None:
    """Record the vector of a restored entity anew, so that indexes in memory add it."""
    if stored_embedder(tx) is not None:
        sql = "UPDATE entity_embedding SET recorded_change = $change WHERE entity_id = $id"
        tx.run(sql, {"id": entity_id})


def pending_embeddings(tx: Reader, of: Embedded, *, limit: int = 2**62) -> Ids:
    """The active chunks or entities that have no vector yet, ascending."""
    unembedded = IS_UNEMBEDDED.format(of=of) if stored_embedder(tx) else ""
    sql = PENDING.format(of=of, searched=IS_SEARCHED.get(of, ""), unembedded=unembedded)
    return np.asarray(tx.arrays(sql, {"limit": limit})["id"], dtype=np.int64)


def vectors_since(
    tx: Reader, of: Embedded, dimension: int, *, since: int, after: int = 0, limit: int = 2**62
) -> tuple[Ids, Matrix]:
    """(ids ascending, unit vectors of shape (ids, dimension)) recorded after a generation, ids above `after`."""
    window = {"since": since, "after": after, "limit": limit}
    ids = np.asarray(tx.arrays(IDS_SINCE.format(of=of), window)["id"], dtype=np.int64)
    flat = tx.arrays(VECTORS_SINCE.format(of=of), window)["x"]
    return ids, np.asarray(flat, dtype=np.float32).reshape(len(ids), dimension)


def embedded_with_same_text(tx: Reader, of: Embedded, ids: Ids) -> dict[int, int]:
    """For those chunks or entities whose embedded text already has a vector, the id that has it."""
    if not len(ids) or stored_embedder(tx) is None:
        return {}
    return dict(tx.run(SAME_TEXT[of].format(ids=_constants(ids))).fetchall())


def copy_embeddings(tx: Writer, of: Embedded, sources: Mapping[int, int]) -> None:
    """Copy vectors to chunks or entities, by id, from those that have them, if they still do."""
    if not sources:
        return
    columns = {
        "id": np.array(list(sources), dtype=np.int64),
        "source_id": np.array(list(sources.values()), dtype=np.int64),
    }
    with tx.incoming("incoming_copy", columns):
        tx.run(COPY.format(of=of))


def pending_count(tx: Reader) -> int:
    """How many active chunks and entities have no vector yet."""
    return len(pending_embeddings(tx, "chunk")) + len(pending_embeddings(tx, "entity"))


def pending_chunks(tx: Reader) -> int:
    """How many active chunks have no vector yet."""
    return len(pending_embeddings(tx, "chunk"))


def embedding_count(tx: Reader, of: Embedded) -> int:
    """How many vectors are stored."""
    return int((tx.run(f"SELECT count(*) FROM {of}_embedding").fetchone() or (0,))[0])


def vectors_by_id(tx: Reader, of: Embedded, dimension: int, ids: Sequence[int] | Ids) -> Matrix:
    """The vectors of the given ids, which must be ascending: sorted constants are looked up by primary key."""
    flat = tx.arrays(VECTORS_BY_ID.format(of=of, ids=_constants(ids)))["x"]
    return np.asarray(flat, dtype=np.float32).reshape(len(ids), dimension)


def nearest_exact(
    tx: Reader, of: Embedded, vector: Matrix, *, limit: int, among: Ids | None
) -> list[tuple[int, float]]:
    """(id, cosine) of the nearest active rows by a scan, best first; only `among` these ids if given."""
    parameters: dict[str, Any] = {"vector": vector.tolist(), "limit": limit}
    if among is None:
        return tx.run(EXACT.format(of=of, dimension=len(vector), among=""), parameters).fetchall()
    with tx.incoming("incoming_id", {"id": among}):
        sql = EXACT.format(of=of, dimension=len(vector), among="AND t.id IN (SELECT id FROM incoming_id)")
        return tx.run(sql, parameters).fetchall()


def _constants(ids: Iterable[int]) -> str:
    return ",".join(str(int(row_id)) for row_id in ids)
