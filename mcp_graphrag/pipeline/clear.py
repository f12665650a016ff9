"""Everything removed, for good."""

from dataclasses import replace

from mcp_graphrag.index.resident import forget
from mcp_graphrag.model import Counts, Origin
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.store.communities import drop_communities
from mcp_graphrag.store.jobs import counts
from mcp_graphrag.store.triples import clear as clear_rows


def clear(pipeline: Pipeline, origin: Origin, *, documents: bool) -> Counts:
    """What was removed: every triple and entity, and with `documents` those too. None of it can be looked back at."""
    with pipeline.store.writing(replace(origin, tool="clear")) as tx:
        before = counts(tx)
        clear_rows(tx, documents=documents)
        drop_communities(tx)
    forget(pipeline.store)
    pipeline.store.checkpoint()
    return before if documents else Counts(entities=before.entities, triples=before.triples)
