"""The score of a walk, part by part, worked out from the constants of its module."""

import pytest

from mcp_graphrag.ontology.ontology import Ontology, TypeRule
from mcp_graphrag.reason.amounts import Range
from mcp_graphrag.reason.parse_question import NamedEntity, NamedPredicate, NamedType, ParsedQuestion
from mcp_graphrag.reason.walk_score import Cue, Cues, Step, reversed_step

ONTOLOGY = Ontology({"service": TypeRule("Service", ("Component",))})
TYPES = (
    NamedType("Who", "Person", 1.0, asks=True),
    NamedType("Who", "Team", 0.9, asks=True),
    NamedType("components", "Component"),
)
OWNS = NamedPredicate("owns", {"owns": True, "owned_by": False}, 3)
HAS = NamedPredicate("has", {"part_of": None}, 7)
ENTITIES = (NamedEntity("Auth", (), "exact", 1), NamedEntity("Gate", (), "exact", 5))
CUES = Cues(ParsedQuestion("", ENTITIES, TYPES, (OWNS, HAS), Range(5)), ONTOLOGY)
PLAIN = Cues(ParsedQuestion("", ENTITIES[:1]), ONTOLOGY)
ALL: frozenset[Cue] = frozenset(
    [("predicate", 0), ("predicate", 1), ("amount", 0), ("type", 2), ("entity", 0), ("entity", 1)]
)


def step(start: str, predicate: str, target: str = "", *, forward: bool = True) -> Step:
    return Step(start, predicate, forward, target)


def test_the_cues_are_what_the_question_names_but_not_what_it_asks_for_or_starts_from() -> None:
    assert CUES.all == ALL
    assert PLAIN.all == frozenset()
    assert CUES.touched_by(step("", "owned_by")) == {("predicate", 0)}
    assert CUES.touched_by(step("", "part_of")) == {("predicate", 1)}
    assert [CUES.on_the_way(type_) for type_ in ("Service", "Component", "Team", "")] == [{("type", 2)}] * 2 + [
        frozenset()
    ] * 2


def test_a_predicate_or_entity_is_worth_one_an_amount_three_quarters_and_a_type_two_fifths() -> None:
    assert CUES.worth(ALL) == pytest.approx(1 + 1 + 0.75 + 0.4 + 1 + 1)
    assert CUES.left(frozenset()) == pytest.approx(5.15 + 1 + 0.2)  # an end of a wanted type, the right direction
    assert CUES.left(ALL - {("amount", 0)}) == pytest.approx(0.75 + 1 + 0.2)
    assert PLAIN.left(frozenset()) == pytest.approx(0.2)
    assert CUES.entities_left(frozenset([("entity", 1), ("predicate", 0)])) == 1
    assert CUES.entities_left(ALL) == 0


@pytest.mark.parametrize(
    ("first", "entity_at", "gain"),
    [
        (step("", "owns"), 1, 0.2),  # "Auth owns": the entity is the subject
        (step("", "owns", forward=False), 1, -0.2),
        (step("", "owned_by"), 1, -0.2),
        (step("", "owned_by", forward=False), 1, 0.2),
        (step("", "owns"), 5, -0.2),  # "owns the Gate": it is the object
        (step("", "owned_by"), 5, 0.2),
        (step("", "part_of"), 1, 0),
        (step("", "uses"), 1, 0),
    ],
)
def test_a_first_step_gains_in_the_direction_of_the_words_and_loses_against_it(
    first: Step, entity_at: int, gain: float
) -> None:
    assert CUES.direction(first, entity_at) == gain


def test_a_step_costs_more_if_it_is_vague_unless_the_question_names_it_and_a_little_if_it_goes_back() -> None:
    vague, clear = step("", "related_to"), step("", "uses")
    steps = [clear, reversed_step(clear), vague, reversed_step(vague)]
    assert [CUES.cost(each) for each in steps] == pytest.approx([0.15, 0.16, 0.4, 0.41])
    named = Cues(ParsedQuestion("", predicates=[NamedPredicate("related", {"related_to": None}, 0)]), ONTOLOGY)
    assert named.cost(vague) == pytest.approx(0.15)


def test_an_end_is_worth_the_weight_of_the_type_asked_for_or_what_the_way_leaves_of_a_named_type() -> None:
    ends = ["Person", "Team", "Service", "Component", "Role", ""]
    assert [CUES.end_worth(type_) for type_ in ends] == pytest.approx([1, 0.9, 0.6, 0.6, 0, 0])
    both = Cues(ParsedQuestion("", types=[TYPES[1], NamedType("team", "Team")]), ONTOLOGY)
    assert both.end_worth("Team") == pytest.approx(0.9)


def test_the_prospects_of_a_type_are_the_best_gain_of_the_hops_left() -> None:
    steps = [
        step("Component", "owned_by", "Team"),  # 1 for the predicate, 0.75 for the amount, 0.9 for the end
        step("Component", "uses", "Component"),  # 0.4 on the way and 0.6 at the end
        step("Team", "member_of", "Person", forward=False),  # 1 for the end
    ]
    owned, uses, member = 1 + 0.75 + 0.9 - 0.15, 0.4 + 0.6 - 0.15, 1 - 0.16
    assert CUES.prospects(steps, 2) == [
        {},
        {"Component": pytest.approx(owned), "Team": pytest.approx(member)},
        {"Component": pytest.approx(max(owned + member, uses + owned)), "Team": pytest.approx(member)},
    ]


def test_a_step_reversed_goes_from_its_end_to_its_start() -> None:
    assert reversed_step(step("Team", "owns", "Service")) == step("Service", "owns", "Team", forward=False)
