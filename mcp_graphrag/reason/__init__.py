"""Questions to arguments: paths, impact, claims and plans, each with the triples that carry it."""
