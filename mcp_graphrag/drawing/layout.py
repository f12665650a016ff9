"""Where the nodes of a picture stand: a force-directed layout in numpy.

The forces are those of Fruchterman and Reingold (Software: Practice and Experience 21(11), 1991), a link of two nodes
with many links weaker. In a large graph each node is repelled by a sample of the others, anew in each round (Gove,
Computer Graphics Forum 38(3), 2019). Parts that nothing links stand beside each other.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Ends = NDArray[np.int64]
LENGTH = 100.0  # of a link, while the forces are at work
SPACE = 85.0  # pixels from a node to the next, on average
SPREAD = 4.0  # links from a node to the next that the forces leave, on average
ROUNDS = 150
FEW = 350  # nodes, each of which is repelled by all others
SAMPLE = 40
GRAVITY = 0.02
GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))
WIDE = 1.5  # the width of a picture of several parts, in heights


def lay_out(
    count: int, links: Sequence[Sequence[int]], placed: Sequence[Sequence[float] | None] = (), *, room: float = 1.0
) -> Points:
    """The places of `count` nodes in pixels, of shape (count, 2): the same for the same input.

    `links` are pairs of nodes. A node that is `placed` stays there; the others come near those that they are linked
    to, or below the picture if they are linked to none of these. `room` stretches the distances.
    """
    ends = np.array(links, dtype=np.int64).reshape(-1, 2)
    ends = np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)
    at, fixed = np.zeros((count, 2)), np.zeros(count, dtype=np.bool_)
    for node, place in enumerate(placed[:count]):
        if place is not None:
            at[node], fixed[node] = place, True
    found = _parts(count, ends)
    kept = np.flatnonzero(np.isin(np.arange(count), [node for part in found if fixed[part].any() for node in part]))
    parts: list[tuple[NDArray[np.int64], Points]] = []
    for nodes in found:
        if fixed[nodes].any():
            continue
        places = _settled(at[nodes], fixed[nodes], _within(nodes, ends, count))
        wide, high = (max(float(places[:, axis].std()), 1.0) for axis in (0, 1))
        area = np.pi * 4 * wide * high  # of a disc with this deviation
        places *= SPACE * room * np.sqrt(len(nodes) / area) if len(nodes) > 1 else 1.0
        parts.append((nodes, _apart(places, fixed[nodes], SPACE * room / 2)))
    beside = _beside_each_other(count, parts, SPACE * room)
    if len(kept):
        scale = SPREAD * LENGTH / (SPACE * room)
        settled = _settled(at[kept] * scale, fixed[kept], _within(kept, ends, count)) / scale
        at[kept] = np.where(fixed[kept, None], at[kept], _apart(settled, fixed[kept], SPACE * room / 2))
        beside += (at[kept, 0].min(), at[kept, 1].max() + 2 * SPACE * room)
        beside[kept] = at[kept]
    return beside


def _within(nodes: NDArray[np.int64], ends: Ends, count: int) -> Ends:
    """The links among some nodes, by their numbers among these."""
    inside = np.full(count, -1)
    inside[nodes] = np.arange(len(nodes))
    own = inside[ends]
    return own[(own >= 0).all(axis=1)]


def _parts(count: int, ends: Ends) -> list[NDArray[np.int64]]:
    """The nodes of each connected part, the largest first."""
    label = np.arange(count)
    while len(ends):  # until both ends of each link have the lower label
        low = np.minimum(label[ends[:, 0]], label[ends[:, 1]])
        former = label.copy()
        np.minimum.at(label, ends[:, 0], low)
        np.minimum.at(label, ends[:, 1], low)
        label = label[label]
        if (label == former).all():
            break
    found = [np.flatnonzero(label == each) for each in np.unique(label)]
    return sorted(found, key=lambda nodes: -len(nodes))


def _beside_each_other(count: int, parts: Sequence[tuple[NDArray[np.int64], Points]], space: float) -> Points:
    """The parts in rows, the largest first."""
    at = np.zeros((count, 2))
    boxes = [np.ptp(places, axis=0) + space for _, places in parts]
    area = sum(float(box[0] * box[1]) for box in boxes)
    width = max([float(np.sqrt(area * WIDE)), *(float(box[0]) for box in boxes)])
    left = top = height = 0.0
    for (nodes, places), box in zip(parts, boxes, strict=True):
        if left and left + box[0] > width + 1:
            left, top, height = 0.0, top + height, 0.0
        at[nodes] = places - places.min(axis=0) + (left, top)
        left, height = left + float(box[0]), max(height, float(box[1]))
    return at


def _settled(at: Points, fixed: NDArray[np.bool_], ends: Ends) -> Points:
    """Where the forces leave the nodes that are not fixed."""
    count = len(at)
    number = np.arange(count)
    radius, angle = LENGTH * np.sqrt(number + 1) / 2, number * GOLDEN_ANGLE
    spiral = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    at = np.where(fixed[:, None], at, spiral)
    for one, other in (ends.T, ends.T[::-1]):  # near what is placed already
        near = fixed[one] & ~fixed[other]
        at[other[near]] = at[one[near]] + spiral[other[near]] / (1 + np.sqrt(count))
    rng = np.random.default_rng(7)
    degrees = np.bincount(ends.ravel(), minlength=count)
    mass = 1 + degrees / 4  # room for the leaves of a hub
    strength = 1 / np.sqrt(np.maximum(np.minimum(degrees[ends[:, 0]], degrees[ends[:, 1]]), 1))
    for step in range(ROUNDS):
        force = _repulsion(at, mass, rng) + _attraction(at, ends, strength)
        force -= GRAVITY * (at - at.mean(axis=0)) if count else 0
        reach = np.maximum(np.hypot(force[:, 0], force[:, 1]), 1e-9)
        moved = force * (np.minimum(reach, LENGTH * (1 - step / ROUNDS)) / reach)[:, None]
        moved[fixed] = 0
        at = at + moved
    return at


def _apart(at: Points, fixed: NDArray[np.bool_], least: float) -> Points:
    """The places, those pushed apart that are nearer to each other than `least`, as nodes linked to the same are."""
    for _ in range(ROUNDS if len(at) <= FEW else 0):
        away = at[:, None] - at
        far = np.hypot(away[..., 0], away[..., 1]) + 2 * least * np.eye(len(at))
        push = (away * (np.maximum(least - far, 0) / np.maximum(far, 1e-9) / 4)[..., None]).sum(axis=1)
        push[fixed] = 0
        if np.abs(push).max(initial=0) < 1:
            break
        at = at + push
    return at


def _repulsion(at: Points, mass: NDArray[np.float64], rng: np.random.Generator) -> Points:
    count = len(at)
    if count <= FEW:
        norms = (at**2).sum(axis=1)
        weight = mass / np.maximum(norms[:, None] + norms - 2 * at @ at.T, 1.0)
        return np.asarray(LENGTH**2 * (at * weight.sum(axis=1, keepdims=True) - weight @ at))
    others = rng.integers(0, count, (count, SAMPLE))
    apart = [at[:, axis, None] - at[others, axis] for axis in (0, 1)]
    weight = mass[others] / np.maximum(apart[0] ** 2 + apart[1] ** 2, 1.0)
    return np.stack([(each * weight).sum(axis=1) for each in apart], axis=1) * (LENGTH**2 * count / SAMPLE)


def _attraction(at: Points, ends: Ends, strength: NDArray[np.float64]) -> Points:
    apart = at[ends[:, 1]] - at[ends[:, 0]]
    pull = apart * (strength * np.hypot(apart[:, 0], apart[:, 1]) / LENGTH)[:, None]
    force = np.zeros_like(at)
    for axis in (0, 1):
        force[:, axis] += np.bincount(ends[:, 0], pull[:, axis], minlength=len(at))
        force[:, axis] -= np.bincount(ends[:, 1], pull[:, axis], minlength=len(at))
    return force
