"""Removal of the whole graph, for good.

After the commit the caller should call `Store.checkpoint`, so that nothing of it is left in the write-ahead log.
"""

from dataclasses import replace

from mcp_graphrag.model import Counts
from mcp_graphrag.store import Writer
from mcp_graphrag.store.rows.community_rows import delete_communities
from mcp_graphrag.store.rows.job_rows import counts
from mcp_graphrag.store.rows.triple_rows import clear as clear_rows


def clear(tx: Writer, *, documents: bool) -> Counts:
    """How much was removed: every triple and entity and, with `documents`, every document and the history.

    Works whatever embedder the file's vectors come from.
    """
    tx.origin = replace(tx.origin, tool="clear")  # the change log knows by this name that it cannot be undone
    before = counts(tx)
    clear_rows(tx, documents=documents)
    delete_communities(tx)
    return before if documents else Counts(entities=before.entities, triples=before.triples)
