"""Compressed sparse rows, sorted ids, columns and the best of many scores, as the indexes have them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids

MAX_OVERLAY = 5_000


def max_overlay(size: int) -> int:
    """How many changes are kept beside this many rows before they are all built anew: few enough to be searched."""
    return max(MAX_OVERLAY, size // 50)


@dataclass(frozen=True)
class Adjacency:
    """Compressed sparse rows: the slots of number n are slots[starts[n]:starts[n + 1]]."""

    starts: Ids
    slots: Ids

    def around(self, numbers: Ids, ends: Ids) -> Ids:
        """The slots of numbers, number by number, then the slots of the overlay, those behind the rows, with one.

        `ends` has the number of every slot.
        """
        found = self.slots[slots_around(self.starts, numbers)[1]]
        base = len(self.slots)
        if base == len(ends):
            return found
        return np.concatenate([found, np.flatnonzero(np.isin(ends[base:], numbers)) + base])

    def count(self, numbers: Ids) -> int:
        """How many slots numbers have, without those of the overlay."""
        known = numbers[numbers < len(self.starts) - 1]
        return int((self.starts[known + 1] - self.starts[known]).sum())


def adjacency(ends: Ids, size: int = 0) -> Adjacency:
    """The slots of each number below `size`, and of those that occur; `ends` has the number of every slot."""
    # Numbers of one type are sorted by vector instructions: ten times faster than a stable order of the ends.
    return Adjacency(row_starts(ends, size), np.sort(ends << 32 | np.arange(len(ends))) & 0xFFFF_FFFF)


def row_starts(ends: Ids, size: int = 0) -> Ids:
    """Where the row of each number starts if the rows of `ends` are sorted by number."""
    return np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=size)))).astype(np.int64)


def slots_around(starts: Ids, numbers: Ids) -> tuple[Ids, Ids]:
    """(position in `numbers`, slot) of every slot of the numbers that have a row."""
    positions = np.flatnonzero(numbers < len(starts) - 1)
    first = starts[numbers[positions]]
    lengths = starts[numbers[positions] + 1] - first
    return np.repeat(positions, lengths), concatenated_ranges(first, lengths)


def concatenated_ranges(first: Ids, lengths: Ids) -> Ids:
    """The numbers first[i], first[i] + 1, …, lengths[i] of them, for each i in turn."""
    return np.repeat(first - (np.cumsum(lengths) - lengths), lengths) + np.arange(int(lengths.sum()))


def typed_columns(rows: Mapping[str, NDArray[Any]], fields: Mapping[str, tuple[str, type]]) -> dict[str, NDArray[Any]]:
    """The columns of `rows` by field; `fields` has the name of the column and the type of its numbers."""
    return {field: np.asarray(rows[column], dtype=kind) for field, (column, kind) in fields.items()}


def microseconds(moment: datetime) -> int:
    """A moment, naive UTC, as a number in a column: microseconds since 1970."""
    return int(np.datetime64(moment, "us").astype(np.int64))


def with_room(column: NDArray[Any]) -> NDArray[Any]:
    """A copy of a column at the start of a buffer with room for an overlay, which `appended` fills."""
    buffer = np.empty(len(column) + max_overlay(len(column)), column.dtype)
    buffer[: len(column)] = column
    return buffer[: len(column)]


def appended(column: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """The column with more rows behind: in its own buffer, where that has room, so that none of the others is copied.

    Only to the newest version of a column: older ones end before, and so keep their rows.
    """
    buffer, length = _buffer(column), len(column) + len(rows)
    if len(buffer) < length:
        return with_room(np.concatenate([column, rows]))
    buffer[len(column) : length] = rows
    return buffer[:length]


def with_values(column: NDArray[Any], slots: Ids, values: NDArray[Any]) -> NDArray[Any]:
    """The column with other values in some slots, in a copy with the same room; itself where it has them already."""
    if np.array_equal(column[slots], values):
        return column
    copy = _buffer(column).copy()
    copy[slots] = values
    return copy[: len(column)]


def _buffer(column: NDArray[Any]) -> NDArray[Any]:
    """What the column is the start of, or itself."""
    base = column.base
    is_start = isinstance(base, np.ndarray) and (base.ndim, base.dtype, base.ctypes.data) == (
        *(1, column.dtype, column.ctypes.data),
    )
    return cast("NDArray[Any]", base) if is_start else column


def mark_slots(
    rows: Mapping[str, NDArray[Any]], ids: Ids, active: NDArray[np.bool_], base: Adjacency
) -> tuple[Ids, NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]] | None:
    """(slots of changed rows that have one, which rows these are, which rows are new, active slots after the change).

    `rows` has columns id and retired, `ids` the id of every slot, ascending but for those of the overlay. None if the
    overlay would become too large to be searched quickly.
    """
    size, overlay = len(base.slots), ids[len(base.slots) :]
    added = positions_of(rows["id"], overlay, np.argsort(overlay, kind="stable"))  # restored rows come after newer ids
    at = np.where(added >= 0, added + size, positions_of(rows["id"], ids[:size]))
    known, retired = at >= 0, np.asarray(rows["retired"], dtype=np.bool_)
    new = ~retired & ~known
    if len(overlay) + int(new.sum()) > max_overlay(size):
        return None
    return at[known], known, new, with_values(active, at[known], ~retired[known])


def best(ids: Ids, scores: NDArray[np.float32], limit: int, *, above: float = 0.0) -> list[tuple[int, float]]:
    """(id, score) of the highest scores above a bound, best first, ties by the lower id."""
    kept = np.flatnonzero(scores > above)  # first: numpy partitions arrays of mostly equal values slowly
    if len(kept) > limit:
        found = scores[kept]
        kept = kept[found >= np.partition(found, len(found) - limit)[len(found) - limit]]
    order = np.lexsort((ids[kept], -scores[kept]))[:limit]
    return [(int(ids[at]), float(scores[at])) for at in kept[order]]


def positions_of(wanted: NDArray[Any], ids: NDArray[Any], order: Ids | None = None) -> Ids:
    """The position of each wanted id in `ids`, -1 for one that is not there; `order` sorts ids that do not ascend."""
    if not len(ids):
        return np.full(len(wanted), -1, dtype=np.int64)
    at = np.minimum(np.searchsorted(ids, wanted, sorter=order), len(ids) - 1)
    at = at if order is None else order[at]
    return np.where(ids[at] == wanted, at, -1)
