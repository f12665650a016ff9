"""Claims and stored sentences compared by their grammar: the same verb with the same names and nouns around it."""
