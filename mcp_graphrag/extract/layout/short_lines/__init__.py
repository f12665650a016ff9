"""Readers of single short lines: states, labels without a colon, signatures and entries of changelogs."""
