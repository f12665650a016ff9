"""Questions to hits: keyword, vector and fused search, entities by name, triples by pattern, neighbourhoods."""
