"""The types of all entities as codes: numbers for arrays."""

from dataclasses import dataclass

import numpy as np

from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.transaction import Reader


@dataclass(frozen=True)
class TypeCodes:
    """The types in use, and for each entity, by ascending id, the position of its type among them."""

    types: tuple[str, ...]
    entity_ids: Ids
    codes: Ids

    def of(self, entity_ids: Ids) -> Ids:
        """The codes of entities; for one that is not active the number of types, which stands for no type."""
        if not len(self.entity_ids):
            return np.zeros(len(entity_ids), dtype=np.int64)
        at = np.minimum(np.searchsorted(self.entity_ids, entity_ids), len(self.entity_ids) - 1)
        return np.where(self.entity_ids[at] == entity_ids, self.codes[at], len(self.types))

    def name(self, code: int) -> str:
        """The type with a code."""
        return self.types[code] if code < len(self.types) else ""


def type_codes(tx: Reader) -> TypeCodes:
    """The types of all active entities."""
    types = tuple(str(row[0]) for row in tx.rows("types_in_use"))
    columns = tx.columns("type_codes")
    return TypeCodes(types, np.asarray(columns["id"], dtype=np.int64), np.asarray(columns["code"], dtype=np.int64))
