"""Triples of source code: what imports, contains, calls, extends, implements, decorates and tests what."""
