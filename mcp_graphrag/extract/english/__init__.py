"""Mentions and triples in English sentences."""
