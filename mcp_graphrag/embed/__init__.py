"""Text in, unit vectors out. Knows nothing of the store."""

from mcp_graphrag.embed.embedder import EMBEDDERS, Embedder, Endpoint, make_embedder

__all__ = ["EMBEDDERS", "Embedder", "Endpoint", "make_embedder"]
