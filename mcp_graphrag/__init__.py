"""A knowledge graph in one DuckDB file, for any agent."""

__version__ = "0.1.0"
