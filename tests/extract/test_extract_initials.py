"""Letters, months, surnames and numbers that belong to a person's name, and those that only look like it."""

import pytest
from extract_helpers import extract, triples


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Ledger is hosted on Zone B. Queue Writer North is owned by the Tide Team.",
            [("Ledger", "hosted_on", "Zone B"), ("Queue Writer North", "owned_by", "Tide Team")],
        ),
        (
            "The Mail Service depends on Router D. It was installed in May.",
            [("Mail Service", "depends_on", "Router D")],
        ),
    ],
)
def test_a_letter_behind_a_noun_ends_the_sentence(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert triples(text) == expected


@pytest.mark.parametrize("name", ["T. Boone Pickens", "Robert A. Brook", "Orvane K. Hallow", "J. R. Moss"])
def test_an_initial_is_part_of_a_name(name: str) -> None:
    assert triples(f"Acme Corp was founded by {name}.") == [("Acme Corp", "founded_by", name)]


def test_a_surname_that_the_text_gives_to_another_stands_for_nobody() -> None:
    text = "The raid was planned by General Brandt. General Brandt's son Emil Brandt was a priest. "
    text += "Brandt founded Acme Corp."

    assert ("Acme Corp", "founded_by", "Emil Brandt") not in triples(text)


def test_a_verb_behind_a_relative_clause_is_of_the_noun_in_front() -> None:
    text = "Karl Moe, whose wife Eva Moe was also a teacher, died in 1951."

    assert [triple for triple in triples(text) if triple[1] == "died_on"] == [("Karl Moe", "died_on", "1951")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Today the Parcel Service uses Kafka.", ("Parcel Service", "uses", "Kafka")),
        ("Oslo FF defeated Vik FF 3 to 1.", ("Oslo FF", "defeated", "Vik FF")),
        ("The Parcel Gateway uses HTTP/3.", ("Parcel Gateway", "uses", "HTTP/3")),
    ],
)
def test_names_are_whole_and_no_more(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in triples(text)


def test_a_surname_stands_for_the_person_whom_the_title_names() -> None:
    text = "Emil Brandt was a priest. His uncle Orvane Brandt owns Initech. In 1990 Brandt founded Acme Corp."
    found = extract(text, title="Emil Brandt").triples

    assert ("Acme Corp", "Emil Brandt") in {(one.subject, one.object) for one in found}
    assert ("Acme Corp", "founded_by", "Emil Brandt") not in triples(text)
