"""What a question names, word by word."""

from collections.abc import Mapping

import pytest
from reason_helpers import relate

from mcp_graphrag.graph import Graph
from mcp_graphrag.reason.parse_question import NamedType, ParsedQuestion, parse_question

TYPES = {
    "Auth": "Service",
    "Policy": "Policy",
    "CC-1": "Cost Center",
    "Box": "Box",
    "Town": "Facility",
    "Ann": "Person",
}
OWNED: Mapping[str, bool] = {"owned_by": True, "owns": False}


def parsed(graph: Graph, question: str) -> ParsedQuestion:
    with graph.reading() as snapshot:
        return parse_question(snapshot, question)


def entities(found: ParsedQuestion) -> list[tuple[str, list[str], str, int]]:
    return [(one.words, [label.name for label in one.entities], one.how, one.at) for one in found.entities]


def predicates(found: ParsedQuestion) -> list[tuple[str, Mapping[str, bool | None], int]]:
    return [(one.words, one.predicates, one.at) for one in found.predicates]


@pytest.fixture
def town(graph: Graph) -> Graph:
    relate(
        graph,
        "Auth owned_by King_of_the_Hill",
        "Policy frobs Box",
        "CC-1 part_of Town",
        "Ann likes story",
        "Ann likes Green_Harbour_Policy",
        types=TYPES,
    )
    return graph


def test_who_asks_for_persons_first_and_for_roles_last(town: Graph) -> None:
    weights = {"Person": 1.0, "Team": 0.9, "Organization": 0.9, "Role": 0.5}
    for word in ("Who", "whom", "whose"):
        asked = [NamedType(word, type_, weight, asks=True) for type_, weight in weights.items()]
        assert parsed(town, f"{word} is it").types == asked
    assert parsed(town, "where").types == [NamedType("where", "Location", 1.0, asks=True)]
    assert parsed(town, "when").types == [NamedType("when", "Date", 1.0, asks=True)]


def test_types_are_named_in_the_singular_and_plural_and_by_two_words(town: Graph) -> None:
    found = parsed(town, "policies, policy, boxes, facilities, people, cost centres of the cost center, costs")
    assert found.types == [
        NamedType(words, type_, 1.0, asks=False)
        for words, type_ in [
            ("policies", "Policy"),
            ("policy", "Policy"),
            ("boxes", "Box"),
            ("facilities", "Facility"),
            ("people", "Person"),
            ("cost centres", "Cost Center"),
            ("cost center", "Cost Center"),
        ]
    ]


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("does the King of the Hill own it", [("King of the Hill", ["King of the Hill"], "exact", 2)]),
        (
            "Ann’s or Ann's 'auth'?",
            [("Ann", ["Ann"], "exact", 0), ("Ann", ["Ann"], "exact", 2), ("auth", ["Auth"], "exact", 3)],
        ),
        ("the policy, the Policy", [("Policy", ["Policy"], "exact", 3)]),
        ("tell the story", [("story", ["story"], "exact", 2)]),
        ("story", [("story", ["story"], "exact", 0)]),
        ("by green harbor policy", [("green harbor policy", ["Green Harbour Policy"], "fuzzy", 1)]),
    ],
)
def test_a_name_is_the_longest_run_of_words_and_a_lower_case_word_of_a_type_is_none(
    town: Graph, question: str, named: list[tuple[str, list[str], str, int]]
) -> None:
    found = parsed(town, question)
    assert (entities(found), found.unknown) == (named, [])


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("Is Xanadu Palace or Tall Tower or Low Land or Big Fish ok", ["Xanadu Palace", "Tall Tower", "Low Land"]),
        ("Where is X or green tower 7 owned by Zed?", ["X", "green tower 7", "Zed"]),
        ("Xanadu", []),
        ("is it 7up or quux", ["7up"]),
        ("is $50 the xanadu palace", ["xanadu palace"]),
        ("does Auth own Xanadu Palace", []),
    ],
)
def test_at_most_three_runs_that_look_like_names_are_unknown_and_none_beside_a_known_name(
    town: Graph, question: str, unknown: list[str]
) -> None:
    assert parsed(town, question).unknown == unknown


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Who owns Auth?", [("owns", {"owns": True, "owned_by": False}, 1)]),
        ("what did Auth own", [("own", {"owns": True, "owned_by": False}, 3)]),
        ("Auth is really owned by", [("owned by", OWNED, 3)]),
        ("owned by owned by Auth", [("owned by", OWNED, 0), ("owned by", OWNED, 2)]),
        ("the thing Ann wrote", [("wrote", {"authored_by": False, "authored": True}, 3)]),
        ("what was in the very end by Ann written", [("written", {"authored_by": False, "authored": True}, 8)]),
        ("what was in the end by Ann written", [("written", {"authored_by": True, "authored": False}, 7)]),
        ("what is frobbed", [("frobbed", {"frobs": None}, 2)]),
        ("please tell the king the like", [("like", {"likes": None}, 5)]),
        ("what is related to the same by is a has", []),
        ("who is the owner of 7", [("owner of", {"owns": True, "owned_by": False}, 3)]),
    ],
)
def test_predicates_are_named_by_phrases_with_a_direction_and_by_words_without(
    town: Graph, question: str, named: list[tuple[str, Mapping[str, bool | None], int]]
) -> None:
    assert predicates(parsed(town, question)) == named


def test_the_words_of_a_name_name_no_type_and_no_predicate(town: Graph) -> None:
    relate(town, "Team_Owns_Policy uses Auth")
    found = parsed(town, "was Team Owns Policy used")
    assert (entities(found)[0][0], found.types) == ("Team Owns Policy", [])
    assert parsed(town, "green harbor policy").types == []
    assert predicates(found) == [("used", {"uses": False}, 4)]


def test_only_the_first_two_hundred_words_are_read(town: Graph) -> None:
    assert entities(parsed(town, "so " * 199 + "Auth")) == [("Auth", ["Auth"], "exact", 199)]
    assert entities(parsed(town, "so " * 200 + "Auth")) == []
