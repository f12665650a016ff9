"""The title of a document as a name, nicknames, and the title of a biography as another name of its subject."""

import pytest
from extract_helpers import extract


def facts(title: str, text: str) -> set[tuple[str, str, str]]:
    return {(one.subject, one.predicate, one.object) for one in extract(text, title=title).triples}


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("In Salt and Rain", "In Salt and Rain is a 1987 film directed by Ann Lee."),
        ("Who Is Mr. Moss?", '"Who Is Mr. Moss?" is a 1987 film directed by Ann Lee.'),
        ("Karl schießt den Hasen ab", "Karl schießt den Hasen ab is a 1959 film directed by Ann Lee."),
        ("The Salt: A Tale of Rain (1987 film)", "The Salt: A Tale of Rain (1987) is a film directed by Ann Lee."),
        ("The Salt", "The Salt is a 1987 film. The Salt was directed by Ann Lee."),
    ],
)
def test_a_title_that_the_text_introduces_is_a_name(title: str, text: str) -> None:
    assert (title.partition(" (")[0], "directed_by", "Ann Lee") in facts(title, text)


@pytest.mark.parametrize("title", ["How to restart the cache", "restarting the cache", "The cache"])
def test_a_title_in_ordinary_words_is_no_name(title: str) -> None:
    found = extract(f"{title} is a guide by Ann Lee. The cache uses Redis.", title=title)
    assert title not in {mention.name for mention in found.mentions}


def test_a_title_is_not_found_in_a_longer_name() -> None:
    found = facts("In Salt", "In Salt is a 1987 film. Ann Lee directed In Salt Marshes.")
    assert ("In Salt", "directed_by", "Ann Lee") not in found


def test_a_quoted_work_in_front_of_a_person_is_no_nickname() -> None:
    found = extract('The song "Blue" Daniel Ohlin wrote was a hit.')
    assert [one.name for one in found.mentions if one.type == "Person"] == ["Daniel Ohlin"]


def test_the_title_of_a_biography_is_a_name_of_its_person() -> None:
    text = "Maurice Harold Moss (10 February 1894 – 1986) was a politician."
    found = extract(text, title="Harold Moss (politician)")
    assert [(one.name, one.alias, one.quote) for one in found.aliases] == [
        ("Maurice Harold Moss", "Harold Moss", "Maurice Harold Moss")
    ]


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Harold Lee", "Maurice Harold Moss (10 February 1894 – 29 December 1986) was a politician."),
        ("Moss Harold", "Maurice Harold Moss (10 February 1894 – 29 December 1986) was a politician."),
        ("Harold Moss", "Maurice Harold Moss was a politician."),
        ("Harold Moss", "His father was Maurice Harold Moss (10 February 1894 – 29 December 1986)."),
    ],
)
def test_another_title_is_no_alias(title: str, text: str) -> None:
    assert extract(text, title=title).aliases == ()
