"""Walks with their scores and answers, and the limits of the search for them."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reason_helpers import relate
from test_plan import ends, plan, purchasing, relate_typed, step_text

from mcp_graphrag.graph import Graph
from mcp_graphrag.reason import typed_walks as walks
from mcp_graphrag.reason.plan_question import Plan
from mcp_graphrag.reason.typed_walks import _count_keys  # pyright: ignore[reportPrivateUsage]

HOP, BACK = 0.15, 0.16


def scored(found: Plan) -> list[tuple[str, float, list[str]]]:
    return [(step_text(walk), walk.score, names) for walk, names in zip(found.walks, ends(found), strict=True)]


def test_the_score_of_a_walk_is_its_matches_and_its_end_minus_its_steps(graph: Graph) -> None:
    purchasing(graph)
    way = "Team>belongs_to>Cost Center>approval_threshold>Role>held_by>Person"
    found = plan(graph, "Who may approve purchases over $50K for the hill team?")
    assert scored(found) == [(way, round(1 + 0.75 + 1 - 3 * HOP, 2), ["Ann"])]
    found = plan(graph, "Who may approve purchases for the hill team?")
    assert scored(found) == [(way, round(1 + 1 - 3 * HOP, 2), ["Ann", "Bob"])]
    assert not found.cut


def test_a_step_against_the_words_scores_less(graph: Graph) -> None:
    relate_typed(graph, "Auth depends_on Store", "Gate depends_on Auth")
    with_, against = round(1 + 0.2 - HOP, 2), round(1 - 0.2 - BACK, 2)
    assert scored(plan(graph, "What does Auth depend on?"))[0] == ("Microservice>depends_on>Database", with_, ["Store"])
    alone = plan(graph, "What does the Store depend on?")
    assert scored(alone)[0] == ("Database<depends_on<Microservice", against, ["Auth"])


def test_a_question_without_cues_is_answered_by_single_steps(graph: Graph) -> None:
    relate_typed(graph, "Auth uses Store", "Store owned_by Sea_Team", "Gate related_to Auth")
    assert scored(plan(graph, "What about Auth?")) == [
        ("Microservice>uses>Database", -HOP, ["Store"]),
    ]


def test_the_end_of_a_walk_is_a_named_type_or_on_the_way_to_it(graph: Graph) -> None:
    relate_typed(graph, "CC-1 approval_threshold Director", "Director held_by Ann")
    assert scored(plan(graph, "Which roles has CC-1?")) == [
        ("Cost Center>approval_threshold>Role", round(0.4 + 0.6 - HOP, 2), ["Director"])
    ]


def test_walks_over_types_are_scored_by_the_types_at_both_ends(graph: Graph) -> None:
    relate_typed(graph, "Store owned_by Sea_Team", "Gate depends_on Store")
    assert scored(plan(graph, "Which teams own databases?")) == [
        ("Database>owned_by>Team", round(0.4 + 1 + 0.4 + 0.6 - HOP, 2), [])
    ]


def test_answers_come_by_the_product_of_the_confidences_of_their_best_path(graph: Graph) -> None:
    relate(graph, "Hub uses A", "B likes X", confidence=0.5)
    relate(graph, "Hub uses B", "A likes Y", confidence=0.75)
    relate(graph, "A likes X", confidence=0.25)
    relate(graph, "B likes Z", confidence=1.0)
    (walk,) = plan(graph, "Who likes what the Hub uses?", walks=1).walks
    assert [answer.entity.name for answer in walk.answers] == ["Z", "X", "Y"]  # 0.75, 0.375 and 0.375
    assert [triple.object for triple, _ in walk.answers[1].path] == ["B", "X"]


def test_of_a_hub_the_most_confident_triples_of_each_kind_are_followed(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walks, "MAX_NODES_PER_STEP", 7)
    for number in (2, 5, 1, 4, 3):
        relate(graph, f"U{number} uses Hub", f"Hub uses V{number}", f"O{number} owns Hub", confidence=number / 10)
    assert ends(plan(graph, "what uses the Hub?"))[0] == ["U5", "U4"]
    assert ends(plan(graph, "who owns the Hub?"))[0] == ["O5", "O4"]
    monkeypatch.setattr(walks, "MAX_NODES_PER_STEP", 15)
    assert ends(plan(graph, "what uses the Hub?"))[0] == ["U5", "U4", "U3", "U2", "U1"]


def test_the_amounts_of_a_step_with_too_many_triples_are_not_read(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    purchasing(graph)
    answers: list[list[list[str]]] = []
    for most in (2, 1):
        monkeypatch.setattr(walks, "MAX_AMOUNTS_CHECKED", most)
        answers.append(ends(plan(graph, "who approves $60,000 for the hill team?")))
    assert answers == [[["Ann"]], [["Ann", "Bob"]]]


def test_a_plan_is_cut_if_a_walk_that_was_not_tried_may_be_better(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    purchasing(graph)
    cut: list[tuple[str, bool]] = []
    for most in (6, 5, 3):
        monkeypatch.setattr(walks, "MAX_EXPANDED", most)
        found = plan(graph, "who may approve purchases for the hill team?", walks=1)
        cut.append((step_text(found.walks[0]), found.cut))
    way = "Team>belongs_to>Cost Center>approval_threshold>Role>held_by>Person"
    assert cut == [(way, False), (way, True), (way.removesuffix(">held_by>Person"), True)]


@given(st.lists(st.integers(0, 9) | st.integers(10**12, 10**12 + 2)))
def test_keys_are_counted_in_ascending_order_however_large_they_are(keys: list[int]) -> None:
    found, counts = _count_keys(np.array(keys, dtype=np.int64))
    assert list(zip(found.tolist(), counts.tolist(), strict=True)) == sorted(Counter(keys).items())
