"""Rows of the file, one module per kind: added, found, updated, retired."""
