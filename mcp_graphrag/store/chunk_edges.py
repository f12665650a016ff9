"""Chunk edges: added once each, retired with their chunks, and read in columns.

Identity among edges in force is (source, target, relation); the strongest is kept. A weaker one is retired when a
stronger one comes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import Chunk, ChunkEdge, Ids, Relation
from mcp_graphrag.store.documents import texts
from mcp_graphrag.store.transaction import Reader, Writer, id_column

# The code of a relation in the columns below is its place here.
RELATIONS: tuple[Relation, ...] = get_args(Relation)
KeyKind = Literal["uri", "title", "name"]
BY_KEY: Mapping[KeyKind, str] = {
    "uri": "documents_by_uri_key",
    "title": "documents_by_title_key",
    "name": "documents_by_name_key",
}
SYMMETRIC: frozenset[Relation] = frozenset({"contradicts", "similar_to"})


def add_chunk_edges(tx: Writer, edges: Sequence[ChunkEdge]) -> int:
    """How many edges were written: those that are not in force yet, or only weaker.

    A stronger one that says nothing keeps the words of the weaker. Raises BadInput for an edge from a chunk to itself,
    and for a weight that is not in (0, 1].
    """
    if not edges:
        return 0
    kept = strongest(edges)
    with tx.offering("incoming_chunk_edge", _columns(kept)):
        stored = tx.columns("stored_chunk_edges")
    rows = list(zip(stored["position"].tolist(), stored["id"].tolist(), stored["holds"].tolist(), strict=True))
    known = {position for position, _, holds in rows if holds}
    weaker: dict[int, int] = {position: edge_id for position, edge_id, holds in rows if not holds}
    outdone = chunk_edges_by_id(tx, weaker.values())
    for position, edge_id in weaker.items():
        words = kept[position].description or outdone[edge_id].description
        kept[position] = replace(kept[position], description=words)
    kept = [edge for at, edge in enumerate(kept) if at not in known]
    if not kept:
        return 0
    retire_chunk_edges(tx, outdone)
    with tx.offering("incoming_chunk_edge", _columns(kept)):
        tx.rows("add_chunk_edges", tx.stamp())
    return len(kept)


def as_stored(tx: Reader, edges: Sequence[ChunkEdge]) -> list[ChunkEdge]:
    """The edges in their order, each with weight, description and extractor of the one that is in force."""
    with tx.offering("incoming_chunk_edge", _columns([_placed(edge) for edge in edges])):
        rows = tx.columns("stored_chunk_edges")
    ids = dict(zip(np.asarray(rows["position"]).tolist(), np.asarray(rows["id"]).tolist(), strict=True))
    stored = chunk_edges_by_id(tx, ids.values())
    found = [stored[ids[at]] if at in ids else edge for at, edge in enumerate(edges)]
    return [
        replace(edge, weight=each.weight, description=each.description, extractor=each.extractor)
        for edge, each in zip(edges, found, strict=True)
    ]


def retire_chunk_edges_of(tx: Writer, chunk_ids: Iterable[int]) -> None:
    """Take every edge from or to the chunks out of force."""
    with tx.offering("removed_chunk", id_column(chunk_ids)):
        tx.rows("retire_edges_of_chunks", tx.stamp())


def chunk_edge_rows(tx: Reader) -> dict[str, NDArray[Any]]:
    """Columns id, source_id, target_id, relation (its place in RELATIONS), weight, recorded_change, by id.

    Of the edges in force.
    """
    return tx.columns("chunk_edge_rows", {"relations": list(RELATIONS)})


def chunk_edge_rows_since(tx: Reader, since: int) -> dict[str, NDArray[Any]]:
    """The same columns and `retired`, of what was recorded or retired after a generation, by id."""
    return tx.columns("chunk_edge_rows_since", {"relations": list(RELATIONS), "since": since})


def chunk_edges_by_id(tx: Reader, ids: Iterable[int]) -> dict[int, ChunkEdge]:
    """Edges by id, retired ones included."""
    return {row[0]: _edge(row[1:]) for row in tx.rows_by_id("chunk_edges_by_id", ids)}


def chunk_edge_counts(tx: Reader) -> Mapping[Relation, int]:
    """How many edges in force each relation has, most frequent first."""
    return dict(tx.rows("chunk_edge_counts"))


def recorded_edges(tx: Writer) -> list[ChunkEdge]:
    """The edges that this write has recorded."""
    return [_edge(row) for row in tx.rows("chunk_edges_recorded", {"change": tx.change})] if tx.changed else []


def outgoing_edges(tx: Reader, chunk_ids: Iterable[int]) -> dict[int, ChunkEdge]:
    """The edges in force that leave the chunks, by id."""
    with tx.offering("edge_source", id_column(chunk_ids)):
        return {row[0]: _edge(row[1:]) for row in tx.rows("outgoing_chunk_edges")}


def retire_chunk_edges(tx: Writer, edge_ids: Iterable[int]) -> None:
    """Take edges out of force."""
    with tx.offering("outdone_chunk_edge", id_column(edge_ids)):
        tx.rows("retire_chunk_edges", tx.stamp())


def documents_pointing_at(tx: Reader, document_ids: Sequence[int], *, limit: int) -> list[int]:
    """Other documents in force that were found to point at these."""
    if not document_ids:
        return []
    return [row[0] for row in tx.rows("documents_pointing_at", {"ids": list(document_ids), "limit": limit})]


def documents_by_key(tx: Reader, kind: KeyKind, keys: Iterable[str]) -> list[tuple[str, int]]:
    """(key, document id) of the documents in force under uris, lower-case titles or lower-case names of files."""
    wanted = sorted(set(keys))
    return [(row[0], row[1]) for row in tx.rows(BY_KEY[kind], {"keys": wanted})] if wanted else []


def chunks_as_read(tx: Reader, document_ids: Iterable[int]) -> dict[int, list[tuple[int, Chunk]]]:
    """The chunks in force of documents, (id, chunk) each as it was cut, by document."""
    found: dict[int, list[tuple[int, Chunk]]] = defaultdict(list)
    rows = tx.rows_by_id("chunks_as_read", document_ids)
    ordinals = {row[1]: row[2] for row in rows}
    for document_id, chunk_id, ordinal, start, end, text, headings, parent, context in rows:
        path = tuple(title for title in headings if title)
        chunk = Chunk(ordinal, start, end, text, path, ordinals.get(parent), context)
        found[document_id].append((chunk_id, chunk))
    return found


def first_chunks(tx: Reader, document_ids: Iterable[int]) -> dict[int, int]:
    """The chunk in force that each document starts with, the smallest where chunks have children."""
    return {row[0]: row[1] for row in tx.rows_by_id("first_chunks", document_ids)}


def documents_of_chunks(tx: Reader) -> tuple[Ids, Ids]:
    """(chunk ids ascending, the document of each) of the chunks in force."""
    found = tx.columns("documents_of_chunks")
    return np.asarray(found["id"], dtype=np.int64), np.asarray(found["document_id"], dtype=np.int64)


def chunks_in_force(tx: Reader, chunk_ids: Iterable[int]) -> set[int]:
    """Of the chunks those that are in force."""
    with tx.offering("edge_end", id_column(chunk_ids)):
        return {row[0] for row in tx.rows("chunks_still_in_force")}


def document_ids_after(tx: Reader, after: int, *, limit: int) -> list[int]:
    """Documents in force with an id above `after`, the oldest first."""
    return [row[0] for row in tx.rows("documents_in_force_after", {"after": after, "limit": limit})]


def strongest(edges: Iterable[ChunkEdge]) -> list[ChunkEdge]:
    """Each (source, target, relation) once, with its highest weight, in the order first given; symmetric ones turned.

    Raises BadInput for an edge from a chunk to itself, and for a weight that is not in (0, 1].
    """
    found: dict[tuple[int, int, Relation], ChunkEdge] = {}
    for edge in edges:
        if edge.source == edge.target:
            raise BadInput("A chunk edge leads from a chunk to itself.", "Name two chunks.")
        if not 0 < edge.weight <= 1:
            raise BadInput(f"A chunk edge has the weight {edge.weight:g}.", "It is above 0 and at most 1.")
        placed = _placed(edge)
        key = (placed.source, placed.target, placed.relation)
        known = found.get(key)
        if known is None or (known.weight < placed.weight and placed.description):
            found[key] = placed
        elif known.weight < placed.weight:
            found[key] = replace(placed, description=known.description)
    return list(found.values())


def _placed(edge: ChunkEdge) -> ChunkEdge:
    """The edge from its source, a symmetric one from its lower chunk."""
    turned = edge.source > edge.target and edge.relation in SYMMETRIC
    return replace(edge, source=edge.target, target=edge.source) if turned else edge


def _columns(edges: Sequence[ChunkEdge]) -> dict[str, NDArray[Any]]:
    return {
        "position": np.arange(len(edges), dtype=np.int64),
        "source_id": np.array([edge.source for edge in edges], dtype=np.int64),
        "target_id": np.array([edge.target for edge in edges], dtype=np.int64),
        "relation": texts(edge.relation for edge in edges),
        "weight": np.array([edge.weight for edge in edges], dtype=np.float32),
        "description": texts(edge.description for edge in edges),
        "extractor": texts(edge.extractor for edge in edges),
    }


def _edge(row: Sequence[Any]) -> ChunkEdge:
    source, target, relation, weight, description, extractor = row
    return ChunkEdge(source, target, cast("Relation", relation), round(float(weight), 4), description, extractor)
