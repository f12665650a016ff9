"""What is derived from chunks, dropped and built again."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mcp_graphrag.index.terms import term_frequencies
from mcp_graphrag.model import Origin
from mcp_graphrag.pipeline.embed import embed_afresh, embed_pending
from mcp_graphrag.pipeline.ingest import settle_entities
from mcp_graphrag.pipeline.pipeline import Pipeline
from mcp_graphrag.pipeline.texts import keyword_text
from mcp_graphrag.store.documents import chunks_by_id, searched_chunks
from mcp_graphrag.store.postings import add_postings, drop_postings
from mcp_graphrag.store.settle import unsettled

BATCH = 2_000


@dataclass(frozen=True)
class Reindexed:
    """How much was built again, and how many entities were pruned that nothing supports."""

    chunks: int
    embedded: int
    pruned: int


def reindex(pipeline: Pipeline, *, progress: Callable[[str, int], None] = lambda _what, _done: None) -> Reindexed:
    """Build postings and vectors again, the vectors with the pipeline's embedder whatever the file had before.

    What an interrupted update left is settled first: names of retired documents, entities that nothing supports.

    Postings are replaced in one transaction; vectors in batches, so that an interrupted run is finished by the next
    start, by `embed_pending`, without losing keyword search.
    """
    with pipeline.store.held():
        with pipeline.store.reading() as tx:
            left = unsettled(tx)
        pruned = settle_entities(pipeline, left, Origin("reindex"))
        chunks = _rebuild_postings(pipeline, progress)
        pipeline.embedder.embed(["ready?"])  # an embedder that is not at hand must not cost the old vectors
        embed_afresh(pipeline)
        embedded = embed_pending(pipeline, progress=lambda done: progress("embedding", done))
        pipeline.store.checkpoint()
    return Reindexed(chunks, embedded, pruned)


def _rebuild_postings(pipeline: Pipeline, progress: Callable[[str, int], None]) -> int:
    done = 0
    with pipeline.store.writing(Origin("reindex")) as tx:
        drop_postings(tx)
        ids = searched_chunks(tx)
        for at in range(0, len(ids), BATCH):
            batch = ids[at : at + BATCH]
            chunks = chunks_by_id(tx, batch)
            texts = [keyword_text(chunks[each].document.title, chunks[each]) for each in batch.tolist()]
            add_postings(tx, np.asarray(batch), [term_frequencies(text) for text in texts])
            done += len(batch)
            progress("indexing", done)
    return done
