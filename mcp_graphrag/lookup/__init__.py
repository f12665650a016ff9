"""Entities, triples, neighbourhoods and history by name or pattern."""
