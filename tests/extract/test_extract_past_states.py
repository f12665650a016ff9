"""Offices and states that a sentence tells of the past, and verbs with an object that say little."""

import pytest
from extract_helpers import extract, triples

from mcp_graphrag.extract.english.draft_triple import OVER


def _over(text: str) -> set[tuple[str, str, str]]:
    """The triples that are over."""
    return {(one.subject, one.predicate, one.object) for one in extract(text).triples if one.said_on == OVER}


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("Ann Lee, head of Acme Ltd, met Bob Ray in the spring.", ("Acme Ltd", "headed_by", "Ann Lee")),
        ("The term was coined by U.S. President Ann Lee.", ("U.S.", "president", "Ann Lee")),
        ("Ann Lee became the first Prime Minister of India.", ("Ann Lee", "has_role", "Prime Minister")),
        (
            "After the Partition of Mossland, Fernia became the eastern wing of the Dominion of Mossby.",
            ("Dominion of Mossby", "eastern_wing", "Fernia"),
        ),
        ("Ann Lee had just been appointed as Project Leader.", ("Ann Lee", "has_role", "Project Leader")),
        ("Ann Lee, CTO of Acme Ltd, resigns.", ("Ann Lee", "has_role", "CTO")),
        ("The Acme Union managed to occupy Mossland.", ("Acme Union", "occupies", "Mossland")),
        ("The Dutch would soon return the island to Mossland.", ("Dutch", "returns_island_to", "Mossland")),
    ],
)
def test_what_a_sentence_tells_of_the_past_is_over(text: str, triple: tuple[str, str, str]) -> None:
    assert triple in _over(text)


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee, head of Acme Ltd, said that the Oslo office is closed.",
        "Ann Lee, head of Acme Ltd, lives in Oslo.",
        "Acme Ltd began to use Redis in 2020.",
    ],
)
def test_what_may_still_be_so_is_not_over(text: str) -> None:
    assert triples(text)
    assert _over(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee may grant rights to the team by uploading a command to Acme Hub.",
        "Acme Union and Moss spent much overseeing implementation of the Lusaka Protocol.",
        "Jon Moss swam in Oslo. Some might say, Jon that given their poor showing in London that is a reason.",
        "The Acme Union occupied swaths of Mossland.",
        "Russia has walked a fine line on Iran for years.",
        "It was sold to the Oslo-based Swedish financier Erik Penser.",
        "The g10 Code GmbH is led by Ann Lee.",
        "I have been to Alabama, Utah.",
        "Moss is an extended subset of the Fern Specification.",
        "The TkAgg backend now supports HiDPI **on Windows only**, including mixed monitor cases.",
    ],
)
def test_such_words_assert_nothing(text: str) -> None:
    assert triples(text) == []


def test_a_passive_in_the_present_is_not_the_past() -> None:
    (triple,) = extract("Moss is separated from Fern by the Oslo Corridor.").triples
    assert (triple.subject, triple.predicate, triple.surface) == ("Oslo Corridor", "separates", "is separated")


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee plays in a top venue (Hollywood).",
        "The storm Moss formed on 3 August 2005 from a tropical wave.",
        "Mossmail is an experimental interface.",
        "The Fern and Moss Formations and Oldman Formation collectively comprise the Judith River Group.",
        "Since 2001 g10 Code GmbH, a German company, is bearing the costs.",
        "The program saves the objects of Moss to the file .Rdata in the start directory.",
        "Revision 4.96 - 24 Jul 2022",
        "Mossmail uses the IEEE Standard for Binary Arithmetic.",
        "A long line of the text which says that the storage of Acme Ltd uses the Moss\nTwister by default",
        "## Maintainers\n\n- Current Lead: Ann Lee",
        "# Mossby\n\nMossby may refer to:\n\n- Mossby is a town in Norway\n",
    ],
)
def test_what_is_cut_or_general_is_not_asserted(text: str) -> None:
    assert triples(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann Lee won the Moss Award for Best Song.", ("Ann Lee", "won", "Moss Award")),
        ("Ann Lee is a Canadian producer.", ("Ann Lee", "is_a", "producer")),
        ("The Tax Service uses Redis\nOrders depend on it", ("Tax Service", "uses", "Redis")),
        ("Acme Ltd was formed in 1998.", ("Acme Ltd", "founded_on", "1998")),
    ],
)
def test_what_is_whole_is_asserted(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in triples(text)
