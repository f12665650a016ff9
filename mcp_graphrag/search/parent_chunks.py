"""Hits on child chunks shown as their parents: what was found in a small chunk is read in the larger one around it.

Keyword and vector search find children; mentions and evidence belong to parents, so the graph leads to parents. `lift`
maps all rankings to parents before they are fused, `with_parents` gives each hit the text of its parent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mcp_graphrag.fusion import Ranked
from mcp_graphrag.index.parent_index import Parents
from mcp_graphrag.model import Hit
from mcp_graphrag.snapshot import Snapshot
from mcp_graphrag.store.rows.citations import cite_chunk
from mcp_graphrag.store.rows.document_rows import chunks_by_id


@dataclass(frozen=True)
class Lifted:
    """Arms without children. `children` has the best child of each parent, from the first arm that ranks one."""

    arms: Mapping[str, Ranked]
    children: Mapping[int, int]

    def chunk(self, chunk_id: int) -> int:
        """The chunk to show as the hit: the best child of a parent, or the chunk itself."""
        return self.children.get(chunk_id, chunk_id)


def lift(snapshot: Snapshot, arms: Mapping[str, Ranked]) -> Lifted:
    """The arms with each child replaced by its parent, once, with rank and score of its best child."""
    parents = snapshot.parents
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


def with_parents(snapshot: Snapshot, hits: Sequence[Hit]) -> list[Hit]:
    """The hits; one on a child has the text and the citation of its parent.

    Hits on children of one parent, or on the parent itself, become one: the best, with the terms of all.
    """
    parents = snapshot.parents
    if not parents:
        return list(hits)
    parent_ids = _parents(parents, [(hit.chunk.id, hit.score) for hit in hits])
    family: dict[int, list[Hit]] = {}
    for hit, parent_id in zip(hits, parent_ids, strict=True):
        family.setdefault(parent_id, []).append(hit)
    texts = chunks_by_id(
        snapshot.tx, [parent_id for hit, parent_id in zip(hits, parent_ids, strict=True) if hit.chunk.id != parent_id]
    )
    shown: list[Hit] = []
    for parent_id, found in family.items():
        terms = tuple(dict.fromkeys(term for hit in found for term in hit.terms))
        hit = replace(found[0], terms=terms)
        parent = texts.get(parent_id)
        if parent is not None and hit.chunk.id != parent_id:
            why = (*hit.why, f"Found by its child chunk {hit.citation}.")
            hit = replace(hit, passage=parent.text, citation=cite_chunk(parent), why=why)
        shown.append(hit)
    return shown


def _parents(parents: Parents, ranked: Ranked) -> list[int]:
    return parents.of(np.array([chunk_id for chunk_id, _ in ranked], dtype=np.int64)).tolist()
