"""Writes in one transaction each: triples, entities, removals, undo."""
