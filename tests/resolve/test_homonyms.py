"""What in two documents tells that one name is one person's, and what contradicts it."""

import pytest

from mcp_graphrag.resolve.homonyms import Use, same_person, what_text_says


def together(name: str, *texts: str, titles: tuple[str, ...] = ()) -> bool:
    """Whether two texts are of one person."""
    uses = [
        Use(at, what_text_says(title, [(name, text, text.index(name))]))
        for at, (text, title) in enumerate(zip(texts, titles or ("",) * len(texts), strict=True))
    ]
    return len(same_person(name.lower(), uses, {})) == 1


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("Ida Wells", "The film was directed by Ida Wells.", "Ida Wells (born 3 May 1921) is a film director."),
        ("Ida Wells", "Ida Wells (1 May 1921 – 3 June 1990) sold tea.", "Ida Wells (1921 – 1990) lived in Rome."),
        ("Hugo Stone", "a son of Hugo Stone, 2nd Earl of Dell", "Hugo Stone, 2nd Earl of Dell, had two sons."),
        ("Ada Mary Finch", "He met Ada Mary Finch.", "A letter to Ada Mary Finch was found."),
    ],
)
def test_one_person_with_a_reason(name: str, one: str, other: str) -> None:
    assert together(name, one, other)


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("Ida Wells", "He met Ida Wells.", "A letter to Ida Wells was found."),
        ("Ida Wells", "The economist Ida Wells wrote.", "Ida Wells is a footballer."),
        ("Ida Wells", "Ida Wells (1921 – 1990) was a singer.", "Ida Wells (born 1950) is a singer."),
        ("Hugo Stone", "a son of Hugo Stone, 2nd Earl of Dell", "Hugo Stone, 5th Earl of Dell, was a diplomat."),
        ("Karl II", "The senate of Karl II met.", "Karl II had a parliament."),
    ],
)
def test_two_persons_without_a_reason_or_with_a_contradiction(name: str, one: str, other: str) -> None:
    assert not together(name, one, other)


def test_two_pages_of_different_professions_are_of_two_persons() -> None:
    texts = "Ida Wells is a singer and actress.", "Ida Wells is an actress."

    assert together("Ida Wells", *texts)
    assert not together("Ida Wells", *texts, titles=("Ida Wells (singer)", "Ida Wells (actress)"))


def test_the_same_folder_is_a_reason_unless_the_professions_differ() -> None:
    folder = {"origin": {"file:///notes"}}
    engineer, lawyer = {**folder, "profession": {"engineering"}}, {**folder, "profession": {"law"}}

    assert same_person("ida wells", [Use(1, folder), Use(2, engineer)], {}) == [[1, 2]]
    assert same_person("ida wells", [Use(1, lawyer), Use(2, engineer)], {}) == [[1], [2]]
