"""What the stored text says against triples: denials, events that ended them, later holders, and sentences to read."""
