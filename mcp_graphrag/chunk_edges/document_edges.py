"""Edges between the chunks of one document, found without a model: from order, sections, cue phrases and references.

Precision goes before recall: a cue phrase counts only where it cannot be about its own chunk.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from mcp_graphrag.chunk_edges.heading_index import HeadingIndex, anchor_key, headings_of, index_headings
from mcp_graphrag.chunk_edges.link_references import link_references
from mcp_graphrag.chunk_edges.reference import CUES, LINKS, STRUCTURE, Reference, clip
from mcp_graphrag.chunk_edges.textual_references import textual_references
from mcp_graphrag.model import Chunk, ChunkEdge, Document, Relation

MAX_LINKS = 15  # a chunk with more links is a menu or an index, and related to none of their targets
SECTION_WEIGHT = 0.8
HEADING_WEIGHT = 0.5
OPENING_WEIGHT = 0.4

_OPENING = re.compile(
    r"\s*(?:(?P<caused_by>As a result(?: of (?:this|that|the above))?|Because of (?:this|that|the above)|Consequently"
    r"|As a consequence|For (?:this|that) reason|Therefore|Hence|Thus|This is why)"
    r"|(?P<elaborates>For (?:example|instance)|Specifically|More specifically|In particular|In (?:more|greater) detail"
    r"|To illustrate|To be precise|More precisely))(?=[, ])[^\n]{0,200}"
)

_CLAUSE_END = re.compile(r"[.;:](?:\s|\Z)")
_PREREQUISITES = re.compile(
    r"(?:[\d.]+\s+)?(?:prerequisites?|requirements|before you (?:begin|start))\W*\Z", re.IGNORECASE
)
_DETAILS = re.compile(r"(?:[\d.]+\s+)?(?:(?:an? )?examples?|details|in (?:more )?detail|in depth)\b", re.IGNORECASE)


class DocumentEdges(NamedTuple):
    """The edges among the chunks of a document, its references to other documents, and its headings.

    The ends of edges are positions of chunks; each reference has that of its chunk in front.
    """

    edges: list[ChunkEdge]
    references: list[tuple[int, Reference]]
    headings: HeadingIndex


def find_chunk_edges(document: Document, chunks: Sequence[Chunk]) -> DocumentEdges:
    """The chunk edges that a document states, and its references to other documents, which are edges once resolved."""
    if not chunks:
        return DocumentEdges([], [], HeadingIndex())
    leaves = _leaves(chunks)
    edges = [*_sequence(chunks), *_children(chunks)]
    tops = [at for at in range(len(chunks)) if chunks[at].parent is None]
    edges += _sections(document, chunks, tops)
    edges += _openings(chunks, leaves)
    headings = index_headings(headings_of(document, chunks, leaves))
    local, references = _references(document, chunks, leaves, headings)
    return DocumentEdges([*edges, *local], references, headings)


def _leaves(chunks: Sequence[Chunk]) -> list[int]:
    """The positions of the chunks that have no children, in reading order."""
    parents = {chunk.parent for chunk in chunks}
    leaves = [at for at, chunk in enumerate(chunks) if chunk.ordinal not in parents]
    return sorted(leaves, key=lambda at: chunks[at].start)


def _sequence(chunks: Sequence[Chunk]) -> Iterator[ChunkEdge]:
    """An edge from every chunk to the next one of the same parent."""
    previous_of: dict[int | None, int] = {}
    for at, chunk in enumerate(chunks):
        previous = previous_of.get(chunk.parent)
        if previous is not None:
            yield ChunkEdge(previous, at, "sequence", 1.0, "goes on", STRUCTURE)
        previous_of[chunk.parent] = at


def _children(chunks: Sequence[Chunk]) -> Iterator[ChunkEdge]:
    """An edge from every child chunk to its parent."""
    positions = {chunk.ordinal: at for at, chunk in enumerate(chunks)}
    for at, chunk in enumerate(chunks):
        if chunk.parent is not None:
            yield ChunkEdge(at, positions[chunk.parent], "part_of", 1.0, "part of the longer chunk", STRUCTURE)


def _sections(document: Document, chunks: Sequence[Chunk], tops: Sequence[int]) -> Iterator[ChunkEdge]:
    """An edge from every chunk to the one that opens its section or the section above, and what headings state.

    A heading such as "Examples" elaborates the section above; one after "Prerequisites" depends on these.
    """
    openers: dict[tuple[str, ...], int] = {}
    ends = [chunks[top].end for top in tops]
    required: tuple[tuple[str, ...], int] | None = None
    at, done = 0, 0
    for block in document.blocks:
        if not block.level:
            continue
        while at + 1 < len(tops) and ends[at] <= block.start:
            at += 1
        while done < at:  # chunks that end before this heading
            yield from _part_of(chunks, tops[done], openers)
            done += 1
        path, top = block.headings, tops[at]
        openers[path] = top
        above = openers.get(path[:-1])
        if above is not None and above != top and _DETAILS.match(path[-1]):
            yield ChunkEdge(top, above, "elaborates", HEADING_WEIGHT, f'the section "{path[-1]}"', CUES)
        if required is not None and required[1] != top and required[0][:-1] == path[:-1]:
            yield ChunkEdge(top, required[1], "depends_on", HEADING_WEIGHT, f'after "{required[0][-1]}"', CUES)
        if required is not None and len(path) <= len(required[0]):
            required = None
        if _PREREQUISITES.match(path[-1]):
            required = path, top
    for top in tops[done:]:
        yield from _part_of(chunks, top, openers)


def _part_of(chunks: Sequence[Chunk], top: int, openers: dict[tuple[str, ...], int]) -> Iterator[ChunkEdge]:
    path = chunks[top].headings
    for depth in range(len(path), 0, -1):
        opener = openers.get(path[:depth])
        if opener is not None and opener < top:
            yield ChunkEdge(
                top, opener, "part_of", SECTION_WEIGHT, f'part of the section "{path[depth - 1]}"', STRUCTURE
            )
            return


def _openings(chunks: Sequence[Chunk], leaves: Sequence[int]) -> Iterator[ChunkEdge]:
    """An edge from every chunk that begins with words such as "As a result" to the chunk before it."""
    for previous, at in pairwise(leaves):
        opening = _OPENING.match(chunks[at].text)
        if opening is not None:
            relation: Relation = "caused_by" if opening["caused_by"] else "elaborates"
            clause = " ".join(_CLAUSE_END.split(opening[0], maxsplit=1)[0].split())
            yield ChunkEdge(at, previous, relation, OPENING_WEIGHT, f'"{clip(clause)}"', CUES)


def _references(
    document: Document, chunks: Sequence[Chunk], leaves: Sequence[int], headings: HeadingIndex
) -> tuple[list[ChunkEdge], list[tuple[int, Reference]]]:
    """Edges for references to headings of the document itself, and the references to other documents by chunk."""
    starts = [chunks[leaf].start for leaf in leaves]
    edges: list[ChunkEdge] = []
    others: list[tuple[int, Reference]] = []
    links = Counter[int]()
    for found in chain(link_references(document), textual_references(document.text)):
        source = leaves[max(bisect_right(starts, found.position) - 1, 0)]
        is_local, target = _heading(found, headings)
        is_edge, is_other = target is not None and target != source, not is_local and bool(found.keys)
        if found.extractor == LINKS:
            links[source] += is_edge + is_other
        if links[source] > MAX_LINKS:
            continue  # a document of nothing but links would not fit in memory
        if target is not None and is_edge:
            edges.append(ChunkEdge(source, target, found.relation, found.weight, found.description, found.extractor))
        if is_other:
            others.append((source, found))
    return (
        [edge for edge in edges if links[edge.source] <= MAX_LINKS],
        [(source, found) for source, found in others if links[source] <= MAX_LINKS],
    )


def _heading(reference: Reference, headings: HeadingIndex) -> tuple[bool, int | None]:
    """Whether the reference means its own document, and the chunk of the heading that it means."""
    if reference.number:
        return True, headings.numbers.get(reference.number.casefold())
    if not reference.keys and reference.fragment:
        return True, headings.anchors.get(anchor_key(reference.fragment))
    title = next((title for title in reference.titles if title in headings.titles), None)
    return title is not None, headings.titles.get(title or "")
