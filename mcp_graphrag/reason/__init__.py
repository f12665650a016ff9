"""Reasoning over triples: paths, impact, claims and plans, each with supporting triples."""
