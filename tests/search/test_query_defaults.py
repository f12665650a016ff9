"""What a question is asked with where nothing else is said, as the documentation has it."""

from mcp_graphrag.reason.plan_question import PlanQuery
from mcp_graphrag.search.query import EXPANSION_PREDICATES, Expansion, Fusion, SearchQuery


def test_a_search_has_the_documented_limits_and_weights() -> None:
    query = SearchQuery("x")
    assert (query.mode, query.limit, query.fusion, query.expansion) == ("auto", 10, Fusion(), Expansion())
    assert Fusion() == Fusion("gated", 60, {}, 0.25)
    assert Expansion() == Expansion(5, 2, 10, EXPANSION_PREDICATES)


def test_a_plan_has_five_walks_of_ten_answers_and_eight_chunks() -> None:
    assert PlanQuery("x") == PlanQuery("x", execute=True, walks=5, answers=10, max_chunks=8)
