import pytest
from extract_stories import read

from mcp_graphrag.model import AliasFound


def aliases(text: str, *, title: str = "Notes") -> list[tuple[str, str]]:
    """Name and alias of what is found; the quotes are pieces of the text."""
    found = read(text, title=title).aliases
    assert all(text[each.start : each.end] == each.quote for each in found)
    return [(each.name, each.alias) for each in found]


@pytest.mark.parametrize(
    "text",
    [
        "The User Database, also known as UserDB, holds accounts.",
        "The User Database (aka UserDB) holds accounts.",
        "The User Database is abbreviated as UserDB.",
        "UserDB is short for the User Database.",
        "The User Database was formerly known as UserDB.",
        "| Database | Also known as |\n|---|---|\n| User Database | UserDB |\n",
    ],
)
def test_a_text_that_says_so_gives_a_thing_another_name(text: str) -> None:
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
def test_words_between_or_a_denial_make_no_alias(text: str) -> None:
    assert aliases(text) == []


def test_the_quote_is_the_sentence_and_the_type_is_that_of_the_thing() -> None:
    text = "All is well. The User Database, also known as UserDB, holds accounts."

    assert list(read(text).aliases) == [AliasFound("User Database", "UserDB", text[13:], 13, len(text), "Database")]


def test_a_document_may_be_called_by_the_start_of_its_title() -> None:
    text = "The Security Audit was written by Ann Lee."

    assert aliases(text, title="Security audit, spring 2025") == [("Security audit, spring 2025", "Security Audit")]
    assert aliases(text, title="Security audit") == []
    assert aliases(text, title="Audits of 2025") == []
