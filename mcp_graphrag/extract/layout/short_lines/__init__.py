"""Readers of single short lines: states, labels without a colon, sign-offs and entries of changelogs."""
