"""The best of many scores."""

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids


def best(ids: Ids, scores: NDArray[np.float32], limit: int, *, above: float = 0.0) -> list[tuple[int, float]]:
    """(id, score) of the highest scores above a bound, best first, ties by the lower id."""
    kept = np.flatnonzero(scores > above)  # first: numpy partitions arrays of mostly equal values slowly
    if len(kept) > limit:
        found = scores[kept]
        kept = kept[found >= np.partition(found, len(found) - limit)[len(found) - limit]]
    order = np.lexsort((ids[kept], -scores[kept]))[:limit]
    return [(int(ids[at]), float(scores[at])) for at in kept[order]]
