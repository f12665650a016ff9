"""Vector search: exact by one product, or by sign codes or HNSW that choose and cosines that rank, or a scan in SQL.

All answer cosines of unit vectors. Sign codes: Charikar, "Similarity estimation techniques from rounding algorithms"
(2002): the Hamming distance of sign patterns estimates the angle; here it only chooses whom to rank. HNSW: see
`store.hnsw`. Which is fastest at which size is measured by tests/bench/vectors.py.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store.embeddings import (
    Embedded,
    embedder_mark,
    embedding_count,
    nearest_exact,
    vectors_by_id,
    vectors_since,
)
from mcp_graphrag.store.hnsw import Hnsw
from mcp_graphrag.store.postings import retired_chunks, retired_entities
from mcp_graphrag.store.transaction import Reader

CODED_FROM = 30_000  # vectors from which codes before the product are faster than the whole product
HNSW_FROM = 5_000  # below, one product takes less than the question takes to reach an index
CODE_BLOCK = 16_384  # rows of codes that stay in the processor's cache
LOAD_BLOCK = 100_000
GATHERED = 100  # rows copied at once: with 256 dimensions as much as the allocator keeps at hand
ENDLESS = np.iinfo(np.int64).max
STALE = 0.3  # share of rows, retired or come after, at which what is resident is built anew

Found = list[tuple[int, float]]


class Vectors(Protocol):
    """Embeddings in force of chunks or entities, as of one generation."""

    @property
    def kind(self) -> str:
        """Which serves: matrix, coded, codes, hnsw or sql."""
        ...

    @property
    def count(self) -> int:
        """How many vectors are in force."""
        ...

    @property
    def note(self) -> str:
        """Why it is not the kind that was asked for, or nothing."""
        ...

    def nearest(self, tx: Reader, vector: Matrix, *, limit: int, among: Ids | None = None) -> Found:
        """(id, cosine) of the nearest to a unit vector, best first, ties by the lower id; only of `among` if given."""
        ...

    def cosines(self, tx: Reader, vector: Matrix, ids: Ids) -> Matrix:
        """The cosines of a unit vector and those of the ids, NaN where one has no vector."""
        ...


@dataclass(frozen=True)
class MatrixVectors:
    """Every vector in memory, float32. `rows` has shape (ids, dimension); above `most` of them it is built anew."""

    of: Embedded
    dimension: int
    most: int
    ids: Ids
    rows: Matrix
    alive: NDArray[np.bool_]
    kind: str = "matrix"
    note: str = ""

    @property
    def count(self) -> int:
        """How many vectors are in force."""
        return int(np.count_nonzero(self.alive))

    def nearest(self, tx: Reader, vector: Matrix, *, limit: int, among: Ids | None = None) -> Found:  # noqa: ARG002
        """One product over the matrix, or over its allowed rows."""
        if among is None:
            return self.after(0, vector, limit=limit)
        return self.ranked(np.flatnonzero(self.alive & np.isin(self.ids, among)), vector, limit=limit)

    def cosines(self, tx: Reader, vector: Matrix, ids: Ids) -> Matrix:  # noqa: ARG002
        """The cosines of a unit vector and those of the ids, NaN where one has no vector."""
        return _cosines(self.rows, vector, _places(self.ids, self._order, ids))

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return np.argsort(self.ids, kind="stable")

    def after(self, first: int, vector: Matrix, *, limit: int) -> Found:
        """The nearest among the rows from a position on."""
        cosines = self.rows[first:] @ vector
        cosines[~self.alive[first:]] = -2
        return top(self.ids[first:], cosines, limit)

    def ranked(self, positions: NDArray[np.intp], vector: Matrix, *, limit: int) -> Found:
        """The nearest among the rows at some positions."""
        return top(self.ids[positions], self.rows[positions] @ vector, limit)


@dataclass(frozen=True)
class CodeVectors:
    """The signs of every vector in memory, 64 to a word, choose whom the cosines rank.

    The cosines come from `rows` in memory, shape (ids, dimension), where they are there (`coded`), and else from the
    file (`codes`). `codes` has shape (words, ids): a word of all rows lies together.
    """

    of: Embedded
    dimension: int
    most: int
    ids: Ids
    codes: NDArray[np.uint64]
    rows: Matrix | None
    alive: NDArray[np.bool_]
    note: str = ""

    @property
    def kind(self) -> str:
        """Which it is: coded where the vectors are in memory too, codes where they are not."""
        return "codes" if self.rows is None else "coded"

    @property
    def count(self) -> int:
        """How many vectors are in force."""
        return int(np.count_nonzero(self.alive))

    def nearest(self, tx: Reader, vector: Matrix, *, limit: int, among: Ids | None = None) -> Found:
        """The rows of the most like signs, ranked by cosine."""
        allowed = self.alive if among is None else self.alive & np.isin(self.ids, among)
        if self.rows is not None:
            chosen = self._candidates(vector, allowed, 800 + 10 * limit)
            return top(self.ids[chosen], _products(self.rows, chosen, vector), limit)
        chosen = self._candidates(vector, allowed, max(limit * 10, 1_000, min(1_500, len(self.ids) // 600)))
        if not len(chosen):
            return []
        ids = np.sort(self.ids[chosen])
        return top(ids, vectors_by_id(tx, self.of, self.dimension, ids) @ vector, limit)

    def cosines(self, tx: Reader, vector: Matrix, ids: Ids) -> Matrix:
        """The cosines of a unit vector and those of the ids, NaN where one has no vector."""
        places = _places(self.ids, self._order, ids)
        if self.rows is not None:
            return _cosines(self.rows, vector, places)
        known = np.unique(ids[places >= 0])
        found = np.full(len(ids), np.nan, dtype=np.float32)
        if len(known):
            told = vectors_by_id(tx, self.of, self.dimension, known) @ vector
            found[places >= 0] = told[np.searchsorted(known, ids[places >= 0])]
        return found

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return np.argsort(self.ids, kind="stable")

    def _candidates(self, vector: Matrix, allowed: NDArray[np.bool_], most: int) -> NDArray[np.intp]:
        """The positions of the `most` allowed rows of the most like signs; more where several are as like."""
        wanted = signs(vector[None, :])[:, 0]
        distances = np.empty(len(self.ids), dtype=np.uint16)
        for start in range(0, len(self.ids), CODE_BLOCK):
            block = slice(start, start + CODE_BLOCK)
            total = distances[block]
            total[:] = np.bitwise_count(self.codes[0, block] ^ wanted[0])
            for word, want in zip(self.codes[1:], wanted[1:], strict=True):
                total += np.bitwise_count(word[block] ^ want)
        farthest = 64 * len(wanted)
        distances[~allowed] = farthest + 1
        if len(distances) <= most:
            return np.flatnonzero(distances <= farthest)
        reach = min(int(np.partition(distances, most)[most]), farthest)
        edge = np.flatnonzero(distances == reach)
        return np.concatenate([np.flatnonzero(distances < reach), edge[:most]])


@dataclass(frozen=True)
class HnswVectors:
    """An HNSW index over the first rows of a matrix; what came after is searched exactly, what was retired left out.

    The matrix alone serves while the index is built, where it cannot be, and for every question with a filter.
    """

    exact: MatrixVectors
    index: Hnsw

    @property
    def kind(self) -> str:
        """Which serves: hnsw once the index is built, matrix before."""
        return "hnsw" if self.index.state == "ready" else "matrix"

    @property
    def note(self) -> str:
        """How the index stands while it does not serve."""
        return "" if self.index.state == "ready" else f"hnsw: {self.index.state}"

    @property
    def count(self) -> int:
        """How many vectors are in force."""
        return self.exact.count

    def nearest(self, tx: Reader, vector: Matrix, *, limit: int, among: Ids | None = None) -> Found:
        """The nearest of the index and of what came after it."""
        living = self.exact.alive[: self.index.count]
        wanted = min(limit, int(np.count_nonzero(living)))
        found = None if among is not None else self.index.nearest(vector, limit=self._fetched(living, limit))
        kept = np.empty(0, dtype=np.int64) if found is None else found[living[found]]
        if found is None or len(kept) < wanted:
            return self.exact.nearest(tx, vector, limit=limit, among=among)
        indexed = self.exact.ranked(kept, vector, limit=limit)
        later = self.exact.after(self.index.count, vector, limit=limit)
        return sorted([*indexed, *later], key=lambda each: (-each[1], each[0]))[:limit]

    def cosines(self, tx: Reader, vector: Matrix, ids: Ids) -> Matrix:
        """The cosines of a unit vector and those of the ids, NaN where one has no vector."""
        return self.exact.cosines(tx, vector, ids)

    def _fetched(self, living: NDArray[np.bool_], limit: int) -> int:
        """How many to ask for so that enough of them live."""
        dead = len(living) - int(np.count_nonzero(living))
        return limit + min(dead, limit + 20)


@dataclass(frozen=True)
class SqlVectors:
    """Nothing in memory: every question scans the file."""

    of: Embedded
    count: int = 0
    kind: str = "sql"
    note: str = ""

    def nearest(self, tx: Reader, vector: Matrix, *, limit: int, among: Ids | None = None) -> Found:
        """An exact scan."""
        return nearest_exact(tx, self.of, vector, limit=limit, among=among)

    def cosines(self, tx: Reader, vector: Matrix, ids: Ids) -> Matrix:
        """The cosines of a unit vector and those of the ids, NaN where one has no vector."""
        known = dict(nearest_exact(tx, self.of, vector, limit=len(ids), among=np.unique(ids)))
        return np.array([known.get(each, np.nan) for each in ids.tolist()], dtype=np.float32)


def build_vectors(tx: Reader, of: Embedded, kind: str, matrix_most: int) -> Vectors:
    """The projection of the chosen kind.

    auto takes the matrix, from CODED_FROM vectors on with codes before it, above `matrix_most` the codes alone.
    """
    mark = embedder_mark(tx)
    if mark is None:
        return SqlVectors(of)
    count = embedding_count(tx, of)
    if kind == "sql":
        return SqlVectors(of, count)
    if kind == "codes" or (kind == "auto" and count > matrix_most):
        ids, codes = _load_codes(tx, of, mark.dimension, since=-1)
        return CodeVectors(of, mark.dimension, ENDLESS, ids, codes, None, _all_of(ids))
    ids, rows = vectors_since(tx, of, mark.dimension, since=-1)
    if kind == "coded" or (kind == "auto" and count >= CODED_FROM):
        most = matrix_most if kind == "auto" else ENDLESS
        return CodeVectors(of, mark.dimension, most, ids, signs(rows), rows, _all_of(ids))
    if kind == "hnsw" and count >= HNSW_FROM:
        return HnswVectors(MatrixVectors(of, mark.dimension, ENDLESS, ids, rows, _all_of(ids)), Hnsw(rows))
    limits = {"auto": min(matrix_most, CODED_FROM), "hnsw": HNSW_FROM}
    return MatrixVectors(of, mark.dimension, limits.get(kind, ENDLESS), ids, rows, _all_of(ids))


def update_vectors(tx: Reader, old: Vectors, since: int) -> Vectors | None:
    """The projection after the changes since a generation; None asks for a rebuild."""
    if isinstance(old, HnswVectors):
        exact = update_vectors(tx, old.exact, since)
        if not isinstance(exact, MatrixVectors) or len(exact.ids) - old.index.count > STALE * len(exact.ids):
            return None
        return HnswVectors(exact, old.index)
    mark = embedder_mark(tx)
    if not isinstance(old, MatrixVectors | CodeVectors) or mark is None or mark.dimension != old.dimension:
        return None
    retired = retired_chunks(tx, since=since) if old.of == "chunk" else retired_entities(tx, since=since)
    alive = old.alive & ~np.isin(old.ids, retired) if len(retired) else old.alive
    if np.count_nonzero(alive) < (1 - STALE) * len(alive):
        return None
    updated = _with_more(tx, old, since)
    return (
        None if updated is None else replace(updated, alive=np.concatenate([alive, _all_of(updated.ids[len(alive) :])]))
    )


def _with_more(tx: Reader, old: MatrixVectors | CodeVectors, since: int) -> MatrixVectors | CodeVectors | None:
    """The projection with what came after a generation, its `alive` not yet as long; None asks for a rebuild."""
    if isinstance(old, CodeVectors) and old.rows is None:
        ids, codes = _load_codes(tx, old.of, old.dimension, since=since)
        rows = None
    else:
        ids, rows = vectors_since(tx, old.of, old.dimension, since=since)
        codes = signs(rows)
    if not len(ids):
        return old
    if len(old.ids) + len(ids) > old.most or np.isin(ids, old.ids).any():
        return None
    every = np.concatenate([old.ids, ids])
    grown = None if rows is None or old.rows is None else _grown(old.rows, rows)
    if isinstance(old, CodeVectors):
        return replace(old, ids=every, codes=np.concatenate([old.codes, codes], axis=1), rows=grown)
    return None if grown is None else replace(old, ids=every, rows=grown)


def top(ids: Ids, scores: Matrix, limit: int) -> Found:
    """(id, score) of the highest scores, best first, ties by the lower id; scores below -1 are left out."""
    least = np.float32(-1.001)
    if len(scores) > limit:
        least = max(least, np.partition(scores, len(scores) - limit)[len(scores) - limit])
    kept = np.flatnonzero(scores >= least)
    order = np.lexsort((ids[kept], -scores[kept]))[:limit]
    return [(int(ids[at]), float(scores[at])) for at in kept[order]]


def _places(ids: Ids, order: NDArray[np.intp], wanted: Ids) -> NDArray[np.intp]:
    """The place of each wanted id, -1 where it is not there; `order` sorts the ids."""
    if not len(ids):
        return np.full(len(wanted), -1, dtype=np.intp)
    at = order[np.minimum(np.searchsorted(ids, wanted, sorter=order), len(ids) - 1)]
    return np.where(ids[at] == wanted, at, -1)


def _cosines(rows: Matrix, vector: Matrix, places: NDArray[np.intp]) -> Matrix:
    if not len(rows):
        return np.full(len(places), np.nan, dtype=np.float32)
    return np.where(places >= 0, _products(rows, places, vector), np.nan).astype(np.float32)


def _products(rows: Matrix, places: NDArray[np.intp], vector: Matrix) -> Matrix:
    """The products of some rows and a vector, a few rows at a time: a large copy is paged in anew at each question."""
    found = np.empty(len(places), dtype=np.float32)
    for start in range(0, len(places), GATHERED):
        block = slice(start, start + GATHERED)
        np.dot(rows[places[block]], vector, out=found[block])
    return found


def _all_of(ids: Ids) -> NDArray[np.bool_]:
    return np.ones(len(ids), dtype=np.bool_)


def signs(rows: Matrix) -> NDArray[np.uint64]:
    """The sign bits of vectors of shape (n, d), packed into words: shape (ceil(d / 64), n)."""
    missing = -rows.shape[1] % 64
    bits = np.packbits(np.pad(rows > 0, ((0, 0), (0, missing))), axis=1, bitorder="little")
    return np.ascontiguousarray(bits.view("<u8").T)


def _grown(rows: Matrix, more: Matrix) -> Matrix:
    """Rows and more as one matrix; spare room at the end makes the next growth a copy of the new rows only."""
    if not len(more):
        return rows
    base = rows.base
    needed = len(rows) + len(more)
    roomy = isinstance(base, np.ndarray) and base.ndim == 2 and len(base) >= needed and base.dtype == np.float32
    room: Matrix = base if roomy and isinstance(base, np.ndarray) else np.empty((needed * 5 // 4, more.shape[1]), "f4")
    if not roomy:
        room[: len(rows)] = rows
    room[len(rows) : needed] = more
    return room[:needed]


def _load_codes(tx: Reader, of: Embedded, dimension: int, *, since: int) -> tuple[Ids, NDArray[np.uint64]]:
    """Codes of all vectors, read in blocks so that the vectors never are in memory together."""
    ids: list[Ids] = []
    codes: list[NDArray[np.uint64]] = []
    after = 0
    while True:
        block_ids, rows = vectors_since(tx, of, dimension, since=since, after=after, limit=LOAD_BLOCK)
        ids.append(block_ids)
        codes.append(signs(rows))
        if len(block_ids) < LOAD_BLOCK:
            return np.concatenate(ids), np.concatenate(codes, axis=1)
        after = int(block_ids[-1])
