"""Places in compressed rows."""

import numpy as np

from mcp_graphrag.model import Ids


def places_of_runs(first: Ids, lengths: Ids) -> Ids:
    """The places of runs, one behind the other: first[i], first[i] + 1, … lengths[i] of them, for each i."""
    return np.repeat(first - (np.cumsum(lengths) - lengths), lengths) + np.arange(int(lengths.sum()))
