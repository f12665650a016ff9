"""Rebuild of postings and vectors from the chunks, and of the normal forms of names.

Reindexing is how a file gets another embedder, so nothing here checks which embedder its vectors are from.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mcp_graphrag.edit.index_text import keyword_text
from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.index.tokenize import term_frequencies
from mcp_graphrag.jobs.embed_pending import embed_pending
from mcp_graphrag.model import Origin
from mcp_graphrag.ontology.active_ontologies import active_ontology
from mcp_graphrag.resolve.reconcile_names import reconcile_entities
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store.changes.reconcile import entities_to_reconcile
from mcp_graphrag.store.rows.document_rows import chunks_by_id, searched_chunks
from mcp_graphrag.store.rows.embedding_rows import StoredEmbedder, create_embedding_tables
from mcp_graphrag.store.rows.entity_rows import rebuild_normal_forms
from mcp_graphrag.store.rows.posting_rows import add_postings, delete_postings

BATCH = 2_000


@dataclass(frozen=True)
class Reindexed:
    """How many chunks were indexed and embedded, and how many entities were retired because nothing supports them."""

    chunks: int
    embedded: int
    pruned: int


def reindex(graph: GraphFile, *, progress: Callable[[str, int], None]) -> Reindexed:
    """Rebuild normal forms, postings and vectors, with the current embedder, whichever embedder the file had before.

    Interrupted updates are finished first: names from retired documents, entities that nothing supports.

    Postings are replaced in one transaction, vectors in batches: after an interruption keyword search still works, and
    the next start or `embed_pending` makes the missing vectors.
    """
    with graph.store.held():
        with graph.store.writing(Origin("reindex")) as tx:
            rebuild_normal_forms(tx, normal_form)
        pruned = _finish_updates(graph)
        chunks = _rebuild_postings(graph, progress)
        graph.embedder.embed(["ready?"])  # fails before the old vectors are dropped
        with graph.store.writing(Origin("reindex")) as tx:
            create_embedding_tables(tx, StoredEmbedder(graph.embedder.name, graph.embedder.dimension))
        embedded = embed_pending(graph, progress=lambda done: progress("embedding", done))
        graph.store.checkpoint()
    return Reindexed(chunks, embedded, pruned)


def _finish_updates(graph: GraphFile) -> int:
    """How many entities of replaced documents were retired because nothing supports them."""
    with graph.store.reading() as tx:
        entity_ids = entities_to_reconcile(tx)
    if not entity_ids:
        return 0
    with graph.store.writing(Origin("reindex")) as tx:
        return reconcile_entities(tx, active_ontology(tx, graph.settings.ontology), entity_ids)


def _rebuild_postings(graph: GraphFile, progress: Callable[[str, int], None]) -> int:
    done = 0
    with graph.store.writing(Origin("reindex")) as tx:
        delete_postings(tx)
        ids = searched_chunks(tx)
        for at in range(0, len(ids), BATCH):
            batch = ids[at : at + BATCH]
            chunks = chunks_by_id(tx, batch)
            texts = [keyword_text(chunks[chunk_id].document.title, chunks[chunk_id]) for chunk_id in batch.tolist()]
            add_postings(tx, np.asarray(batch), [term_frequencies(text) for text in texts])
            done += len(batch)
            progress("indexing", done)
    return done
