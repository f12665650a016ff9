"""Keyword search over resident postings: BM25, one array addition per question term.

Formula: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), eq. 3.15, with the
never negative idf ln(1 + (N - df + 0.5) / (df + 0.5)).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids
from mcp_graphrag.store.postings import chunk_lengths, postings, retired_chunks, terms
from mcp_graphrag.store.transaction import Reader

K1 = 1.2
B = 0.75
MOST_SEGMENTS = 8


@dataclass(frozen=True)
class Segment:
    """Postings of chunks that came together: term t's lie at starts[i]:starts[i + 1] where term_ids[i] == t."""

    term_ids: Ids
    starts: Ids
    positions: NDArray[np.int32]
    frequencies: NDArray[np.float32]


@dataclass(frozen=True)
class Keywords:
    """All postings in force. `positions` of a segment point into `chunk_ids`, which is ascending."""

    term_ids: dict[str, int]
    chunk_ids: Ids
    lengths: NDArray[np.float32]
    alive: NDArray[np.bool_]
    segments: tuple[Segment, ...]

    @property
    def count(self) -> int:
        """How many chunks are in force."""
        return int(self.alive.sum())

    def search(self, wanted: Iterable[str], *, limit: int, among: Ids | None = None) -> list[tuple[int, float]]:
        """(chunk id, BM25 score) of the best chunks that hold any wanted term, best first, ties by id."""
        allowed = self._allowed(among)
        mean = float(self.lengths[self.alive].mean()) if self.alive.any() else 1.0
        norm = K1 * (1 - B + B * self.lengths / max(mean, 1e-9))
        scores = np.zeros(len(self.chunk_ids), dtype=np.float32)
        total = int(self.alive.sum())
        for term in dict.fromkeys(wanted):
            found = self._postings(term)
            if not found:
                continue
            holders = sum(int(self.alive[positions].sum()) for positions, _ in found)
            idf = np.log1p((total - holders + 0.5) / (holders + 0.5))
            for positions, frequencies in found:
                scores[positions] += idf * frequencies * (K1 + 1) / (frequencies + norm[positions])
        scores[~allowed] = 0
        return best(self.chunk_ids, scores, limit)

    def holding(self, chunk_id: int, wanted: Iterable[str]) -> tuple[str, ...]:
        """Which of the wanted terms a chunk holds."""
        position = int(np.searchsorted(self.chunk_ids, chunk_id))
        return tuple(
            term
            for term in dict.fromkeys(wanted)
            if any(_contains(positions, position) for positions, _ in self._postings(term))
        )

    def _allowed(self, among: Ids | None) -> NDArray[np.bool_]:
        return self.alive if among is None else self.alive & np.isin(self.chunk_ids, among)

    def _postings(self, term: str) -> list[tuple[NDArray[np.int32], NDArray[np.float32]]]:
        term_id = self.term_ids.get(term)
        if term_id is None:
            return []
        found: list[tuple[NDArray[np.int32], NDArray[np.float32]]] = []
        for segment in self.segments:
            at = int(np.searchsorted(segment.term_ids, term_id))
            if at < len(segment.term_ids) and segment.term_ids[at] == term_id:
                span = slice(int(segment.starts[at]), int(segment.starts[at + 1]))
                found.append((segment.positions[span], segment.frequencies[span]))
        return found


def build_keywords(tx: Reader) -> Keywords:
    """All postings in force."""
    chunk_ids, lengths = chunk_lengths(tx, since=-1)
    term_ids, words = terms(tx)
    return Keywords(
        dict(zip(words, term_ids.tolist(), strict=True)),
        chunk_ids,
        lengths.astype(np.float32),
        np.ones(len(chunk_ids), dtype=np.bool_),
        (_segment(postings(tx, since=-1), chunk_ids),) if len(chunk_ids) else (),
    )


def update_keywords(tx: Reader, old: Keywords, since: int) -> Keywords | None:
    """The postings after the changes since a generation; None asks for a rebuild."""
    alive = old.alive & ~np.isin(old.chunk_ids, retired_chunks(tx, since=since))
    chunk_ids, lengths = chunk_lengths(tx, since=since)
    if not len(chunk_ids):
        return Keywords(old.term_ids, old.chunk_ids, old.lengths, alive, old.segments)
    grown_past = len(old.chunk_ids) and chunk_ids[0] <= old.chunk_ids[-1]
    if grown_past or len(old.segments) >= MOST_SEGMENTS or alive.sum() < 0.7 * len(alive):
        return None
    everyone = np.concatenate([old.chunk_ids, chunk_ids])
    new_ids, words = terms(tx, after=max(old.term_ids.values(), default=0))
    return Keywords(
        {**old.term_ids, **dict(zip(words, new_ids.tolist(), strict=True))} if words else old.term_ids,
        everyone,
        np.concatenate([old.lengths, lengths.astype(np.float32)]),
        np.concatenate([alive, np.ones(len(chunk_ids), dtype=np.bool_)]),
        (*old.segments, _segment(postings(tx, since=since), everyone)),
    )


def best(ids: Ids, scores: NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
    """(id, score) of the highest positive scores, best first, ties by the lower id."""
    positive = np.flatnonzero(scores > 0)
    if len(positive) > limit:
        threshold = np.partition(scores[positive], len(positive) - limit)[len(positive) - limit]
        positive = positive[scores[positive] >= threshold]
    order = np.lexsort((ids[positive], -scores[positive]))[:limit]
    return [(int(ids[at]), float(scores[at])) for at in positive[order]]


def _segment(rows: dict[str, NDArray[Any]], chunk_ids: Ids) -> Segment:
    term_ids, first = np.unique(rows["term_id"], return_index=True)
    return Segment(
        np.asarray(term_ids, dtype=np.int64),
        np.append(first, len(rows["term_id"])).astype(np.int64),
        np.searchsorted(chunk_ids, rows["chunk_id"]).astype(np.int32),
        rows["frequency"].astype(np.float32),
    )


def _contains(positions: NDArray[np.int32], position: int) -> bool:
    at = int(np.searchsorted(positions, position))
    return at < len(positions) and int(positions[at]) == position
