"""Communities of entities: detected, summarized, ranked."""
