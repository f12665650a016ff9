"""Keyword search over postings in memory: BM25, one array addition per query term.

Formula: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), eq. 3.15, with the
never negative idf ln(1 + (N - df + 0.5) / (df + 0.5)).
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import best, positions_of
from mcp_graphrag.index.tokenize import heading_term, is_whole, question_terms, text_terms
from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.document_rows import document_languages
from mcp_graphrag.store.rows.past_rows import retired_ids
from mcp_graphrag.store.rows.posting_rows import chunk_lengths, postings, terms
from mcp_graphrag.store.rows.value_rows import chunks_of_tables
from mcp_graphrag.written_languages.language_of import ENGLISH

K1 = 1.2
B = 0.75
MAX_SEGMENTS = 8
NO_POSITIONS = np.empty(0, dtype=np.int32)


@dataclass(frozen=True)
class Segment:
    """Postings of chunks that were added together; those of term_ids[i] are at starts[i]:starts[i + 1]."""

    term_ids: Ids
    starts: Ids
    positions: NDArray[np.int32]
    frequencies: NDArray[np.float32]


@dataclass(frozen=True)
class Keywords:
    """All active postings, by positions in `chunk_ids`, which ascend; those `of_tables` tell nothing of rarity."""

    term_ids: dict[str, int]
    chunk_ids: Ids
    lengths: NDArray[np.float32]
    active: NDArray[np.bool_]
    segments: tuple[Segment, ...]
    of_tables: NDArray[np.bool_]
    languages: tuple[str, ...]  # of the documents, that of most of them first

    def terms_of(self, question: str) -> list[str]:
        """The terms to search for a question, in the stems of each language of the documents.

        A version or identifier that no chunk has as a whole is searched by its parts alone.
        """
        terms = question_terms(question, self.languages, self.term_ids.__contains__)
        return [term for term in terms if term in self.term_ids or not is_whole(term)]

    def chunks_naming(self, name: str) -> Ids:
        """The chunks that contain all words of a name in the stems of one language, ascending; none without a word.

        Words of another language of which most say nothing, "wer ist zuständig für", are no name.
        """
        every = {tuple(text_terms(name, language)): language for language in self.languages or (ENGLISH,)}
        said = [terms for terms, of in every.items() if of == ENGLISH or 2 * len(terms) >= len(name.split())]
        found = [self.chunks_with(terms) for terms in said if terms]
        return np.unique(np.concatenate([np.empty(0, np.int64), *found]))

    @property
    def count(self) -> int:
        """How many chunks are active."""
        return int(np.count_nonzero(self.active))

    @cached_property
    def mean_length(self) -> float:
        """How many terms the chunks that count (see `texts`) have on average, 1 without any."""
        return float(self.lengths[self._counted].mean()) if self.active.any() else 1.0

    @cached_property
    def texts(self) -> int:
        """How many chunks tell how rare a word is: the active ones of texts, or of tables where there is no text."""
        return int(np.count_nonzero(self._counted))

    def search(self, wanted: Iterable[str], *, limit: int, among: Ids | None = None) -> list[tuple[int, float]]:
        """(chunk id, BM25 score) of the best chunks that contain any wanted term, best first, ties by id."""
        scores = np.zeros(len(self.chunk_ids), dtype=np.float32)
        for term in _with_headings(wanted):
            gain = self._gain(term)
            for positions, frequencies in self._postings(term):
                scores[positions] += gain * frequencies / (frequencies + self._norms[positions])
        allowed = self.active if among is None else self.active & np.isin(self.chunk_ids, among)
        scores[~allowed] = 0
        return best(self.chunk_ids, scores, limit)

    def scores_of(self, chunk_ids: Ids, wanted: Iterable[str]) -> NDArray[np.float32]:
        """The BM25 scores of some chunks, 0 for one that is not searched."""
        positions = positions_of(chunk_ids, self.chunk_ids).astype(np.int32)
        scores = np.zeros(len(chunk_ids), dtype=np.float32)
        for term in _with_headings(wanted):
            gain = self._gain(term)
            for rows, frequencies in self._postings_at(positions, term):
                scores[rows] += gain * frequencies / (frequencies + self._norms[positions[rows]])
        return scores

    def weights(self, terms: Iterable[str]) -> dict[str, float]:
        """The logarithm of how rare each term is among chunks, 0 for one that none has."""
        counts = {term: self.chunk_frequency(term) for term in set(terms)}
        return {term: math.log1p(self.texts / count) if count else 0.0 for term, count in counts.items()}

    def chunk_frequency(self, term: str) -> int:
        """How many of the chunks that count (see `texts`) contain a term."""
        postings = self._postings(term)
        if self._all_counted:
            return sum(len(positions) for positions, _ in postings)
        return sum(int(np.count_nonzero(self._counted[positions])) for positions, _ in postings)

    def chunks_with(self, wanted: Iterable[str]) -> Ids:
        """The chunks that contain all wanted terms, at least one, ascending."""
        by_term = (self._postings(term) for term in dict.fromkeys(wanted))
        parts = [np.concatenate([NO_POSITIONS, *(positions for positions, _ in found)]) for found in by_term]
        parts.sort(key=len)
        common = parts[0] if parts else NO_POSITIONS
        for more in parts[1:]:
            common = common[positions_of(common, more) >= 0]  # positions ascend over segments, as chunk ids do
        return self.chunk_ids[common[self.active[common]]]

    def ideal_score(self, wanted: Iterable[str]) -> float:
        """The score of a chunk of mean length that contains every wanted term once, even unknown terms."""
        return float(sum(self._gain(term) for term in dict.fromkeys(wanted))) / (1 + K1)

    def _gain(self, term: str) -> np.float32:
        """The weight of a term before its frequency in a chunk: the rarer, the higher."""
        frequency = self.chunk_frequency(term)
        return np.float32((K1 + 1) * np.log1p((self.texts - frequency + 0.5) / (frequency + 0.5)))

    def terms_in_chunks(self, chunk_ids: Sequence[int], wanted: Iterable[str]) -> list[tuple[str, ...]]:
        """Which of the wanted terms each of the chunks contains."""
        positions = self.chunk_ids.searchsorted(np.array(chunk_ids, dtype=np.int64)).astype(np.int32)
        held: list[list[str]] = [[] for _ in chunk_ids]
        for term in dict.fromkeys(wanted):
            for rows, _ in self._postings_at(positions, term):
                places: list[int] = rows.tolist()
                for row in places:
                    held[row].append(term)
        return [tuple(terms) for terms in held]

    @cached_property
    def _counted(self) -> NDArray[np.bool_]:
        texts = self.active & ~self.of_tables
        return texts if texts.any() else self.active

    @cached_property
    def _all_counted(self) -> bool:
        return bool(self._counted.all())

    @cached_property
    def _norms(self) -> NDArray[np.float32]:
        """The length normalization of each chunk: the longer, the higher."""
        return np.asarray(K1 * (1 - B + B * self.lengths / max(self.mean_length, 1e-9)), dtype=np.float32)

    def _postings_at(self, positions: NDArray[np.int32], term: str) -> Iterator[tuple[Ids, NDArray[np.float32]]]:
        """The rows of `positions` whose chunk contains a term, and its frequencies there.

        The positions have the type of the postings: otherwise numpy would copy all of these to compare.
        """
        for among, frequencies in self._postings(term):
            at = positions_of(positions, among)
            rows = np.flatnonzero(at >= 0)
            yield rows, frequencies[at[rows]]

    def _postings(self, term: str) -> list[tuple[NDArray[np.int32], NDArray[np.float32]]]:
        term_id = self.term_ids.get(term)
        if term_id is None:
            return []
        found: list[tuple[NDArray[np.int32], NDArray[np.float32]]] = []
        for segment in self.segments:
            at = int(segment.term_ids.searchsorted(term_id))
            if at < len(segment.term_ids) and segment.term_ids[at] == term_id:
                span = slice(int(segment.starts[at]), int(segment.starts[at + 1]))
                found.append((segment.positions[span], segment.frequencies[span]))
        return found


def _with_headings(wanted: Iterable[str]) -> Iterator[str]:
    """Each term once, and after one that must match whole that of headings."""
    for term in dict.fromkeys(wanted):
        yield from (term, heading_term(term)) if is_whole(term) else (term,)


def build_keywords(tx: Reader) -> Keywords:
    """All active postings."""
    chunk_ids, lengths = chunk_lengths(tx, since=-1)
    term_ids, words = terms(tx)
    return Keywords(
        dict(zip(words, term_ids.tolist(), strict=True)),
        chunk_ids,
        lengths.astype(np.float32),
        np.ones(len(chunk_ids), dtype=np.bool_),
        (_segment(postings(tx, since=-1), chunk_ids),) if len(chunk_ids) else (),
        np.isin(chunk_ids, chunks_of_tables(tx, since=-1)),
        document_languages(tx),
    )


def update_keywords(tx: Reader, old: Keywords, since: int) -> Keywords | None:
    """The postings after the changes since a generation; None to rebuild."""
    active = old.active & ~np.isin(old.chunk_ids, retired_ids(tx, "chunk", since=since))
    chunk_ids, lengths = chunk_lengths(tx, since=since)
    if not len(chunk_ids):
        return replace(old, active=active, languages=document_languages(tx))
    out_of_order = len(old.chunk_ids) and chunk_ids[0] <= old.chunk_ids[-1]
    if out_of_order or len(old.segments) >= MAX_SEGMENTS or active.sum() < 0.7 * len(active):
        return None
    all_ids = np.concatenate([old.chunk_ids, chunk_ids])
    new_ids, words = terms(tx, after=max(old.term_ids.values(), default=0))
    return Keywords(
        {**old.term_ids, **dict(zip(words, new_ids.tolist(), strict=True))} if words else old.term_ids,
        all_ids,
        np.concatenate([old.lengths, lengths.astype(np.float32)]),
        np.concatenate([active, np.ones(len(chunk_ids), dtype=np.bool_)]),
        (*old.segments, _segment(postings(tx, since=since), all_ids)),
        np.concatenate([old.of_tables, np.isin(chunk_ids, chunks_of_tables(tx, since=since))]),
        document_languages(tx),
    )


def _segment(rows: dict[str, NDArray[Any]], chunk_ids: Ids) -> Segment:
    term_ids, first = np.unique(rows["term_id"], return_index=True)
    return Segment(
        np.asarray(term_ids, dtype=np.int64),
        np.append(first, len(rows["term_id"])).astype(np.int64),
        np.searchsorted(chunk_ids, rows["chunk_id"]).astype(np.int32),
        rows["frequency"].astype(np.float32),
    )
