"""Positions in compressed sparse rows."""

import numpy as np

from mcp_graphrag.model import Ids


def concatenated_ranges(first: Ids, lengths: Ids) -> Ids:
    """The numbers first[i], first[i] + 1, …, lengths[i] of them, for each i in turn."""
    return np.repeat(first - (np.cumsum(lengths) - lengths), lengths) + np.arange(int(lengths.sum()))
