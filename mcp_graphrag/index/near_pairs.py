"""Pairs of chunks of different documents with similar embeddings, by products of blocks of vectors."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids, Matrix

BLOCK_CELLS = 8_000_000  # cosines in memory at once
CANDIDATES_PER_PAIR = 2  # candidates considered for each pair that a chunk may have


@dataclass(frozen=True)
class ChunkVectors:
    """Unit vectors of chunks, shape (chunks, dimension), with the document of each; ids ascend."""

    ids: Ids
    documents: Ids
    rows: Matrix


Pair = tuple[float, int, int]


def near_pairs(
    vectors: ChunkVectors, *, threshold: float, pairs: int, among: NDArray[np.bool_], done: Callable[[int], bool]
) -> list[Pair]:
    """(cosine, lower chunk id, higher chunk id) of the nearest pairs from two documents, nearest first.

    Each chunk is in at most `pairs` of them. `among` marks the chunks whose neighbours are searched. `done` gets the
    number of those already searched; if it returns False, the search stops and returns what it has found.
    """
    found: dict[tuple[int, int], float] = {}
    for cosine, one, other in _candidates(vectors, threshold, pairs * CANDIDATES_PER_PAIR, among, done):
        found[min(one, other), max(one, other)] = cosine
    count: dict[int, int] = {}
    kept: list[Pair] = []
    for (one, other), cosine in sorted(found.items(), key=lambda pair: (-pair[1], pair[0])):
        if count.get(one, 0) < pairs and count.get(other, 0) < pairs:
            count[one] = count.get(one, 0) + 1
            count[other] = count.get(other, 0) + 1
            kept.append((cosine, one, other))
    return kept


def _candidates(
    vectors: ChunkVectors, threshold: float, count: int, among: NDArray[np.bool_], done: Callable[[int], bool]
) -> Iterator[Pair]:
    """The nearest `count` of each chunk in other documents, by rounds of the highest."""
    chosen = np.flatnonzero(among)
    order = np.argsort(vectors.documents, kind="stable")
    sorted_documents = vectors.documents[order]
    first = np.searchsorted(sorted_documents, vectors.documents[chosen], side="left")
    last = np.searchsorted(sorted_documents, vectors.documents[chosen], side="right")
    size = max(BLOCK_CELLS // max(len(vectors.ids), 1), 1)
    for start in range(0, len(chosen), size):
        block = chosen[start : start + size]
        cosines = vectors.rows[block] @ vectors.rows.T
        for at in range(len(block)):
            cosines[at, order[first[start + at] : last[start + at]]] = -2
        lines = np.arange(len(block))
        for _ in range(min(count, len(vectors.ids))):
            nearest = cosines.argmax(axis=1)
            best = cosines[lines, nearest]
            near = best >= threshold
            if not near.any():
                break
            yield from zip(
                best[near].tolist(), vectors.ids[block[near]].tolist(), vectors.ids[nearest[near]].tolist(), strict=True
            )
            cosines[lines, nearest] = -2
        if not done(start + len(block)):
            return
