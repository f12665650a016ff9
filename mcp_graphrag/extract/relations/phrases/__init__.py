"""Triples of which one end is said in words and has no name: `keactrl` controls "the startup of the servers"."""
