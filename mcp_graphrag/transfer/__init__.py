"""A graph taken away in the forms of other programs, and read from them."""
