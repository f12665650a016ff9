"""Where a text points. What leads to a heading of the same document is an edge at once; what may lead to another
document is a pointer with the keys by which that document would be known.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

from mcp_graphrag.extract.links import link_marks
from mcp_graphrag.extract.marks import LINKS, Mark
from mcp_graphrag.extract.phrases import phrase_marks
from mcp_graphrag.extract.places import Places
from mcp_graphrag.model import Chunk, Document, Relation

MOST_LINKS = 15  # a chunk with more of them is a menu or an index: it says nothing about any of them

Said = tuple[int, int, Relation, float, str, str]  # as chunk_edges.Between


class Pointer(NamedTuple):
    """A chunk, by its position, that points to what may be another document.

    `keys` are tried in order: "uri …", "name …" (of a file, with or without its suffix) or "title …". `fragment` is the
    heading that is meant, "" for the document.
    """

    source: int
    keys: tuple[str, ...]
    fragment: str
    relation: Relation
    weight: float
    description: str
    extractor: str


def find_pointers(
    document: Document, chunks: Sequence[Chunk], leaves: Sequence[int], here: Places
) -> tuple[list[Said], list[Pointer]]:
    """Edges to chunks of the same document, and pointers to other documents."""
    text = document.text
    starts = [chunks[leaf].start for leaf in leaves]
    edges: list[Said] = []
    pointers: list[Pointer] = []
    for mark in chain(link_marks(document.uri, text), phrase_marks(text)):
        source = leaves[max(bisect_right(starts, mark.at) - 1, 0)]
        own, target = _inside(mark, here)
        if target is not None and target != source:
            edges.append((source, target, mark.relation, mark.weight, mark.description, mark.extractor))
        if not own and mark.keys:
            pointers.append(Pointer(source, mark.keys, mark.fragment, *mark[5:]))
    links = Counter(source for source, *_, extractor in chain(edges, pointers) if extractor == LINKS)
    menus = {source for source, count in links.items() if count > MOST_LINKS}
    return [edge for edge in edges if edge[0] not in menus], [each for each in pointers if each.source not in menus]


def _inside(mark: Mark, here: Places) -> tuple[bool, int | None]:
    """Whether the mark means its own document, and the chunk that it means there."""
    if mark.number:
        return True, here.numbered(mark.number)
    if not mark.keys and mark.fragment:
        return True, here.anchored(mark.fragment)
    for title in mark.titles:
        if title in here.titles:
            return True, here.titled(title)
    return False, None
