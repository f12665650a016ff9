"""Roles in front of a person at the start of a sentence, and lines that say who leads a group."""

import pytest
from extract_helpers import triples


@pytest.mark.parametrize(
    ("words", "role"),
    [
        ("Foreign Minister", "Foreign Minister"),
        ("The Deputy Defence Secretary", "Deputy Defence Secretary"),
        ("Norland's Foreign Minister", "Foreign Minister"),
        ("Acmesoft chief executive", "chief executive"),
        ("Police spokeswoman", "Police spokeswoman"),
    ],
)
@pytest.mark.parametrize("said", ["says the road is open", "has discussed the options", "told reporters nothing"])
def test_a_person_who_opens_a_sentence_has_the_role_in_front(words: str, role: str, said: str) -> None:
    assert ("Mary Lee", "has_role", role) in triples(f"{words} Mary Lee {said}.")


@pytest.mark.parametrize(
    "sentence",
    [
        "Former Foreign Minister Mary Lee says the road is open.",
        "Acting Foreign Minister Mary Lee says the road is open.",
        "When officer Mary Lee said so, the road was open.",
        "Foreign Minister Mary Lee Road is open.",
        "Every officer Mary Lee told says the road is open.",
        "Asked by the minister Mary Lee says the road is open.",
        "The road that Mary Lee says is open.",
    ],
)
def test_other_words_in_front_are_no_role_of_hers(sentence: str) -> None:
    assert all(predicate != "has_role" for _, predicate, _ in triples(sentence))


@pytest.mark.parametrize(
    "line", ["Consumer Apps - led by Mary Lee", "- **Consumer Apps**, led by Mary Lee, who is new"]
)
def test_a_line_may_say_behind_a_dash_who_leads(line: str) -> None:
    assert triples(line) == [("Consumer Apps", "led_by", "Mary Lee")]


@pytest.mark.parametrize(
    "line",
    [
        "Consumer Apps - will be led by Mary Lee",
        "Consumer Apps - not led by Mary Lee",
        "Consumer Apps - led by example",
    ],
)
def test_a_line_about_another_time_or_person_gives_none(line: str) -> None:
    assert triples(line) == []
