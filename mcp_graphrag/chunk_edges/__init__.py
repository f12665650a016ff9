"""Edges between chunks: found in texts, added by callers, and walked."""
