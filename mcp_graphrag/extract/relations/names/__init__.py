"""Which name a noun stands for, and whether a name is whole."""
