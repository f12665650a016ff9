"""What nouns beside names and behind "is a" say of them."""
