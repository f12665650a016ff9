"""Names in a text: where they stand, and of which type each is by its form."""
