"""Edges between the chunks of one document that need no model: its order, its sections, its cues and its pointers.

Precision goes before recall: a cue counts only where it cannot mean the chunk itself.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from mcp_graphrag.extract.marks import CUES, clipped
from mcp_graphrag.extract.places import Places, headings_of, places
from mcp_graphrag.extract.pointers import Pointer, find_pointers
from mcp_graphrag.model import Chunk, Document, Relation

STRUCTURE = "structure"
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


class Between(NamedTuple):
    """An edge between two chunks by their positions in the document's sequence of chunks."""

    source: int
    target: int
    relation: Relation
    weight: float
    description: str
    extractor: str


class Found(NamedTuple):
    """What a document says of its chunks: edges among them, pointers to other documents, and where its headings are."""

    edges: list[Between]
    pointers: list[Pointer]
    places: Places


def find_chunk_edges(document: Document, chunks: Sequence[Chunk]) -> Found:
    """The edges of a document's chunks: sequence, part_of, and what it says itself; pointers to other documents."""
    if not chunks:
        return Found([], [], Places())
    leaves = leaves_of(chunks)
    edges = [*_sequence(chunks), *_children(chunks)]
    tops = [at for at in range(len(chunks)) if chunks[at].parent is None]
    edges += _sections(document, chunks, tops)
    edges += _openings(chunks, leaves)
    here = places(headings_of(document, chunks, leaves))
    said, pointers = find_pointers(document, chunks, leaves, here)
    edges += (Between(*each) for each in said)
    return Found(edges, pointers, here)


def leaves_of(chunks: Sequence[Chunk]) -> list[int]:
    """The positions of the chunks that have no children, in reading order."""
    parents = {chunk.parent for chunk in chunks}
    leaves = [at for at, chunk in enumerate(chunks) if chunk.ordinal not in parents]
    return sorted(leaves, key=lambda at: chunks[at].start)


def _sequence(chunks: Sequence[Chunk]) -> Iterator[Between]:
    """Each chunk to the next one of the same parent."""
    last: dict[int | None, int] = {}
    for at, chunk in enumerate(chunks):
        before = last.get(chunk.parent)
        if before is not None:
            yield Between(before, at, "sequence", 1.0, "goes on", STRUCTURE)
        last[chunk.parent] = at


def _children(chunks: Sequence[Chunk]) -> Iterator[Between]:
    positions = {chunk.ordinal: at for at, chunk in enumerate(chunks)}
    for at, chunk in enumerate(chunks):
        if chunk.parent is not None:
            yield Between(at, positions[chunk.parent], "part_of", 1.0, "part of the longer passage", STRUCTURE)


def _sections(document: Document, chunks: Sequence[Chunk], tops: Sequence[int]) -> Iterator[Between]:
    """Each chunk to the one that opens its section, or the section above; and what the headings themselves say."""
    opened: dict[tuple[str, ...], int] = {}
    ends = [chunks[top].end for top in tops]
    required: tuple[tuple[str, ...], int] | None = None
    at, placed = 0, 0
    for block in document.blocks:
        if not block.level:
            continue
        while at + 1 < len(tops) and ends[at] <= block.start:
            at += 1
        while placed < at:  # chunks that end before this heading
            yield from _part_of(chunks, tops[placed], opened)
            placed += 1
        path, top = block.headings, tops[at]
        opened[path] = top
        above = opened.get(path[:-1])
        if above is not None and above != top and _DETAILS.match(path[-1]):
            yield Between(top, above, "elaborates", HEADING_WEIGHT, f'the section "{path[-1]}"', CUES)
        if required is not None and required[1] != top and required[0][:-1] == path[:-1]:
            yield Between(top, required[1], "depends_on", HEADING_WEIGHT, f'after "{required[0][-1]}"', CUES)
        if required is not None and len(path) <= len(required[0]):
            required = None
        if _PREREQUISITES.match(path[-1]):
            required = path, top
    for top in tops[placed:]:
        yield from _part_of(chunks, top, opened)


def _part_of(chunks: Sequence[Chunk], top: int, opened: dict[tuple[str, ...], int]) -> Iterator[Between]:
    path = chunks[top].headings
    for depth in range(len(path), 0, -1):
        opener = opened.get(path[:depth])
        if opener is not None and opener < top:
            yield Between(top, opener, "part_of", SECTION_WEIGHT, f'part of the section "{path[depth - 1]}"', STRUCTURE)
            return


def _openings(chunks: Sequence[Chunk], leaves: Sequence[int]) -> Iterator[Between]:
    """Chunks whose first words speak of what was said just before."""
    for before, at in pairwise(leaves):
        said = _OPENING.match(chunks[at].text)
        if said is not None:
            relation: Relation = "caused_by" if said["caused_by"] else "elaborates"
            yield Between(at, before, relation, OPENING_WEIGHT, f'"{_clause(said[0])}"', CUES)


def _clause(text: str) -> str:
    """A piece of text on one line, to its first full stop."""
    return clipped(" ".join(_CLAUSE_END.split(text, maxsplit=1)[0].split()))
