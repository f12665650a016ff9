"""Questions in plain words: read as a whole, and answered by the relations that they ask for."""
