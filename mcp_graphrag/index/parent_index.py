"""The parents of chunks in memory: two columns of ids, empty if no chunk has children."""

from dataclasses import dataclass

import numpy as np

from mcp_graphrag.index.csr import positions_of
from mcp_graphrag.model import Ids
from mcp_graphrag.store.engine.transaction import Reader
from mcp_graphrag.store.rows.document_rows import chunk_parents


@dataclass(frozen=True)
class Parents:
    """The chunks with a parent: `child_ids` ascending, with their `parent_ids`."""

    child_ids: Ids
    parent_ids: Ids

    def __bool__(self) -> bool:
        """Whether any chunk has a parent."""
        return bool(len(self.child_ids))

    def of(self, chunk_ids: Ids) -> Ids:
        """The parent of each chunk, or the chunk itself if it has none."""
        found, at = chunk_ids.copy(), positions_of(chunk_ids, self.child_ids)
        found[at >= 0] = self.parent_ids[at[at >= 0]]
        return found


def build_parents(tx: Reader) -> Parents:
    """The parents of all active chunks."""
    return Parents(*chunk_parents(tx, since=-1))


def update_parents(tx: Reader, old: Parents, since: int) -> Parents | None:
    """The parents after the changes since a generation; None to rebuild. Retired chunks keep their parent."""
    child_ids, parent_ids = chunk_parents(tx, since=since)
    if len(child_ids) and old and child_ids[0] <= old.child_ids[-1]:
        return None
    return Parents(np.concatenate([old.child_ids, child_ids]), np.concatenate([old.parent_ids, parent_ids]))
