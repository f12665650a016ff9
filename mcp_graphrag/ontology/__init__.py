"""Types and predicates: reading, validation, mapping of verbs, inference."""
