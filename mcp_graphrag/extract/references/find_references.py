"""The references of a document: edges where they lead to its own headings, else references to other documents."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import chain

from mcp_graphrag.extract.references.heading_index import HeadingIndex
from mcp_graphrag.extract.references.link_references import link_references
from mcp_graphrag.extract.references.reference import LINKS, DocumentReference, LocalEdge, Reference
from mcp_graphrag.extract.references.textual_references import textual_references
from mcp_graphrag.model import Chunk, Document

MAX_LINKS = 15  # a chunk with more links is a menu or an index, and related to none of their targets


def find_references(
    document: Document, chunks: Sequence[Chunk], leaves: Sequence[int], headings: HeadingIndex
) -> tuple[list[LocalEdge], list[DocumentReference]]:
    """Edges to chunks of the same document, and references to other documents."""
    starts = [chunks[leaf].start for leaf in leaves]
    edges: list[LocalEdge] = []
    references: list[DocumentReference] = []
    for found in chain(link_references(document), textual_references(document.text)):
        source = leaves[max(bisect_right(starts, found.position) - 1, 0)]
        stated = (found.relation, found.weight, found.description, found.extractor)
        is_local, target = _heading(found, headings)
        if target is not None and target != source:
            edges.append(LocalEdge(source, target, *stated))
        if not is_local and found.keys:
            references.append(DocumentReference(source, found.keys, found.fragment, *stated))
    links = Counter(one.source for one in chain(edges, references) if one.extractor == LINKS)
    menus = {source for source, count in links.items() if count > MAX_LINKS}
    return (
        [edge for edge in edges if edge.source not in menus],
        [reference for reference in references if reference.source not in menus],
    )


def _heading(reference: Reference, headings: HeadingIndex) -> tuple[bool, int | None]:
    """Whether the reference means its own document, and the chunk of the heading that it means."""
    if reference.number:
        return True, headings.by_number(reference.number)
    if not reference.keys and reference.fragment:
        return True, headings.by_anchor(reference.fragment)
    for title in reference.titles:
        if title in headings.titles:
            return True, headings.by_title(title)
    return False, None
