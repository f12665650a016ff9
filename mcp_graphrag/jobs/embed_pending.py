"""Embedding of what has no vector yet, in batches: chunks by the model, and whatever lacks a static vector."""

from collections.abc import Callable, Sequence

import numpy as np

from mcp_graphrag.edit.index_text import embedded_text
from mcp_graphrag.embed import Embedder, RemoteEmbedder, embed_with_retries
from mcp_graphrag.model import Ids, Matrix, Origin
from mcp_graphrag.snapshot import GraphFile
from mcp_graphrag.store import Reader
from mcp_graphrag.store.rows.document_rows import chunks_by_id
from mcp_graphrag.store.rows.embedding_rows import (
    Embedded,
    add_embeddings,
    check_model,
    chunks_with_same_text,
    copy_embeddings,
    pending_embeddings,
    set_model,
    stored_model,
)
from mcp_graphrag.store.rows.entity_rows import entity_labels

MODEL_BATCH = 64
STATIC_BATCH = 1_024
LOCAL_BATCH = 8  # texts of a model of this machine, which may take a second on a busy one

Stop = Callable[[], bool]


def embed_pending(
    graph: GraphFile,
    *,
    by_model: bool = True,
    stop: Stop = lambda: False,
    progress: Callable[[int], None] = lambda _: None,
) -> int:
    """How many vectors were made: all that were missing, each batch in its own transaction.

    Without `by_model` only static ones. Where it is to `stop`, the batch in hand is given up.
    Raises PartMissing if the model is not available or its vectors have another dimension than those of the file,
    EmbedderMismatch if those of the file come from another model; the batches before stay.
    """
    done = 0
    rounds: list[tuple[Embedded, int]] = [("chunk", STATIC_BATCH), ("entity", STATIC_BATCH)]
    if by_model:
        rounds.append(("model", MODEL_BATCH))
    for of, batch in rounds:
        while not stop():
            embedded = _embed_batch(graph, of, batch, stop)
            if not embedded:
                break
            done += embedded
            progress(done)
    return done


def _embed_batch(graph: GraphFile, of: Embedded, batch: int, stop: Stop) -> int:
    with graph.reading() as snapshot:
        tx = snapshot.tx
        embedder = snapshot.model if of == "model" else graph.embedders.static
        if embedder is None or not len(ids := pending_embeddings(tx, of, limit=batch)):
            return 0
        if of == "model":
            check_model(tx, embedder.name)  # before a paid request
        # Most chunks of a changed document have the same text as before. Static vectors are made faster than found.
        alike = chunks_with_same_text(tx, ids) if of == "model" else {}
        fresh = ids[~np.isin(ids, list(alike))]
        texts = embedded_texts(tx, of, fresh)
    is_slow = of == "model" and not isinstance(embedder, RemoteEmbedder)
    vectors = _embed_distinct(embedder, texts, LOCAL_BATCH if is_slow else batch, stop)
    if vectors is None:
        return 0
    with graph.writing(Origin("embed")) as write:
        tx = write.tx
        # Another client may have stored text in other languages meanwhile, or vectors of the model for these.
        is_chosen = of != "model" or graph.snapshot_of(tx).model is embedder
        if is_chosen:
            if of == "model":
                check_model(tx, embedder.name, dimension=vectors.shape[1] if len(vectors) else None)
                if not stored_model(tx):
                    set_model(tx, embedder.name)
            # Another process may have embedded or retired some of them meanwhile.
            waiting = set(pending_embeddings(tx, of).tolist())
            copy_embeddings(tx, {row_id: other for row_id, other in alike.items() if row_id in waiting})
            kept = np.isin(fresh, list(waiting))
            add_embeddings(tx, of, fresh[kept], vectors[kept])
    return len(ids) if is_chosen else _embed_batch(graph, of, batch, stop)


def _embed_distinct(embedder: Embedder, texts: Sequence[str], size: int, stop: Stop) -> Matrix | None:
    """The vectors of the texts, `size` at a time, None where it is to stop; equal texts are embedded once."""
    places = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    distinct, parts = list(places), [np.zeros((0, 0), dtype=np.float32)]
    for start in range(0, len(distinct), size):
        if stop():
            return None
        parts.append(embed_with_retries(embedder, distinct[start : start + size]))
    return np.concatenate(parts[1:] or parts)[[places[text] for text in texts]]


def embedded_texts(tx: Reader, of: Embedded, ids: Ids) -> list[str]:
    """The texts whose vectors stored chunks or entities have."""
    if of == "entity":
        entities = entity_labels(tx, ids.tolist())
        return [entities[row_id].name for row_id in ids.tolist()]
    chunks = chunks_by_id(tx, ids)
    return [embedded_text(chunks[row_id].document.title, chunks[row_id]) for row_id in ids.tolist()]
