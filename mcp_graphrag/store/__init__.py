"""The DuckDB file. The only room that knows DuckDB: records and numpy arrays in and out."""

from mcp_graphrag.store.file import Store
from mcp_graphrag.store.transaction import Reader, Writer

__all__ = ["Reader", "Store", "Writer"]
