"""Indexes in memory: projections of the file that can always be rebuilt."""
