"""Where the nodes of a picture stand: a force-directed layout in numpy.

The forces are those of Fruchterman and Reingold (Software: Practice and Experience 21(11), 1991). In a large graph each
node is repelled by a sample of the others, anew in each round (Gove, Computer Graphics Forum 38(3), 2019).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
LENGTH = 100.0  # of an edge, while the forces are at work
SPACE = 85.0  # pixels from a node to the next, on average
ROUNDS = 150
FEW = 350  # nodes, each of which is repelled by all others
SAMPLE = 40
GRAVITY = 0.06
GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))


def lay_out(
    count: int, edges: Sequence[Sequence[int]], placed: Sequence[Sequence[float] | None] = (), *, room: float = 1.0
) -> Points:
    """The places of `count` nodes in pixels, of shape (count, 2): the same for the same input.

    `edges` are pairs of nodes. A node that is `placed` stays there; the others come near those that they are linked
    to. `room` stretches the distances.
    """
    if not count:
        return np.zeros((0, 2))
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    at, fixed = _start(count, ends, placed)
    rng = np.random.default_rng(7)
    mass = 1 + np.bincount(ends.ravel(), minlength=count) / 4  # room for the leaves of a hub
    for step in range(ROUNDS):
        force = _repulsion(at, mass, rng) - GRAVITY * (at - at.mean(axis=0))
        force += _attraction(at, ends)
        reach = np.maximum(np.hypot(force[:, 0], force[:, 1]), 1e-9)
        most = LENGTH * (1 - step / ROUNDS)
        moved = force * (np.minimum(reach, most) / reach)[:, None]
        moved[fixed] = 0
        at = at + moved
    if count > 1 and not fixed.any():
        area = 4 * np.pi * np.prod(np.maximum(at.std(axis=0), 1.0))  # of a disc with this deviation
        at = (at - at.mean(axis=0)) * (SPACE * room / np.sqrt(area / count))
    return at


def _start(
    count: int, ends: NDArray[np.int64], placed: Sequence[Sequence[float] | None]
) -> tuple[Points, NDArray[np.bool_]]:
    """The first places: a spiral, or around the placed nodes that a node is linked to; and which nodes stay."""
    number = np.arange(count)
    radius, angle = LENGTH * np.sqrt(number + 1) / 2, number * GOLDEN_ANGLE
    spiral = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    at, fixed = spiral.copy(), np.zeros(count, dtype=np.bool_)
    for node, place in enumerate(placed[:count]):
        if place is not None:
            at[node], fixed[node] = place, True
    if fixed.any():
        for one, other in (ends.T, ends.T[::-1]):
            near = fixed[one] & ~fixed[other]
            at[other[near]] = at[one[near]] + spiral[other[near]] / (1 + np.sqrt(count))
    return at, fixed


def _repulsion(at: Points, mass: NDArray[np.float64], rng: np.random.Generator) -> Points:
    count = len(at)
    if count <= FEW:
        norms = (at**2).sum(axis=1)
        square = np.maximum(norms[:, None] + norms - 2 * at @ at.T, 1.0)
        weight = mass / square
        return np.asarray(LENGTH**2 * (at * weight.sum(axis=1, keepdims=True) - weight @ at))
    others = rng.integers(0, count, (count, SAMPLE))
    apart = [at[:, axis, None] - at[others, axis] for axis in (0, 1)]
    weight = mass[others] / np.maximum(apart[0] ** 2 + apart[1] ** 2, 1.0)
    return np.stack([(each * weight).sum(axis=1) for each in apart], axis=1) * (LENGTH**2 * count / SAMPLE)


def _attraction(at: Points, ends: NDArray[np.int64]) -> Points:
    apart = at[ends[:, 1]] - at[ends[:, 0]]
    pull = apart * (np.hypot(apart[:, 0], apart[:, 1]) / LENGTH)[:, None]
    force = np.zeros_like(at)
    for axis in (0, 1):
        force[:, axis] += np.bincount(ends[:, 0], pull[:, axis], minlength=len(at))
        force[:, axis] -= np.bincount(ends[:, 1], pull[:, axis], minlength=len(at))
    return force
