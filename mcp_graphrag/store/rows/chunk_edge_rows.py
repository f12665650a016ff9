"""Chunk edges: added once each, retired with their chunks, and read in columns.

Active edges are identified by (source, target, relation). Only the one with the highest weight is kept.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeGuard, cast, get_args

from numpy.typing import NDArray

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Chunk, ChunkEdge, Relation
from mcp_graphrag.store.engine.columns import id_column, record_columns
from mcp_graphrag.store.engine.transaction import Reader, Writer

# The code of a relation in the columns below is its position here.
RELATIONS: tuple[Relation, ...] = get_args(Relation)
DocumentKey = Literal["uri", "title", "name"]
MAX_DESCRIPTION = 500  # characters
SYMMETRIC: frozenset[Relation] = frozenset({"contradicts", "similar_to"})


def relation_named(name: str) -> Relation | None:
    """The relation with a name, in any spelling."""
    wanted = "_".join(name.casefold().replace("-", " ").replace("_", " ").split())
    return next((relation for relation in RELATIONS if relation == wanted), None)


def is_weight(value: Any) -> TypeGuard[float]:
    """Whether a value is a number above 0 and at most 1."""
    return not isinstance(value, bool) and isinstance(value, int | float) and 0 < value <= 1


def add_chunk_edges(tx: Writer, edges: Sequence[ChunkEdge]) -> int:
    """Add the edges that are not stored yet, or only with a lower weight; answers how many.

    An edge without a description keeps that of the edge that it replaces. Raises BadInput for an edge from a chunk to
    itself, and for a weight that is not in (0, 1].
    """
    if not edges:
        return 0
    new = strongest(edges)
    with tx.incoming("incoming_chunk_edge", record_columns(ChunkEdge, new)):
        stored = tx.rows("stored_chunk_edges")
    known = {position for position, _, as_strong in stored if as_strong}
    weaker: dict[int, int] = {position: edge_id for position, edge_id, as_strong in stored if not as_strong}
    replaced = chunk_edges_by_id(tx, weaker.values())
    for position, edge_id in weaker.items():
        description = new[position].description or replaced[edge_id].description
        new[position] = replace(new[position], description=description)
    new = [edge for position, edge in enumerate(new) if position not in known]
    if not new:
        return 0
    retire_chunk_edges(tx, replaced)
    with tx.incoming("incoming_chunk_edge", record_columns(ChunkEdge, new)):
        tx.execute("add_chunk_edges")
    return len(new)


def as_stored(tx: Reader, edges: Sequence[ChunkEdge]) -> list[ChunkEdge]:
    """The edges in their order, each with the weight, description and extractor of the stored one, if there is one."""
    with tx.incoming("incoming_chunk_edge", record_columns(ChunkEdge, [_oriented(edge) for edge in edges])):
        ids = {position: edge_id for position, edge_id, _ in tx.rows("stored_chunk_edges")}
    by_id = chunk_edges_by_id(tx, ids.values())
    stored = [by_id[ids[position]] if position in ids else edge for position, edge in enumerate(edges)]
    return [
        replace(edge, weight=found.weight, description=found.description, extractor=found.extractor)
        for edge, found in zip(edges, stored, strict=True)
    ]


def chunk_edge_rows(tx: Reader, *, since: int) -> dict[str, NDArray[Any]]:
    """Columns id, source_id, target_id, relation (position in RELATIONS), weight and retired, by id.

    Of the edges that were recorded or retired after a generation, after -1 of the active ones.
    """
    return tx.columns("chunk_edge_rows", {"relations": RELATIONS, "since": since})


def chunk_edges_by_id(tx: Reader, ids: Iterable[int]) -> dict[int, ChunkEdge]:
    """Edges by id, retired ones included."""
    return {row[0]: _edge(row[1:]) for row in tx.rows_by_id("chunk_edges_by_id", ids)}


def chunk_edge_counts(tx: Reader) -> Mapping[Relation, int]:
    """How many active edges each relation has, most frequent first."""
    return dict(tx.rows("chunk_edge_counts"))


def recorded_edges(tx: Writer) -> list[ChunkEdge]:
    """The edges that this write has recorded."""
    return [_edge(row) for row in tx.rows("chunk_edges_recorded")] if tx.changed else []


def outgoing_edges(tx: Reader, chunk_ids: Iterable[int]) -> dict[int, ChunkEdge]:
    """The active edges that leave the chunks, by id."""
    with tx.incoming("incoming_id", id_column(chunk_ids)):
        return {row[0]: _edge(row[1:]) for row in tx.rows("outgoing_chunk_edges")}


def retire_chunk_edges(tx: Writer, edge_ids: Iterable[int]) -> None:
    """Retire edges."""
    with tx.incoming("incoming_id", id_column(edge_ids)):
        tx.execute("retire_among", table="chunk_edge", column="id", among="incoming_id")


def referring_documents(tx: Reader, document_ids: Sequence[int], *, limit: int) -> list[int]:
    """Other active documents with a reference to any of these."""
    return tx.values("referring_documents", {"ids": list(document_ids), "limit": limit})


def documents_by_key(tx: Reader, kind: DocumentKey, keys: Iterable[str]) -> list[tuple[str, int]]:
    """(key, document id) of the active documents with a uri, or with a title or file name in lower case."""
    wanted = sorted(set(keys))
    return tx.rows(f"documents_by_{kind}", {"keys": wanted}) if wanted else []


def chunks_of_documents(tx: Reader, document_ids: Iterable[int]) -> dict[int, list[tuple[int, Chunk]]]:
    """The active chunks of documents, (id, chunk) each, by document and in order."""
    chunks: dict[int, list[tuple[int, Chunk]]] = defaultdict(list)
    rows = tx.rows_by_id("chunks_of_documents", document_ids)
    ordinals = {row[1]: row[2] for row in rows}
    for document_id, chunk_id, ordinal, start, end, text, headings, parent, context in rows:
        path = tuple(title for title in headings if title)
        chunk = Chunk(ordinal, start, end, text, path, ordinals.get(parent), context)
        chunks[document_id].append((chunk_id, chunk))
    return chunks


def first_chunks(tx: Reader, document_ids: Iterable[int]) -> dict[int, int]:
    """The active chunk at the start of each document, the smallest if chunks have children."""
    return {row[0]: row[1] for row in tx.rows_by_id("first_chunks", document_ids)}


def active_chunks(tx: Reader, chunk_ids: Iterable[int]) -> set[int]:
    """Those of the chunks that are active."""
    with tx.incoming("incoming_id", id_column(chunk_ids)):
        return {row[0] for row in tx.rows("active_chunks")}


def document_ids_after(tx: Reader, after: int, *, limit: int) -> list[int]:
    """The active documents with an id above `after`, oldest first."""
    return tx.values("active_documents_after", {"after": after, "limit": limit})


def strongest(edges: Iterable[ChunkEdge]) -> list[ChunkEdge]:
    """Each (source, target, relation) once, with its highest weight, in the order first given.

    Symmetric edges start at the chunk with the lower id.

    Raises BadInput for an edge from a chunk to itself, and for a weight that is not in (0, 1].
    """
    found: dict[tuple[int, int, Relation], ChunkEdge] = {}
    for edge in edges:
        if edge.source == edge.target:
            raise BadInput("A chunk edge connects a chunk with itself.", "Name two chunks.")
        if not is_weight(edge.weight):
            raise BadInput(f"A chunk edge has weight {edge.weight:g}.", "Use a weight above 0 and at most 1.")
        oriented = _oriented(edge)
        key = (oriented.source, oriented.target, oriented.relation)
        known = found.get(key)
        if known is None or (known.weight < oriented.weight and oriented.description):
            found[key] = oriented
        elif known.weight < oriented.weight:
            found[key] = replace(oriented, description=known.description)
    return list(found.values())


def _oriented(edge: ChunkEdge) -> ChunkEdge:
    """The edge itself, or a symmetric edge from the chunk with the lower id."""
    reversed_ = edge.source > edge.target and edge.relation in SYMMETRIC
    return replace(edge, source=edge.target, target=edge.source) if reversed_ else edge


def _edge(row: Sequence[Any]) -> ChunkEdge:
    source, target, relation, weight, description, extractor = row
    return ChunkEdge(source, target, cast("Relation", relation), round(float(weight), 4), description, extractor)
