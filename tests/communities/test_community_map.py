"""The map that the explorer draws."""

from datetime import datetime

import pytest

from mcp_graphrag.errors import UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.model import Candidate

SIZE = 130  # entities of each of two groups: more than are drawn one by one in all, and less in each


def test_a_small_graph_is_drawn_as_it_is(graph: Graph) -> None:
    moved = datetime(2024, 5, 1)  # noqa: DTZ001
    graph.add_triples([Candidate("A", "calls", "B", valid_from=moved), Candidate("B", "calls", "C")])
    drawn = graph.community_map()
    assert sorted((label.name, degree) for label, degree in drawn.entities) == [("A", 1), ("B", 2), ("C", 1)]
    assert (len(drawn.triples), drawn.communities, drawn.left_out) == (2, (), ())
    assert graph.dates() == (moved, moved)


def test_a_larger_one_is_drawn_as_communities_and_each_as_what_is_inside(graph: Graph) -> None:
    rings = [
        Candidate(f"{group}{at}", "calls", f"{group}{(at + step) % SIZE}")
        for group in "XY"
        for at in range(SIZE)
        for step in (1, 2)
    ]
    graph.add_triples([*rings, Candidate("X0", "calls", "Y0")])
    drawn = graph.community_map()
    assert sum(each.size for each in drawn.communities) == 2 * SIZE
    assert not drawn.entities
    assert sum(count for _, _, count in drawn.links) >= 1
    ids = {each.id for each in drawn.communities}
    assert all({one, other} <= ids and one != other for one, other, _ in drawn.links)

    inside = graph.community_map(drawn.communities[0].id)
    assert inside.inside
    assert len(inside.entities) == drawn.communities[0].size
    names = {label.name for label, _ in inside.entities}
    assert inside.triples
    assert all({each.subject, each.object} <= names for each in inside.triples)
    with pytest.raises(UnknownName):
        graph.community_map(max(ids) + 1_000)
