"""The DuckDB file. The only package that imports DuckDB: records and numpy arrays in and out."""

from mcp_graphrag.store.engine.file import Store
from mcp_graphrag.store.engine.transaction import Reader, Writer

__all__ = ["Reader", "Store", "Writer"]
