"""Clauses of claims and sentences: parsed, and compared word by word."""
