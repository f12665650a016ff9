"""Extraction by a language model: requests of several chunks, whose answers are validated item by item."""
