"""Personalised PageRank: how often a walker is where, who starts at the seeds and at each step goes on or starts anew.

With damping d, reset distribution s and transition matrix P, the scores solve x = (1 - d) s + d x P; from a node
without a way out the walker starts anew. Haveliwala, "Topic-Sensitive PageRank" (2002); forward push: Andersen, Chung
and Lang, "Local Graph Partitioning using PageRank Vectors" (2006), here for all nodes above the threshold at once.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mcp_graphrag.model import Ids

Mass = NDArray[np.float32]
# Of nodes (ascending) and what lies on each: the nodes that it goes to, repeats allowed, and how much goes to each.
Spread = Callable[[Ids, Mass], tuple[Ids, Mass]]

DAMPING = 0.5
MOST_ROUNDS = 100


def power_iteration(
    spread: Spread, seeds: Ids, weights: Mass, size: int, *, damping: float = DAMPING, tolerance: float = 1e-6
) -> Mass:
    """The scores of all nodes below `size`, which sum to 1; all zeros where the weights are.

    Ends when a round changes less than `tolerance` in all.
    """
    reset = _distribution(seeds, weights, size)
    total, moving = np.zeros(size, dtype=np.float32), reset
    for _ in range(MOST_ROUNDS):
        total += (1 - damping) * moving
        nodes = np.flatnonzero(moving)
        targets, amounts = spread(nodes, damping * moving[nodes])
        moving = np.bincount(targets, weights=amounts, minlength=size).astype(np.float32)
        if float(moving.sum()) < tolerance:
            break
    return _normalised(total)


def forward_push(
    spread: Spread,
    seeds: Ids,
    weights: Mass,
    degrees: Ids,
    *,
    damping: float = DAMPING,
    tolerance: float = 1e-6,
) -> Mass:
    """The same scores, near the seeds only: no node passes on less than `tolerance` for each of its links.

    `degrees` counts the links of every node. What was not passed on counts where it lies, so that each score is within
    `tolerance` times the links of the nodes around.
    """
    total = np.zeros(len(degrees), dtype=np.float32)
    waiting = _distribution(seeds, weights, len(degrees))
    active = np.flatnonzero(waiting)
    least = (tolerance * np.maximum(degrees, 1)).astype(np.float32)
    for _ in range(MOST_ROUNDS):
        if not len(active):
            break
        mass = waiting[active]
        waiting[active] = 0
        total[active] += (1 - damping) * mass
        targets, amounts = spread(active, damping * mass)
        np.add.at(waiting, targets, amounts)
        active = np.flatnonzero(waiting > least)
    return _normalised((total + (1 - damping) * waiting).astype(np.float32))


def _distribution(seeds: Ids, weights: Mass, size: int) -> Mass:
    return _normalised(np.bincount(seeds, weights=weights, minlength=size).astype(np.float32))


def _normalised(mass: Mass) -> Mass:
    total = float(mass.sum())
    return mass / total if total > 0 else mass
