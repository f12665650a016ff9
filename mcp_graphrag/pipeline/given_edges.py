"""Chunk edges that a caller or an agent gives, by citation: all of them or none."""

from collections.abc import Sequence
from dataclasses import dataclass

from mcp_graphrag.errors import BadInput
from mcp_graphrag.model import ChunkEdge, Origin, Relation, StoredChunk
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.store import Reader
from mcp_graphrag.store.chunk_edges import RELATIONS, add_chunk_edges, as_stored, chunks_as_read
from mcp_graphrag.store.citation import FORM, find_cited
from mcp_graphrag.store.documents import chunks_by_id

AGENT = "agent"
LONGEST_DESCRIPTION = 500


@dataclass(frozen=True)
class EdgeGiven:
    """Source `relation` target. Both are citations, or a document's uri for its first chunk."""

    source: str
    target: str
    relation: str
    weight: float = 1.0
    description: str = ""


@dataclass(frozen=True)
class AddedEdges:
    """The edges in the order given, as they are stored now, and how many of them were not before, or only weaker."""

    edges: Sequence[ChunkEdge]
    added: int


def add_edges(pipeline: Pipeline, given: Sequence[EdgeGiven], origin: Origin, *, extractor: str = AGENT) -> AddedEdges:
    """Store edges between chunks; those that are stored as strong already stay as they are.

    Raises BadInput or UnknownName, and writes nothing, where one of them cannot be stored.
    """
    with pipeline.writing(origin) as tx:
        edges = [_edge(tx, each, number, extractor) for number, each in enumerate(given, start=1)]
        added = add_chunk_edges(tx, edges)
        return AddedEdges(as_stored(tx, edges), added)


def _edge(tx: Reader, given: EdgeGiven, number: int, extractor: str) -> ChunkEdge:
    if not 0 < given.weight <= 1:
        raise BadInput(f"The weight of edge {number} is {given.weight:g}.", "It is above 0 and at most 1.")
    relation = _relation(given.relation, number)
    description = " ".join(given.description.split())
    if len(description) > LONGEST_DESCRIPTION:
        raise BadInput(
            f"The description of edge {number} has {len(description)} characters.",
            f"The most is {LONGEST_DESCRIPTION}.",
        )
    source = _chunk(tx, given.source, f"source of edge {number}")
    target = _chunk(tx, given.target, f"target of edge {number}")
    if source == target:
        raise BadInput(f"Edge {number} leads from a passage to itself.", "Cite two passages.")
    return ChunkEdge(source, target, relation, given.weight, description, extractor)


def _relation(given: str, number: int) -> Relation:
    wanted = "_".join(given.casefold().replace("-", " ").replace("_", " ").split())
    for relation in RELATIONS:
        if relation == wanted:
            return relation
    raise BadInput(f"The relation of edge {number} is '{given}'.", f"It is one of {', '.join(RELATIONS)}.")


def _chunk(tx: Reader, citation: str, what: str) -> int:
    """The id of the smallest chunk in force that the most of the cited text is in: a part, or the parent of several."""
    cited = find_cited(tx, citation)
    if cited.document.retired_at is not None:
        raise BadInput(f"The {what} cites text that is no longer in force: {citation}.", "Search it again.")
    whole = FORM.fullmatch(citation.strip()) is None
    start, end = (0, 1) if whole else (cited.start, cited.end)
    chunks = chunks_as_read(tx, [cited.document.id])[cited.document.id]
    shares = [
        (min(chunk.end, end) - max(chunk.start, start), chunk.start - chunk.end, -at, chunk_id)
        for at, (chunk_id, chunk) in enumerate(chunks)
    ]
    return max(shares)[-1]


def cited_chunks(tx: Reader, edges: Sequence[ChunkEdge]) -> dict[int, StoredChunk]:
    """The chunks at the ends of edges, by id."""
    return chunks_by_id(tx, {end for edge in edges for end in (edge.source, edge.target)})
