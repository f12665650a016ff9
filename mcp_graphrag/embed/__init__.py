"""Text in, unit vectors out. Independent of the store."""

from mcp_graphrag.embed.embedder import (
    EMBEDDERS,
    Embedder,
    Embedders,
    RemoteEmbedder,
    embed_with_retries,
    make_embedders,
)
from mcp_graphrag.embed.endpoint import Endpoint

__all__ = ["EMBEDDERS", "Embedder", "Embedders", "Endpoint", "RemoteEmbedder", "embed_with_retries", "make_embedders"]
