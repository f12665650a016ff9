"""Which names are the same entity, and which triples contradict each other."""
