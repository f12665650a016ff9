"""Copies of the file: a backup, the way back from one, and a copy without what was retired long ago."""
