"""The types in use, as codes, for all entities at once."""

from dataclasses import dataclass

import numpy as np

from mcp_graphrag.model import Ids
from mcp_graphrag.store.transaction import Reader


@dataclass(frozen=True)
class TypeCodes:
    """The types in use, and of each entity, by ascending id, the place of its type among them."""

    types: tuple[str, ...]
    entity_ids: Ids
    codes: Ids

    def of(self, entity_ids: Ids) -> Ids:
        """The codes of entities; of one that is not in force that of no type, the number of types."""
        if not len(self.entity_ids):
            return np.zeros(len(entity_ids), dtype=np.int64)
        at = np.minimum(np.searchsorted(self.entity_ids, entity_ids), len(self.entity_ids) - 1)
        return np.where(self.entity_ids[at] == entity_ids, self.codes[at], len(self.types))

    def name(self, code: int) -> str:
        """The type of a code."""
        return self.types[code] if code < len(self.types) else ""


def type_codes(tx: Reader) -> TypeCodes:
    """The types of all entities in force."""
    types = tuple(str(row[0]) for row in tx.rows("types_in_use"))
    found = tx.columns("type_codes")
    return TypeCodes(types, np.asarray(found["id"], dtype=np.int64), np.asarray(found["code"], dtype=np.int64))
