"""Chunk edges that a caller adds by citation: all of them are stored, or none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import ChunkEdge
from mcp_graphrag.snapshot import Write
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.chunk_edge_rows import (
    MAX_DESCRIPTION,
    RELATIONS,
    add_chunk_edges,
    as_stored,
    chunks_of_documents,
    is_weight,
    relation_named,
)
from mcp_graphrag.store.rows.citations import CITATION, cite_chunk, resolve_citation
from mcp_graphrag.store.rows.document_rows import chunks_by_id

AGENT = "agent"


@dataclass(frozen=True)
class EdgeInput:
    """Source `relation` target. Both are citations; the uri of a document stands for its first chunk."""

    source: str
    target: str
    relation: str
    weight: float = 1.0
    description: str = ""


@dataclass(frozen=True)
class AddedEdges:
    """The edges as they are now stored, in order; `added` counts those that are new or stronger than before.

    `citations` are those of their chunks, by id.
    """

    edges: Sequence[ChunkEdge]
    added: int
    citations: Mapping[int, str]


def add_edges(write: Write, given: Sequence[EdgeInput]) -> AddedEdges:
    """Store edges between chunks; an edge that is stored with at least that weight stays as it is.

    Raises BadInput or UnknownName if one of them cannot be stored.
    """
    edges = [_edge(write.tx, edge, number) for number, edge in enumerate(given, start=1)]
    added = add_chunk_edges(write.tx, edges)
    return AddedEdges(as_stored(write.tx, edges), added, cite_ends(write.tx, edges))


def check_edges(
    tx: Reader, given: Sequence[EdgeInput]
) -> tuple[list[ChunkEdge], list[tuple[EdgeInput, tuple[str, str]]]]:
    """The edges that can be stored, and the others with the fact and the hint of what is wrong."""
    edges: list[ChunkEdge] = []
    refused: list[tuple[EdgeInput, tuple[str, str]]] = []
    for number, edge in enumerate(given, start=1):
        try:
            edges.append(_edge(tx, edge, number))
        except BadInput as error:
            refused.append((edge, (error.fact, error.hint)))
    return edges, refused


def _edge(tx: Reader, given: EdgeInput, number: int) -> ChunkEdge:
    if not is_weight(given.weight):
        raise BadInput(f"The weight of edge {number} is {given.weight:g}.", "It is above 0 and at most 1.")
    relation = relation_named(given.relation)
    if relation is None:
        raise BadInput(f"The relation of edge {number} is '{given.relation}'.", f"It is one of {', '.join(RELATIONS)}.")
    description = " ".join(given.description.split())
    if len(description) > MAX_DESCRIPTION:
        raise BadInput(
            f"The description of edge {number} has {len(description)} characters.",
            f"The most is {MAX_DESCRIPTION}.",
        )
    source = _chunk(tx, given.source, f"source of edge {number}")
    target = _chunk(tx, given.target, f"target of edge {number}")
    if source == target:
        raise BadInput(f"Edge {number} leads from a chunk to itself.", "Cite two chunks.")
    return ChunkEdge(source, target, relation, given.weight, description, AGENT)


def _chunk(tx: Reader, citation: str, what: str) -> int:
    """The id of the smallest chunk in force with most of the cited text: a child, or the parent of several."""
    cited = resolve_citation(tx, citation)
    if cited.document.retired_at is not None:
        raise BadInput(f"The {what} cites text that is no longer in force: {citation}.", "Search for it again.")
    whole = CITATION.fullmatch(citation.strip()) is None
    start, end = (0, 1) if whole else (cited.start, cited.end)
    chunks = chunks_of_documents(tx, [cited.document.id])[cited.document.id]
    shares = [
        (min(chunk.end, end) - max(chunk.start, start), chunk.start - chunk.end, -at, chunk_id)
        for at, (chunk_id, chunk) in enumerate(chunks)
    ]
    return max(shares)[-1]


def cite_ends(tx: Reader, edges: Sequence[ChunkEdge]) -> dict[int, str]:
    """The citations of the chunks at the ends of edges, by id."""
    chunks = chunks_by_id(tx, {end for edge in edges for end in (edge.source, edge.target)})
    return {chunk_id: cite_chunk(chunk) for chunk_id, chunk in chunks.items()}
