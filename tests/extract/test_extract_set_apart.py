"""What only stands beside a name, across a semicolon or as a birth name, states nothing of the name in front."""

import pytest
from extract_helpers import triples


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Our treasures: the portrait of Agnes Holm by Lucy Marr; the Vordal Hoard, found by Ned Birtle.", []),
        ("Our treasures are the Vordal Hoard, a gift by Lucy Marr.", [("Vordal Hoard", "created_by", "Lucy Marr")]),
    ],
)
def test_what_a_semicolon_parts_is_not_by_the_maker_of_the_other(text: str, stated: list[object]) -> None:
    assert [one for one in triples(text) if one[1] == "created_by"] == stated


@pytest.mark.parametrize(
    ("text", "wives"),
    [
        ("Ida Holm was born in Graz to Erik Holm and his wife Sofia, née Berg.", ["Sofia"]),
        ("Erik Holm lives in Graz with his wife Sofia, née Berg.", ["Sofia"]),
        ("Erik Holm lives in Graz with his wife, the engineer Sofia Berg.", ["Sofia Berg"]),
    ],
)
def test_a_birth_name_is_no_second_wife(text: str, wives: list[str]) -> None:
    assert [one for _, predicate, one in triples(text) if predicate == "wife"] == wives


def test_a_notice_of_copyright_wrote_nothing() -> None:
    text = "MIT. Copyright Fernholm Ltd. Originally written by Mark Tully."

    assert triples(text) == []
    assert triples("Moss was originally written by Mark Tully.") == [("Moss", "authored_by", "Mark Tully")]


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("Ilse Vandenberg, who became CTO in January 2025 after Mark Tully stepped down.", ["CTO"]),
        ("Ilse Vandenberg, CTO", ["CTO"]),
    ],
)
def test_a_clause_is_no_role(text: str, roles: list[str]) -> None:
    assert [one for _, predicate, one in triples(text) if predicate == "has_role"] == roles


def test_to_find_is_not_to_identify() -> None:
    assert triples("The Vordal Hoard was found by Ned Birtle in 1923.") == [("Ned Birtle", "finds", "Vordal Hoard")]
    assert triples("Ned Birtle found the Vordal Hoard.") == [("Ned Birtle", "finds", "Vordal Hoard")]
    assert triples("Ned Birtle identified the Vordal Hoard.") == [("Ned Birtle", "identified", "Vordal Hoard")]
