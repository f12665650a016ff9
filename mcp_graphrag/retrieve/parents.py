"""Hits on children as their parents: what was found in a small chunk is read in the larger one around it.

Keyword and vector search find children; mentions and evidence are of parents, so that what the graph leads to are
parents. `lift` brings both to parents before they are fused, `with_parents` gives each hit its parent's text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mcp_graphrag.index.parents import Parents
from mcp_graphrag.index.resident import parents_of_chunks
from mcp_graphrag.model import Hit
from mcp_graphrag.retrieve.fuse import Ranked
from mcp_graphrag.store import Reader, Store
from mcp_graphrag.store.citation import cite_chunk
from mcp_graphrag.store.documents import chunks_by_id


@dataclass(frozen=True)
class Lifted:
    """Arms that name no children. `children` has, of each parent, the best child in the first arm that has one."""

    arms: Mapping[str, Ranked]
    children: Mapping[int, int]

    def chunk(self, chunk_id: int) -> int:
        """The chunk to show as the hit: the best child of a parent, any other chunk itself."""
        return self.children.get(chunk_id, chunk_id)


def lift(store: Store, tx: Reader, arms: Mapping[str, Ranked]) -> Lifted:
    """The arms with every child as its parent, once each, where and with what score its best child stood."""
    parents = parents_of_chunks(store, tx)
    if not parents:
        return Lifted(arms, {})
    lifted: dict[str, Ranked] = {}
    best: dict[int, int] = {}
    for name, ranked in arms.items():
        kept: dict[int, float] = {}
        for (chunk_id, score), parent_id in zip(ranked, _parents(parents, ranked), strict=True):
            kept.setdefault(parent_id, score)
            if parent_id != chunk_id:
                best.setdefault(parent_id, chunk_id)
        lifted[name] = list(kept.items())
    return Lifted(lifted, best)


def with_parents(store: Store, tx: Reader, hits: Sequence[Hit]) -> list[Hit]:
    """The hits, those on a child with its parent's text as passage and its parent's citation.

    Hits on children of one parent, or on it too, are one: the best, with the terms of all.
    """
    parents = parents_of_chunks(store, tx)
    if not parents:
        return list(hits)
    parent_ids = _parents(parents, [(hit.chunk.id, hit.score) for hit in hits])
    family: dict[int, list[Hit]] = {}
    for hit, parent_id in zip(hits, parent_ids, strict=True):
        family.setdefault(parent_id, []).append(hit)
    texts = chunks_by_id(
        tx, [parent_id for hit, parent_id in zip(hits, parent_ids, strict=True) if hit.chunk.id != parent_id]
    )
    shown: list[Hit] = []
    for parent_id, found in family.items():
        terms = tuple(dict.fromkeys(term for hit in found for term in hit.terms))
        hit = replace(found[0], terms=terms)
        parent = texts.get(parent_id)
        if parent is not None and hit.chunk.id != parent_id:
            why = (*hit.why, f"Found by its part {hit.citation}.")
            hit = replace(hit, passage=parent.text, citation=cite_chunk(parent), why=why)
        shown.append(hit)
    return shown


def _parents(parents: Parents, ranked: Ranked) -> list[int]:
    return parents.of(np.array([chunk_id for chunk_id, _ in ranked], dtype=np.int64)).tolist()
