"""The resident way from a chunk to its parent: two columns of ids, empty where nothing was chunked with children."""

from dataclasses import dataclass

import numpy as np

from mcp_graphrag.model import Ids
from mcp_graphrag.store.documents import chunk_parents
from mcp_graphrag.store.transaction import Reader


@dataclass(frozen=True)
class Parents:
    """Chunks that have a parent: `child_ids` ascending, beside them `parent_ids`."""

    child_ids: Ids
    parent_ids: Ids

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(len(self.child_ids))

    def of(self, chunk_ids: Ids) -> Ids:
        """The parent of each chunk, the chunk itself where it has none."""
        if not self:
            return chunk_ids
        at = np.minimum(np.searchsorted(self.child_ids, chunk_ids), len(self.child_ids) - 1)
        return np.where(self.child_ids[at] == chunk_ids, self.parent_ids[at], chunk_ids)


def build_parents(tx: Reader) -> Parents:
    """The parents of all chunks in force."""
    return Parents(*chunk_parents(tx, since=-1))


def update_parents(tx: Reader, old: Parents, since: int) -> Parents | None:
    """The parents after the changes since a generation; a chunk keeps its parent, so that retired ones may stay."""
    child_ids, parent_ids = chunk_parents(tx, since=since)
    if len(child_ids) and old and child_ids[0] <= old.child_ids[-1]:
        return None
    return Parents(np.concatenate([old.child_ids, child_ids]), np.concatenate([old.parent_ids, parent_ids]))
