"""Characters that show nothing, and spaces of all kinds: names are found as they are seen, where they stand."""

import pytest
from extract_helpers import extract, stated

from mcp_graphrag.plain_characters import plain


@pytest.mark.parametrize("sign", "\u200c\u200d\u180e\u034f\ufe0f\u00ad\u2061\ufeff\U000e0041")
def test_a_character_that_shows_nothing_is_no_part_of_a_name(sign: str) -> None:
    text = f"{sign}The Car{sign}go Portal{sign} depends on the Ledger{sign} Service.\n"

    (found,) = extract(text).triples
    assert (found.subject, found.predicate, found.object) == ("Cargo Portal", "depends_on", "Ledger Service")
    assert found.quote == text.strip().removeprefix(sign)
    assert f"Car{sign}go Portal" in [text[one.start : one.end] for one in extract(text).mentions]


@pytest.mark.parametrize("space", "\u00a0\u1680\u2000\u2003\u2007\u200a\u202f\u205f\u3000")
def test_a_space_of_any_kind_parts_words(space: str) -> None:
    text = f"The Cargo{space}Portal depends{space}on the Ledger Service.\n\n## Fish{space}Service\n\n"
    text += f"Owner: Ada{space}Lund\n"

    assert stated(text) == [
        ("Cargo Portal", "depends_on", "Ledger Service"),
        ("Fish Service", "owned_by", "Ada Lund"),
    ]


@pytest.mark.parametrize(
    "word",
    ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\U0001f469\u200d\U0001f4bb", "\u0915\u094d\u200d\u0937"],
)
def test_characters_that_join_letters_and_emoji_stay(word: str) -> None:
    assert plain(f"a {word}") == f"a {word}"
