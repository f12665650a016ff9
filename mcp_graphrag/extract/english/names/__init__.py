"""The names in a text: proper names, names of persons, names known from elsewhere."""
