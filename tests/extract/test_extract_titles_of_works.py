"""Articles and quotation marks around the titles of works."""

import pytest
from extract_helpers import extract


def names(text: str) -> set[str]:
    """The names of the mentions in a text."""
    return {mention.name for mention in extract(text).mentions}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The Shore is a 2000 adventure drama film directed by Ann Lee.", "The Shore"),
        ("A Parting is a 2011 film directed by Ann Lee.", "A Parting"),
        ("The Fence was the eleventh studio album by Moss Field.", "The Fence"),
        ("The What are an English rock band formed in London.", "The What"),
        ("The Lecturer (1967) is a film directed by Ann Lee.", "The Lecturer"),
        ("The Bureau is an American sitcom created by Ann Lee.", "The Bureau"),
        ("He lives in The Hague near a canal.", "The Hague"),
        ("He read The Watchman in 2006.", "The Watchman"),
        ("He directed An Heir of the People in 2006.", "An Heir of the People"),
        ('"Crawl" is the debut single by the rock band Mossfield.', "Crawl"),
        ('" I Missed a Train " is a song recorded by Ann Lee.', "I Missed a Train"),
    ],
)
def test_a_title_is_whole(text: str, name: str) -> None:
    assert name in names(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The Fern Broker is a database.", "Fern Broker"),
        ("The Apollo Program is a series of missions.", "Apollo Program"),
        ("The Fern Broker is a film director.", "Fern Broker"),
        ("The United Kingdom and The Gambia signed it.", "Gambia"),
        ("Contact The Data Team about it.", "Data Team"),
    ],
)
def test_an_article_that_is_no_part_of_a_name_is_left_out(text: str, name: str) -> None:
    assert name in names(text)
    assert not any(each.startswith(("The ", "Contact")) for each in names(text))


@pytest.mark.parametrize("text", ['"Dark mode" is a setting.', "The shore is a film set.", '"Hello" is the greeting.'])
def test_what_is_no_work_is_no_title(text: str) -> None:
    assert names(text) == set()


def test_a_given_name_behind_an_article_is_no_person() -> None:
    types = {mention.name: mention.type for mention in extract("In 1972 Mossfield won an Oscar.").mentions}
    assert types["Oscar"] is None
