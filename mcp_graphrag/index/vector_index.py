"""Vector search: exact by one product, by sign codes or HNSW for candidates that cosines rank, or by a scan in SQL.

All give cosines of unit vectors. Sign codes: Charikar, "Similarity estimation techniques from rounding algorithms"
(2002): the Hamming distance of sign patterns estimates the angle; here it only selects candidates. HNSW: see
`store.engine.hnsw`. tests/bench/vectors.py measures which is fastest at which size.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import best, positions_of
from mcp_graphrag.model import Ids, Matrix
from mcp_graphrag.store.engine.hnsw import Hnsw
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.embedding_rows import (
    Embedded,
    embedding_count,
    vector_blocks,
    vectors_by_id,
    vectors_since,
)
from mcp_graphrag.store.rows.past_rows import retired_ids

CODED_FROM = 30_000  # vectors from which codes before the product are faster than the whole product
HNSW_FROM = 5_000  # below, one product is faster than a query to the index
CODE_BLOCK = 16_384  # rows of codes that fit in the processor's cache
PRODUCT_BLOCK = 100  # rows copied at once: with 256 dimensions, as much as the allocator reuses
NO_COSINE = -2
UNLIMITED = np.iinfo(np.int64).max
MAX_STALE = 0.3  # share of rows, retired or added since, above which an index is rebuilt

ScoredIds = list[tuple[int, float]]


@dataclass(frozen=True)
class LoadedVectors:
    """Every vector in memory: as float32 (`kind` matrix), as its signs, 64 per word (codes), or as both (coded).

    `rows` has shape (ids, dimension), `codes` (words, ids); without them the second number is 0, and the first of rows.
    Codes select candidates, which cosines rank, from the file if there are no rows. Above `max_rows` ids it is rebuilt.
    """

    of: Embedded
    kind: str
    max_rows: int
    ids: Ids
    rows: Matrix
    codes: NDArray[np.uint64]
    active: NDArray[np.bool_]
    note: str = ""

    @property
    def count(self) -> int:
        """How many vectors are active."""
        return int(np.count_nonzero(self.active))

    def nearest(self, tx: Reader, vector: Matrix, *, limit: int, among: Ids | None = None) -> ScoredIds:
        """Without codes by one product, else the cosines of the rows with the most similar signs."""
        if self.kind == "matrix" and among is None:
            return self.nearest_from(0, vector, limit=limit)
        allowed = self.active if among is None else self.active & np.isin(self.ids, among)
        if self.kind == "matrix":
            return self.nearest_of(np.flatnonzero(allowed), vector, limit=limit)
        if self.kind == "coded":
            candidates = self._candidates(vector, allowed, 800 + 10 * limit)
            return best(self.ids[candidates], _products(self.rows, candidates, vector), limit, above=NO_COSINE)
        wanted = max(limit * 10, 1_000, min(1_500, len(self.ids) // 600))
        candidates = self._candidates(vector, allowed, wanted)
        if not len(candidates):
            return []
        ids = np.sort(self.ids[candidates])
        return best(ids, vectors_by_id(tx, self.of, ids) @ vector, limit, above=NO_COSINE)

    def cosines(self, tx: Reader, vector: Matrix, ids: Ids) -> Matrix:
        """The cosines of a unit vector with those of the ids, NaN for one without a vector."""
        positions = positions_of(ids, self.ids, self._order)
        known = positions >= 0
        found = np.full(len(ids), np.nan, dtype=np.float32)
        if self.kind != "codes" and len(self.rows):
            return np.where(known, _products(self.rows, positions, vector), found)
        stored = np.unique(ids[known])
        if len(stored):
            cosines = vectors_by_id(tx, self.of, stored) @ vector
            found[known] = cosines[np.searchsorted(stored, ids[known])]
        return found

    @cached_property
    def _order(self) -> Ids:
        return np.argsort(self.ids, kind="stable")

    def nearest_from(self, first: int, vector: Matrix, *, limit: int) -> ScoredIds:
        """The nearest among the rows from a position on."""
        cosines = self.rows[first:] @ vector
        cosines[~self.active[first:]] = NO_COSINE
        return best(self.ids[first:], cosines, limit, above=NO_COSINE)

    def nearest_of(self, positions: Ids, vector: Matrix, *, limit: int) -> ScoredIds:
        """The nearest among the rows at some positions."""
        return best(self.ids[positions], self.rows[positions] @ vector, limit, above=NO_COSINE)

    def _candidates(self, vector: Matrix, allowed: NDArray[np.bool_], count: int) -> NDArray[np.intp]:
        """The positions of the `count` allowed rows with the most similar signs."""
        wanted = sign_codes(vector[None, :])[:, 0]
        distances = np.empty(len(self.ids), dtype=np.uint16)
        for start in range(0, len(self.ids), CODE_BLOCK):
            block = slice(start, start + CODE_BLOCK)
            total = distances[block]
            total[:] = np.bitwise_count(self.codes[0, block] ^ wanted[0])
            for word, want in zip(self.codes[1:], wanted[1:], strict=True):
                total += np.bitwise_count(word[block] ^ want)
        farthest = 64 * len(wanted)
        distances[~allowed] = farthest + 1
        if len(distances) <= count:
            return np.flatnonzero(distances <= farthest)
        reach = min(int(np.partition(distances, count)[count]), farthest)
        edge = np.flatnonzero(distances == reach)
        return np.concatenate([np.flatnonzero(distances < reach), edge[:count]])


@dataclass(frozen=True)
class HnswVectors:
    """An HNSW index over the first rows of a matrix; later rows are searched exactly, retired ones left out.

    The matrix alone answers while the index is built, if it cannot be built, and for every query with a filter.
    """

    exact: LoadedVectors
    index: Hnsw

    @property
    def kind(self) -> str:
        """`hnsw` once the index is built, `matrix` before."""
        return "hnsw" if self.index.state == "ready" else "matrix"

    @property
    def note(self) -> str:
        """The state of the index while it is not ready."""
        return "" if self.index.state == "ready" else f"hnsw: {self.index.state}"

    @property
    def count(self) -> int:
        """How many vectors are active."""
        return self.exact.count

    def nearest(self, tx: Reader, vector: Matrix, *, limit: int, among: Ids | None = None) -> ScoredIds:
        """The nearest of the index and of the later rows."""
        active = self.exact.active[: self.index.count]
        count = int(np.count_nonzero(active))
        fetched = limit + min(len(active) - count, limit + 20)  # so many that enough of them are active
        found = None if among is not None else self.index.nearest(vector, limit=fetched)
        kept = np.empty(0, dtype=np.int64) if found is None else found[active[found]]
        if found is None or len(kept) < min(limit, count):
            return self.exact.nearest(tx, vector, limit=limit, among=among)
        indexed = self.exact.nearest_of(kept, vector, limit=limit)
        later = self.exact.nearest_from(self.index.count, vector, limit=limit)
        return sorted([*indexed, *later], key=lambda scored: (-scored[1], scored[0]))[:limit]

    def cosines(self, tx: Reader, vector: Matrix, ids: Ids) -> Matrix:
        """The cosines of a unit vector with those of the ids, NaN for one without a vector."""
        return self.exact.cosines(tx, vector, ids)


@dataclass(frozen=True)
class SqlVectors:
    """Nothing in memory: every query scans the file."""

    of: Embedded
    count: int = 0
    kind: str = "sql"
    note: str = ""

    def nearest(self, tx: Reader, vector: Matrix, *, limit: int, among: Ids | None = None) -> ScoredIds:
        """An exact scan."""
        blocks = [(ids, rows @ vector) for ids, rows in vector_blocks(tx, self.of, since=-1, among=among)]
        if not blocks:
            return []
        ids, cosines = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        return best(ids, cosines, limit, above=NO_COSINE)

    def cosines(self, tx: Reader, vector: Matrix, ids: Ids) -> Matrix:
        """The cosines of a unit vector with those of the ids, NaN for one without a vector."""
        known = dict(self.nearest(tx, vector, limit=len(ids), among=np.unique(ids)))
        return np.array([known.get(row_id, np.nan) for row_id in ids.tolist()], dtype=np.float32)


# The embeddings of active chunks or entities, as of one generation. `kind` says which kind of index answers: matrix,
# coded, codes, hnsw or sql; `note` why it is not the kind in the settings. `nearest` gives (id, cosine) of the nearest
# to a unit vector, best first, ties by the lower id; only of `among` if given.
Vectors = LoadedVectors | HnswVectors | SqlVectors


def build_vectors(tx: Reader, of: Embedded, kind: str, max_matrix: int) -> Vectors:
    """An index of the given kind.

    `auto` is a matrix, from CODED_FROM vectors on a matrix with codes, above `max_matrix` codes alone.
    """
    count = embedding_count(tx, of)
    if kind == "sql" or not count:
        return SqlVectors(of, count)
    max_rows = UNLIMITED
    if kind == "auto" and count > max_matrix:
        kind = "codes"
    elif kind == "auto" and count >= CODED_FROM:
        kind, max_rows = "coded", max_matrix
    elif kind == "auto":
        kind, max_rows = "matrix", min(max_matrix, CODED_FROM)
    elif kind == "hnsw" and count < HNSW_FROM:
        kind, max_rows = "matrix", HNSW_FROM
    ids, rows, codes = _load(tx, of, kind, since=-1)
    in_memory = "matrix" if kind == "hnsw" else kind
    loaded = LoadedVectors(of, in_memory, max_rows, ids, rows, codes, np.ones(len(ids), dtype=np.bool_))
    return HnswVectors(loaded, Hnsw(rows)) if kind == "hnsw" else loaded


def update_vectors(tx: Reader, old: Vectors, since: int) -> Vectors | None:
    """The index after the changes since a generation; None to rebuild."""
    if isinstance(old, HnswVectors):
        exact = update_vectors(tx, old.exact, since)
        is_kept = isinstance(exact, LoadedVectors) and len(exact.ids) - old.index.count <= MAX_STALE * len(exact.ids)
        return replace(old, exact=exact) if is_kept else None
    if not isinstance(old, LoadedVectors):
        return None
    retired = retired_ids(tx, "entity" if old.of == "entity" else "chunk", since=since)
    active = old.active & ~np.isin(old.ids, retired) if len(retired) else old.active
    if np.count_nonzero(active) < (1 - MAX_STALE) * len(active):
        return None
    ids, rows, codes = _load(tx, old.of, old.kind, since=since)
    if not len(ids):
        return replace(old, active=active)
    if len(old.ids) + len(ids) > old.max_rows or np.isin(ids, old.ids).any():
        return None
    return replace(
        old,
        ids=np.concatenate([old.ids, ids]),
        rows=_extended(old.rows, rows),
        codes=np.concatenate([old.codes, codes], axis=1),
        active=np.append(active, np.ones(len(ids), dtype=np.bool_)),
    )


def _products(rows: Matrix, positions: NDArray[np.intp], vector: Matrix) -> Matrix:
    """The products of some rows with a vector, a few rows at a time: a large copy would be paged in for every query."""
    found = np.empty(len(positions), dtype=np.float32)
    for start in range(0, len(positions), PRODUCT_BLOCK):
        block = slice(start, start + PRODUCT_BLOCK)
        np.dot(rows[positions[block]], vector, out=found[block])
    return found


def sign_codes(rows: Matrix) -> NDArray[np.uint64]:
    """The sign bits of vectors of shape (n, d), packed into words of shape (ceil(d / 64), n)."""
    missing = -rows.shape[1] % 64
    bits = np.packbits(np.pad(rows > 0, ((0, 0), (0, missing))), axis=1, bitorder="little")
    return np.ascontiguousarray(bits.view("<u8").T)


def _extended(rows: Matrix, new: Matrix) -> Matrix:
    """Rows and new rows as one matrix; spare rows at its end make the next extension a copy of the new rows only."""
    if not len(new):
        return rows
    base = rows.base
    needed = len(rows) + len(new)
    if isinstance(base, np.ndarray) and base.ndim == 2 and len(base) >= needed and base.dtype == np.float32:
        buffer: Matrix = base
    else:
        buffer = np.empty((needed * 5 // 4, new.shape[1]), np.float32)
        buffer[: len(rows)] = rows
    buffer[len(rows) : needed] = new
    return buffer[:needed]


def _load(tx: Reader, of: Embedded, kind: str, *, since: int) -> tuple[Ids, Matrix, NDArray[np.uint64]]:
    """Ids, rows and codes of the vectors recorded after a generation, as far as the kind has them."""
    if kind != "codes":
        ids, rows = vectors_since(tx, of, since=since)
        return ids, rows, sign_codes(rows if kind == "coded" else rows[:0])
    ids_read: list[Ids] = []
    codes: list[NDArray[np.uint64]] = []
    for ids, rows in vector_blocks(tx, of, since=since):
        ids_read.append(ids)
        codes.append(sign_codes(rows))
    if not codes:
        return np.empty(0, np.int64), np.empty((0, 0), np.float32), sign_codes(np.empty((0, 0), np.float32))
    return np.concatenate(ids_read), np.empty((0, 0), np.float32), np.concatenate(codes, axis=1)
