"""Triples whose object is said in words and has no name: `keactrl` controls "the startup of the servers"."""
