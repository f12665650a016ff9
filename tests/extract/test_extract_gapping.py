"""Second clauses that leave out the verb or noun of the first: "A is owned by B and C by D"."""

import pytest
from extract_helpers import triples


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Apex Foods was founded by Anna Ahl and Bolt Foods by Bert Bohl.", ("Apex Foods", "founded_by", "Anna Ahl")),
        ("Acorn Foods was founded by Ann Aas but Birch Foods by Ivan Iden.", ("Acorn Foods", "founded_by", "Ann Aas")),
        (
            "The Amber Service is owned by the Red team and the Blue Service by the Green team.",
            ("Amber Service", "owned_by", "Red"),
        ),
        ("The Green team is led by Siv Aune and the Red team by Pia Torp.", ("Green", "led_by", "Siv Aune")),
        ("Clara Voigt was born in Ghent and her daughter Lise in Bruges.", ("Clara Voigt", "born_in", "Ghent")),
        (
            "Emil Eck is the father of Fina Fahr and Gerd Gahr the father of Hilde Hahr.",
            ("Fina Fahr", "father", "Emil Eck"),
        ),
        ("Ida Holt married Jon Moe and her sister Ada the painter Leo Vik.", ("Ida Holt", "spouse", "Jon Moe")),
    ],
)
def test_nothing_of_the_second_clause_is_said_of_the_first(text: str, expected: tuple[str, str, str]) -> None:
    assert triples(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Bell Service is used by the Red team and the Green team.", ("Green", "uses", "Bell Service")),
        ("The Bell Service is owned by the Red team and used by the Green team.", ("Green", "uses", "Bell Service")),
        ("Ann Lee was born in Oslo and died in Bonn.", ("Ann Lee", "died_in", "Bonn")),
        ("Ann Lee married Bo Stone and in 2019 Carl Pike.", ("Ann Lee", "spouse", "Bo Stone")),
    ],
)
def test_lists_and_second_verbs_are_read(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in triples(text)
