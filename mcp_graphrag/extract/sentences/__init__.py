"""What one sentence states: the clauses of its parse as triples, and what keeps it from asserting anything."""
