"""Edges of a random graph, for engines of any kind."""

import random


def power_law_edges(size: int) -> tuple[list[tuple[int, int, int]], random.Random]:
    """(subject, predicate, object) of `size` edges over a quarter as many nodes, and the generator for what comes next.

    Objects follow a power law, as in real graphs: a few hubs, many leaves.
    """
    chance = random.Random(7)  # noqa: S311
    nodes = size // 4
    edges = [(chance.randrange(nodes), chance.randrange(50), int(nodes * chance.random() ** 2)) for _ in range(size)]
    return edges, chance
