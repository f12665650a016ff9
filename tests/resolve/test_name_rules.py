"""Normal forms of names, and which names of a document stand for others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_graphrag.index.normalize import normal_form
from mcp_graphrag.resolve.name_rules import acronyms, initials, surnames

WORDS = st.sampled_from(
    [
        "The",
        "a",
        "An",
        "Inc",
        "Ltd.",
        "co",
        "Acme",
        "II",
        "Jr",
        "C++",
        "C#",
        "é",
        "e\u0301",
        "मीरा",
        "!",
        "a.b()()",
        "x_y()",
    ]
)
NAMES = st.one_of(st.text(), st.lists(WORDS).map(" ".join))


@given(NAMES)
def test_the_normal_form_of_a_normal_form_is_itself(name: str) -> None:
    assert normal_form(normal_form(name)) == normal_form(name)


@given(NAMES)
def test_only_a_blank_name_has_an_empty_normal_form(name: str) -> None:
    assert bool(normal_form(name)) == bool(name.strip())


@given(st.lists(WORDS, min_size=1))
def test_case_and_spaces_around_words_are_ignored(words: list[str]) -> None:
    assert normal_form("  " + " \t".join(words).upper() + "\n") == normal_form(" ".join(words))


@pytest.mark.parametrize(
    "group",
    [
        ["Acme", "ACME, Inc.", "The Acme Co., Ltd.", " acme "],
        ["auth-service", "Auth Service", "auth – service", "AUTH SERVICE"],
        ["Café Müller", "CAFE MULLER", "Cafe\u0301 Mu\u0308ller"],
        ["Straße", "STRASSE"],
        ["O'Brien", "O’Brien"],
        ["ИП Иванов", "ип иванов"],
        ["東京", "東京 "],
        ["The The Band", "Band"],
        ["store.open()", "Store.Open"],
    ],
)
def test_spellings_of_one_name_have_one_form(group: list[str]) -> None:
    assert len({normal_form(name) for name in group}) == 1


@pytest.mark.parametrize(
    "group",
    [
        ["C", "C++", "C#"],
        ["Martin King", "Martin King Jr.", "Martin King Sr."],
        ["Henry", "Henry II", "Henry III"],
        ["Python 2", "Python 3"],
        ["मीरा", "मारी", "मेरी"],
        ["ที่", "ทา"],
        ["Москва", "Мостква"],
        ["東京", "京都"],
        ["!!!", "???"],
        ["The", "A"],
        ["Inc", "Ltd"],
        ["auth_service", "Auth Service"],
        ["node.js", "node/js", "Node JS"],
        ["Plan", "A Plan"],
    ],
)
def test_different_names_keep_different_forms(group: list[str]) -> None:
    assert len({normal_form(name) for name in group}) == len(group)


def test_initials_are_with_and_without_small_words() -> None:
    assert initials("University of Crete") == {"UOC", "UC"}
    assert initials("Point-of-Sale") == {"POS", "PS"}
    assert initials("Redis") == set()


def test_an_acronym_stands_for_its_one_long_form() -> None:
    names = ["Site Reliability Engineering", "SRE", "API", "Redis"]

    assert acronyms(names) == {"SRE": ["Site Reliability Engineering"]}


def test_an_acronym_of_two_long_forms_stands_for_neither() -> None:
    assert acronyms(["Point of Sale", "Proof of Stake", "POS"]) == {"POS": ["Point of Sale", "Proof of Stake"]}


def test_an_acronym_of_two_spellings_of_one_form_stands_for_it() -> None:
    assert acronyms(["Point of Sale", "Point-of-Sale", "POS"]) == {"POS": ["Point of Sale"]}


def test_a_surname_stands_for_the_only_person_with_it() -> None:
    named = [("Ada Lovelace", "Person"), ("Lovelace", None), ("Charles Babbage", "Person"), ("Babbage", "Person")]

    assert surnames(named) == {"Lovelace": "Ada Lovelace", "Babbage": "Charles Babbage"}


@pytest.mark.parametrize(
    "named",
    [
        [("Ann Lee", "Person"), ("Bob Lee", "Person"), ("Lee", None)],
        [("Ann Lee", "Person"), ("Camp Lee", "Location"), ("Lee", None)],
        [("Ann Lee", "Person"), ("Lee", "Location")],
        [("Ann Lee", None), ("Lee", None)],
        [("Ann Lee", "Person"), ("Lee Inc", None)],
        [("Ann Lee", "Person"), ("Ann", None)],
    ],
)
def test_a_word_that_may_mean_something_else_is_nobodys_surname(named: list[tuple[str, str | None]]) -> None:
    assert surnames(named) == {}


def test_what_follows_a_title_alone_is_no_surname() -> None:
    named = [("Saint Peter", "Person"), ("Peter", "Person"), ("King Henry Tudor", "Person"), ("Tudor", None)]

    assert surnames(named) == {"Tudor": "King Henry Tudor"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Research & Development", {"R&D", "RD"}),
        ("Bank of", {"BO"}),
        ("Bank - Union / 4 the Poor", {"BU4TP", "BU4P"}),
        ("(Union) Bank (West)", set[str]()),
        ("of the", {"OT"}),
        ("élan vital", {"ÉV"}),
    ],
)
def test_an_acronym_has_a_letter_a_word_and_two_at_least(name: str, expected: set[str]) -> None:
    assert initials(name) == expected


def test_an_acronym_has_two_to_seven_capitals() -> None:
    long = "An Eight Word Name For Such A Test"
    assert acronyms(["AEWNFSAT", long, "AN", "Annual Need", "X", "An", "Nine"]) == {"AN": ["Annual Need"]}
    assert acronyms(["EWNFSAT", long.removeprefix("An ")]) == {"EWNFSAT": ["Eight Word Name For Such A Test"]}
