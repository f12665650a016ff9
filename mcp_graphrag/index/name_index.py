"""Names in memory: normal form to entities, by hash, so that a million names take a few megabytes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.index.csr import positions_of, typed_columns
from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.entity_rows import alias_hashes, names_were_retired
from mcp_graphrag.store.rows.mention_rows import hash_norms

FIELDS = {"hashes": ("hash", np.uint64), "entity_ids": ("entity_id", np.int64), "is_alias": ("is_alias", np.bool_)}


@dataclass(frozen=True)
class Names:
    """Every active name: ascending hashes of normal forms, with the entity of each and whether it is an alias.

    Two forms with the same 64-bit hash are taken for one: less likely than one in ten million at a million names.
    """

    hashes: NDArray[np.uint64]
    entity_ids: Ids
    is_alias: NDArray[np.bool_]

    def entities_named(self, tx: Reader, norms: Sequence[str]) -> dict[str, list[tuple[int, bool]]]:
        """(entity id, whether only an alias) of the entities with each normal form that any has, own names first."""
        hashes = hash_norms(tx, norms)
        known = np.flatnonzero(positions_of(hashes, self.hashes) >= 0).tolist()
        return {norms[position]: self._entities_with(hashes[position]) for position in known}

    def _entities_with(self, wanted: np.uint64) -> list[tuple[int, bool]]:
        first, last = (int(np.searchsorted(self.hashes, wanted, side=side)) for side in ("left", "right"))
        found: dict[int, bool] = {}
        for entity_id, alias in zip(
            self.entity_ids[first:last].tolist(), self.is_alias[first:last].tolist(), strict=True
        ):
            found[entity_id] = found.get(entity_id, True) and alias
        return sorted(found.items(), key=lambda entity: (entity[1], entity[0]))


def build_names(tx: Reader) -> Names:
    """All active names."""
    return _sorted(alias_hashes(tx, since=-1))


def update_names(tx: Reader, old: Names, since: int) -> Names | None:
    """The names after the changes since a generation; None to rebuild."""
    if names_were_retired(tx, since=since):
        return None
    new = alias_hashes(tx, since=since)
    if not len(new["hash"]):
        return old
    return _sorted(
        {column: np.concatenate([getattr(old, field), new[column]]) for field, (column, _) in FIELDS.items()}
    )


def _sorted(rows: dict[str, NDArray[Any]]) -> Names:
    order = np.argsort(rows["hash"], kind="stable")
    return Names(**{field: column[order] for field, column in typed_columns(rows, FIELDS).items()})
