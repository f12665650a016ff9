"""Whether a file holds what it should: its tables against each other, and what is derived against the tables."""
