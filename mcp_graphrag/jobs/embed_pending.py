"""Embedding of the chunks and entities that have no vector yet, in batches."""

from collections.abc import Callable, Sequence

import numpy as np

from mcp_graphrag.edit.index_text import claim_embeddings, embedded_text
from mcp_graphrag.embed import Embedder, embed_with_retries
from mcp_graphrag.lookup.find_entities import check_dimension
from mcp_graphrag.model import Ids, Matrix, Origin
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.embedding_rows import (
    Embedded,
    add_embeddings,
    copy_embeddings,
    embedded_with_same_text,
    pending_embeddings,
)
from mcp_graphrag.store.rows.entity_rows import entity_labels

BATCH = 64


def embed_pending(
    graph: GraphFile, *, stop: Callable[[], bool] = lambda: False, progress: Callable[[int], None] = lambda _: None
) -> int:
    """How many chunks and entities were embedded: all that had no vector, each batch in its own transaction.

    Raises PartMissing if the embedder is not available, or its vectors have another dimension than those of the file;
    the batches before stay.
    """
    done = 0
    batch = BATCH * 16 if graph.embedder.fast else BATCH
    for of in ("chunk", "entity"):
        while not stop():
            embedded = _embed_batch(graph, of, batch)
            if not embedded:
                break
            done += embedded
            progress(done)
    return done


def _embed_batch(graph: GraphFile, of: Embedded, batch: int) -> int:
    embedder = graph.embedder
    with graph.reading() as snapshot:
        tx = snapshot.tx
        ids = pending_embeddings(tx, of, limit=batch)
        # Most chunks of a changed document have the same text as before. A static embedder is faster than the search.
        alike = {} if embedder.fast else embedded_with_same_text(tx, of, ids)
        fresh = ids[~np.isin(ids, list(alike))]
        texts = _texts(tx, of, fresh)
    if not len(ids):
        return 0
    vectors = _embed_distinct(embedder, texts)
    with graph.writing(Origin("embed")) as write:
        tx = write.tx
        claim_embeddings(tx, embedder)
        for vector in vectors[:1]:
            check_dimension(tx, embedder, vector)
        # Another process may have embedded or retired some of them meanwhile.
        waiting = set(pending_embeddings(tx, of).tolist())
        copy_embeddings(tx, of, {row_id: other for row_id, other in alike.items() if row_id in waiting})
        kept = np.isin(fresh, list(waiting))
        add_embeddings(tx, of, fresh[kept], vectors[kept])
    return len(ids)


def _embed_distinct(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    """The vectors of the texts; equal texts are embedded once."""
    places = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    if not places:
        return np.zeros((0, 0), dtype=np.float32)
    return embed_with_retries(embedder, list(places))[[places[text] for text in texts]]


def _texts(tx: Reader, of: Embedded, ids: Ids) -> list[str]:
    if of == "entity":
        entities = entity_labels(tx, ids.tolist())
        return [entities[row_id].name for row_id in ids.tolist()]
    chunks = chunks_by_id(tx, ids)
    return [embedded_text(chunks[row_id].document.title, chunks[row_id]) for row_id in ids.tolist()]
