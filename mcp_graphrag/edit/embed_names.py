"""Embedding while a caller waits, if the embedder is fast enough."""

from collections.abc import Sequence

import numpy as np

from mcp_graphrag.embed import Embedder
from mcp_graphrag.model import Matrix
from mcp_graphrag.store import Writer
from mcp_graphrag.store.rows.embedding_rows import (
    StoredEmbedder,
    add_embeddings,
    create_embedding_tables,
    stored_embedder,
)

MAX_AT_ONCE = 10_000  # names; more are left to the background


def claim_embeddings(tx: Writer, embedder: Embedder) -> None:
    """Create the vector tables of the file for this embedder, if there are none."""
    if stored_embedder(tx) is None:
        create_embedding_tables(tx, StoredEmbedder(embedder.name, embedder.dimension))


def embed_entities(tx: Writer, embedder: Embedder, fresh: Sequence[tuple[int, str]]) -> None:
    """Embed the names of new entities, given as (id, name), if the embedder is fast and there are not too many."""
    if not fresh or not embedder.fast or len(fresh) > MAX_AT_ONCE:
        return
    claim_embeddings(tx, embedder)
    ids = np.array([entity_id for entity_id, _ in fresh], dtype=np.int64)
    add_embeddings(tx, "entity", ids, embedder.embed([name for _, name in fresh]))


def embed_now(embedder: Embedder, texts: Sequence[str]) -> Matrix | None:
    """The vectors of the texts; None if the embedder is too slow to wait for: then the background embeds them."""
    return embedder.embed(texts) if embedder.fast else None
