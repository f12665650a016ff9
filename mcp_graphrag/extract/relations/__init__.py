"""Triples by grammar: a relation needs a verb or a noun that relates two names in the dependency tree of a sentence."""
