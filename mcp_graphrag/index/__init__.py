"""Derived rows and resident projections: everything here can be dropped and rebuilt from chunks and triples."""
