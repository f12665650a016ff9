"""Folders that are kept in step with the graph."""
