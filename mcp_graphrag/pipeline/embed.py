"""Vectors of what has none yet: names of new entities at once, everything else in background batches."""

from collections.abc import Callable, Sequence

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.embed.embedder import embed_patiently
from mcp_graphrag.model import Ids, Matrix, Origin
from mcp_graphrag.pipeline.pipeline import Pipeline, claim_embeddings
from mcp_graphrag.pipeline.texts import embedded_text
from mcp_graphrag.retrieve.entities import check_dimension
from mcp_graphrag.store import Reader, Writer
from mcp_graphrag.store.documents import chunks_by_id
from mcp_graphrag.store.embeddings import (
    Embedded,
    EmbedderMark,
    add_embeddings,
    copy_embeddings,
    embedded_alike,
    make_embeddings,
    pending_count,
    pending_embeddings,
)
from mcp_graphrag.store.entities import entity_heads

MOST_AT_ONCE = 10_000  # names whose embedding a caller waits for; more are left to the background
BATCH = 64


def embed_entities(tx: Writer, embedder: Embedder, fresh: Sequence[tuple[int, str]]) -> None:
    """Embed the names of new entities, (id, name) each, if that takes no time worth a wait."""
    if not fresh or not embedder.instant or len(fresh) > MOST_AT_ONCE:
        return
    claim_embeddings(tx, embedder)
    ids = np.array([entity_id for entity_id, _ in fresh], dtype=np.int64)
    add_embeddings(tx, "entity", ids, embedder.embed([name for _, name in fresh]))


def pending(pipeline: Pipeline) -> int:
    """How many chunks and entities wait for a vector."""
    with pipeline.reading() as tx:
        return pending_count(tx)


def embed_pending(
    pipeline: Pipeline, *, stop: Callable[[], bool] = lambda: False, progress: Callable[[int], None] = lambda _: None
) -> int:
    """Embed what has no vector yet, batch by batch, each in a transaction of its own; answers how many it embedded.

    Raises PartMissing where the embedder is not at hand, or answers another dimension than the file's vectors have;
    what was embedded until then stays.
    """
    done = 0
    batch = BATCH * 16 if pipeline.embedder.instant else BATCH
    for of in ("chunk", "entity"):
        while not stop():
            embedded = _embed_batch(pipeline, of, batch)
            if not embedded:
                break
            done += embedded
            progress(done)
    return done


def embed_afresh(pipeline: Pipeline) -> None:
    """Make empty tables for the pipeline's embedder, whatever embedder the file had before."""
    with pipeline.store.writing(Origin("reindex")) as tx:
        make_embeddings(tx, EmbedderMark(pipeline.embedder.name, pipeline.embedder.dimension))


def _embed_batch(pipeline: Pipeline, of: Embedded, batch: int) -> int:
    embedder = pipeline.embedder
    with pipeline.reading() as tx:
        ids = pending_embeddings(tx, of, limit=batch)
        # Of a changed document most chunks read as before. A static embedder is faster than a look.
        alike = {} if embedder.instant else embedded_alike(tx, of, ids)
        fresh = ids[~np.isin(ids, list(alike))]
        texts = _chunk_texts(tx, fresh) if of == "chunk" else _entity_names(tx, fresh)
    if not len(ids):
        return 0
    vectors = _each_text_once(embedder, texts)
    with pipeline.writing(Origin("embed")) as tx:
        claim_embeddings(tx, embedder)
        for vector in vectors[:1]:
            check_dimension(tx, embedder, vector)
        # Another process may have embedded or retired some of them meanwhile.
        waiting = set(pending_embeddings(tx, of).tolist())
        copy_embeddings(tx, of, {each: other for each, other in alike.items() if each in waiting})
        still = np.array([each in waiting for each in fresh.tolist()], dtype=np.bool_)
        add_embeddings(tx, of, fresh[still], vectors[still])
    return len(ids)


def _each_text_once(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    places = {text: at for at, text in enumerate(dict.fromkeys(texts))}
    if not places:
        return np.zeros((0, 0), dtype=np.float32)
    return embed_patiently(embedder, list(places))[[places[text] for text in texts]]


def _chunk_texts(tx: Reader, ids: Ids) -> list[str]:
    chunks = chunks_by_id(tx, ids)
    return [embedded_text(chunks[each].document.title, chunks[each]) for each in ids.tolist()]


def _entity_names(tx: Reader, ids: Ids) -> list[str]:
    entities = entity_heads(tx, ids.tolist())
    return [entities[each].name for each in ids.tolist()]
