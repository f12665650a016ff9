"""Rebuild of postings and vectors from the chunks, and of the normal forms of names.

Reindexing is how a file gets another model.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mcp_graphrag.edit.index_text import chunk_terms
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.jobs.embed_pending import embed_pending
from mcp_graphrag.lookup.describe_graph import embedders_in_words
from mcp_graphrag.model import Origin
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.rows.document_rows import chunks_by_id, is_mostly_english, searched_chunks, tell_languages
from mcp_graphrag.store.rows.embedding_rows import delete_embeddings, pending_count, set_model, stored_model
from mcp_graphrag.store.rows.entity_rows import rebuild_normal_forms
from mcp_graphrag.store.rows.posting_rows import add_postings, delete_postings

BATCH = 2_000
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Reindexed:
    """How many chunks were indexed, and how many vectors made and by what."""

    chunks: int
    embedded: int
    embedder: str


def reindex(graph: GraphFile, *, progress: Progress) -> Reindexed:
    """Rebuild names, languages, postings and vectors, by the model of the settings, whichever the file had before.

    With the setting auto the languages of the documents choose it; the model for all languages stays.

    Postings are replaced in one transaction, vectors in batches: after an interruption keyword search still works, and
    the next start or `embed_pending` makes the missing vectors.
    """
    with graph.store.held():
        with graph.store.writing(Origin("reindex")) as tx:
            rebuild_normal_forms(tx, normal_form)
            _ = tell_languages(tx)
            stored = stored_model(tx)
            kept = stored if stored == graph.embedders.multilingual_name else ""
            model = graph.embedders.model_of(kept, is_english=is_mostly_english(tx))
        chunks = rebuild_postings(graph, progress)
        if model:
            model.embed(["ready?"])  # fails before the old vectors are dropped
        with graph.store.writing(Origin("reindex")) as tx:
            delete_embeddings(tx, "chunk")
            delete_embeddings(tx, "entity")
            set_model(tx, model.name if model and chunks else "")
            embedder = embedders_in_words(graph.snapshot_of(tx))
        with graph.reading() as snapshot:
            waiting = pending_count(snapshot.tx, by_model=model is not None)
        embedded = embed_pending(graph, progress=lambda done: progress(done, waiting, "Embedding"))
        graph.store.checkpoint()
    return Reindexed(chunks, embedded, embedder)


def rebuild_postings(graph: GraphFile, progress: Progress = lambda _done, _total, _what: None) -> int:
    """How many chunks were indexed: all that are searched, in one transaction."""
    done = 0
    with graph.store.writing(Origin("reindex")) as tx:
        delete_postings(tx)
        ids = searched_chunks(tx)
        for at in range(0, len(ids), BATCH):
            batch = ids[at : at + BATCH]
            chunks = chunks_by_id(tx, batch)
            each = [(chunks[chunk_id].document, chunks[chunk_id]) for chunk_id in batch.tolist()]
            terms = [chunk_terms(one.title, chunk, one.language) for one, chunk in each]
            add_postings(tx, np.asarray(batch), terms)
            done += len(batch)
            progress(done, len(ids), "Indexing")
    return done
