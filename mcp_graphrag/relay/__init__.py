"""Several processes on one file: one of them owns it, the others pass their requests on to it.

Nothing here imports the MCP SDK or DuckDB, so that a process that only passes requests on starts at once.
"""
