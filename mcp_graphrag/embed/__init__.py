"""Text in, unit vectors out. Independent of the store."""

from mcp_graphrag.embed.embedder import EMBEDDERS, Embedder, embed_with_retries, make_embedder
from mcp_graphrag.embed.endpoint import Endpoint

__all__ = ["EMBEDDERS", "Embedder", "Endpoint", "embed_with_retries", "make_embedder"]
