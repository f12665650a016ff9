"""Candidates in, entities and triples out: which names are one thing, and what is stored of what is said."""
