"""Data files: rows and values to blocks, each with its header or path."""
