"""Rows by key in memory, sorted once: what changes later is kept beside them, so that a change copies none of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import max_overlay

Row = tuple[Any, ...]
Keyed = Iterable[tuple[int, Row]]  # rows with their keys


@dataclass(frozen=True)
class KeyedRows:
    """Rows, one tuple of numbers each. `keys` ascend, with those of one key in order; `columns` have their values.

    `changed` has all present rows, in order, of each key of which some came or went since.
    """

    keys: NDArray[Any]
    columns: Sequence[NDArray[Any]]
    changed: Mapping[int, Sequence[Row]] = field(default_factory=dict[int, Sequence[Row]])

    def of(self, keys: Sequence[int]) -> list[Sequence[Row]]:
        """The rows of each key, in order."""
        wanted = np.array(keys, dtype=self.keys.dtype)
        firsts, lasts = (np.searchsorted(self.keys, wanted, side).tolist() for side in ("left", "right"))
        return [
            self.changed[key]
            if key in self.changed
            else list(zip(*(column[first:last].tolist() for column in self.columns), strict=True))
            for key, first, last in zip(keys, firsts, lasts, strict=True)
        ]

    def after(self, removed: Keyed, added: Keyed) -> "KeyedRows | None":
        """The rows without those removed, one for each that is there, and with those added; None if too many changed.

        Takes time by the rows that have changed since the others were sorted, whatever the number of these.
        """
        removed, added = list(removed), list(added)
        keys = list(dict.fromkeys(key for key, _ in (*removed, *added)))
        if len(self.changed) + len(keys) > max_overlay(len(self.keys)):
            return None
        rows = {key: list(found) for key, found in zip(keys, self.of(keys), strict=True)}
        for key, row in removed:
            if row in rows[key]:
                rows[key].remove(row)
        for key, row in added:
            rows[key].append(row)
        return replace(self, changed={**self.changed, **{key: sorted(found) for key, found in rows.items()}})


def sorted_rows(keys: NDArray[Any], columns: Sequence[NDArray[Any]]) -> KeyedRows:
    """The rows by key, those of one key by their values."""
    order = np.lexsort((*reversed(columns), keys))
    return KeyedRows(keys[order], [column[order] for column in columns])


def keyed(rows: Mapping[str, NDArray[Any]], key: str, columns: Sequence[str]) -> list[tuple[int, Row]]:
    """Rows with their keys, from columns by name."""
    return list(zip(rows[key].tolist(), zip(*(rows[name].tolist() for name in columns), strict=True), strict=True))
