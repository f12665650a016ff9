"""Personalised PageRank: where a random walk with restart spends its time that starts at the seeds.

With damping d, reset distribution s and transition matrix P, the scores solve x = (1 - d) s + d x P; from a node
without links the walk restarts. Haveliwala, "Topic-Sensitive PageRank" (2002); forward push: Andersen, Chung
and Lang, "Local Graph Partitioning using PageRank Vectors" (2006), here for all nodes above the threshold at once.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids

Mass = NDArray[np.float32]
# One step of the mass on ascending nodes: the nodes that it moves to, with repeats, and how much moves to each.
Spread = Callable[[Ids, Mass], tuple[Ids, Mass]]

DAMPING = 0.5
MAX_ROUNDS = 100


def power_iteration(
    spread: Spread, seeds: Ids, weights: Mass, size: int, *, damping: float = DAMPING, tolerance: float = 1e-6
) -> Mass:
    """The scores of all nodes below `size`, which sum to 1; zeros if all weights are zero.

    Stops when a round moves less than `tolerance` in total.
    """
    reset = _distribution(seeds, weights, size)
    total, moving = np.zeros(size, dtype=np.float32), reset
    for _ in range(MAX_ROUNDS):
        total += (1 - damping) * moving
        nodes = np.flatnonzero(moving)
        targets, amounts = spread(nodes, damping * moving[nodes])
        moving = np.bincount(targets, weights=amounts, minlength=size).astype(np.float32)
        if float(moving.sum()) < tolerance:
            break
    return _normalized(total)


def forward_push(
    spread: Spread,
    seeds: Ids,
    weights: Mass,
    degrees: Ids,
    *,
    damping: float = DAMPING,
    tolerance: float = 1e-6,
) -> Mass:
    """The same scores, near the seeds only: a node passes on no less than `tolerance` per link.

    `degrees` counts the links of every node. Mass that is not passed on counts at its node, so each score is within
    `tolerance` times the links of the neighbours.
    """
    total = np.zeros(len(degrees), dtype=np.float32)
    waiting = _distribution(seeds, weights, len(degrees))
    active = np.flatnonzero(waiting)
    threshold = (tolerance * np.maximum(degrees, 1)).astype(np.float32)
    for _ in range(MAX_ROUNDS):
        if not len(active):
            break
        mass = waiting[active]
        waiting[active] = 0
        total[active] += (1 - damping) * mass
        targets, amounts = spread(active, damping * mass)
        np.add.at(waiting, targets, amounts)
        active = np.flatnonzero(waiting > threshold)
    return _normalized((total + (1 - damping) * waiting).astype(np.float32))


def _distribution(seeds: Ids, weights: Mass, size: int) -> Mass:
    return _normalized(np.bincount(seeds, weights=weights, minlength=size).astype(np.float32))


def _normalized(mass: Mass) -> Mass:
    total = float(mass.sum())
    return mass / total if total > 0 else mass
