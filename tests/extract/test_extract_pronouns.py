import pytest
from extract_helpers import extract, triples


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Rate Limiter calls Redis. She leads the Platform Team.", []),
        ("Rate Limiter calls Redis. She is the lead for the Mail Service.", []),
        ("Ann Lee is an engineer. It depends on Redis.", []),
        ("Ann Lee joined Acme. She owns the Mail Service.", [("Ann Lee", "owns", "Mail Service")]),
        ("Ann Lee is an old painter. She owns the Mail Service.", [("Ann Lee", "owns", "Mail Service")]),
        ("Marble is a store. It depends on Redis.", [("Marble", "depends_on", "Redis")]),
    ],
)
def test_he_is_a_person_and_it_is_none(text: str, expected: list[tuple[str, str, str]]) -> None:
    found = [each for each in extract(text).triples if "pronoun" in each.metadata]
    assert [(triple.subject, triple.predicate, triple.object) for triple in found] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Anna Pike met Clara Marsh. She founded Blue Barn.",
        "Anna Pike is a nurse. The treasurer of Tern Bank is Rita Moss. She founded Blue Barn.",
        "Karl Voss was a painter. He married Anna Pike. She founded Blue Barn.",
    ],
)
def test_a_pronoun_behind_another_person_stands_for_nobody(text: str) -> None:
    assert [triple for triple in triples(text) if triple[1] == "founded_by"] == []


def test_a_pronoun_goes_on_for_the_person_that_it_stood_for() -> None:
    text = "Karl Voss was a painter. He met Emil Nord. In 1990, he founded Blue Barn."

    assert ("Blue Barn", "founded_by", "Karl Voss") in triples(text)


def test_he_is_the_subject_of_the_clause_in_front_of_it() -> None:
    text = "Karl Voss was a painter. After Emil Nord left Oslo, he founded Blue Barn."

    assert ("Blue Barn", "founded_by", "Emil Nord") in triples(text)


def test_it_is_no_part_of_a_catalogue() -> None:
    assert triples("# Catalogue\n\n## Tier 1\n\nIt depends on Redis.\n") == []
