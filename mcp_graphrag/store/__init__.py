"""The home of a graph, a DuckDB file or PostgreSQL: records and numpy arrays in and out.

The only package that imports DuckDB.
"""

from mcp_graphrag.store.engine.file import Store
from mcp_graphrag.store.engine.home import Home
from mcp_graphrag.store.engine.transaction import Reader, Writer

__all__ = ["Home", "Reader", "Store", "Writer"]
