"""The list of open decisions: conflicts first, then suggested merges, page by page."""

from collections.abc import Callable

import pytest
from cached_files import Setup
from conflict_helpers import add

from mcp_graphrag.errors import UnknownName
from mcp_graphrag.graph import Graph
from mcp_graphrag.resolve.review import ReviewPage, ReviewQuery


def undecided(graph: Graph) -> None:
    """Three conflicts and two pairs of similar names, of which one name is in both."""
    add(graph, *(f"{name} owned_by {team}" for name in ("Mill", "Dam", "Postgres") for team in ("Blue", "Red")))
    add(graph, "Postgers uses Disk", "data_base uses Rack", "database uses Shelf")


@pytest.fixture
def filled(after: Callable[[Setup], Graph]) -> Graph:
    """A graph with `undecided`."""
    return after(undecided)


def listed(found: ReviewPage) -> list[str]:
    """The items: the subject of a conflict, or "keep + merge"."""
    return [item.conflict.triple.subject if item.conflict else f"{item.keep} + {item.merge}" for item in found.items]


def summary(found: ReviewPage) -> tuple[list[str], bool, int, int]:
    """A page whole."""
    return listed(found), found.more, found.conflicts, found.merges


CONFLICTS, MERGES = ["Mill", "Dam", "Postgres"], ["data base + database", "Postgres + Postgers"]


@pytest.mark.parametrize("limit", range(1, 7))
def test_pages_of_any_size_list_conflicts_then_merges_each_once(filled: Graph, limit: int) -> None:
    every, after = [*CONFLICTS, *MERGES], 0
    while every:
        found = filled.review(ReviewQuery(limit=limit, after=after))
        assert listed(found) == every[:limit]
        every = every[limit:]
        assert (found.more, found.merges) == (bool(every), 2)
        after = found.items[-1].place
    assert after == -2


def test_one_kind_or_one_entity_can_be_reviewed(filled: Graph) -> None:
    review = filled.review
    assert summary(review()) == ([*CONFLICTS, *MERGES], False, 3, 2)
    assert summary(review(ReviewQuery("conflicts", limit=2))) == (CONFLICTS[:2], True, 3, 0)
    assert summary(review(ReviewQuery("merges", limit=1))) == (MERGES[:1], True, 0, 2)
    assert summary(review(ReviewQuery("merges", limit=1, after=-1))) == (MERGES[1:], False, 0, 2)
    assert summary(review(ReviewQuery(about="Postgres"))) == (["Postgres", "Postgres + Postgers"], False, 1, 1)
    assert summary(review(ReviewQuery(about="Blue", limit=2))) == (CONFLICTS[:2], True, 3, 0)
    second = review(ReviewQuery("conflicts", about="Blue")).items[1].place
    assert summary(review(ReviewQuery("conflicts", about="Blue", after=second))) == (CONFLICTS[2:], False, 3, 0)
    with pytest.raises(UnknownName, match="Nobody"):
        review(ReviewQuery(about="Nobody"))


def test_resolved_conflicts_are_a_list_of_their_own(filled: Graph) -> None:
    mill = filled.review().items[0].place
    filled.resolve_conflict(mill, "both", "They share it.")
    assert summary(filled.review(ReviewQuery("resolved"))) == (["Mill"], False, 1, 0)
    assert summary(filled.review(ReviewQuery("conflicts"))) == (CONFLICTS[1:], False, 2, 0)


def test_the_entities_of_a_suggestion_have_their_type_where_several_have_the_name(graph: Graph) -> None:
    add(graph, "Postgres uses Disk", Postgres="Database")
    add(graph, "Postgres uses Rack", Postgres="Team")
    add(graph, "Postgers uses Shelf", Postgers="Database")
    found = graph.review(ReviewQuery("merges"))
    assert listed(found) == ["Postgres (Database) + Postgers"]
