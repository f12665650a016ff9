import pytest
from extract_helpers import extract

from mcp_graphrag.model import AliasFound


def aliases(text: str, *, title: str = "Notes") -> list[tuple[str, str]]:
    """Name and alias of the declared aliases, whose quotes are checked."""
    found = extract(text, title=title).aliases
    assert all(text[alias.start : alias.end] == alias.quote for alias in found)
    return [(alias.name, alias.alias) for alias in found]


@pytest.mark.parametrize(
    "text",
    [
        "The User Database, also known as UserDB, holds accounts.",
        "The User Database is abbreviated as UserDB.",
        "UserDB is short for the User Database.",
        "The User Database was formerly known as UserDB.",
        "| Database | Also known as |\n|---|---|\n| User Database | UserDB |\n",
    ],
)
def test_an_alias_is_found_where_the_text_declares_it(text: str) -> None:
    assert aliases(text) == [("User Database", "UserDB")]


@pytest.mark.parametrize(
    "text",
    [
        "The region of Norway, the northern area known as Lapland, is cold.",
        "The User Database, which was then known by all, uses UserDB.",
        "We sang with the Brady Bunch, also known as Merry Bunch.",
        "Ann Lee is not also known as Bob Stone.",
        "The Mail Relay was renamed on 1 March 2025.",
    ],
)
def test_other_words_between_the_names_or_a_negation_make_no_alias(text: str) -> None:
    assert aliases(text) == []


def test_an_alias_has_its_sentence_as_quote_and_the_type_of_the_entity() -> None:
    text = "All is well. The User Database, also known as UserDB, holds accounts."

    assert list(extract(text).aliases) == [AliasFound("User Database", "UserDB", text[13:], 13, len(text), "Database")]
